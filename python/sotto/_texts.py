"""What counts as texts: one rule for everything that takes some.

One column of str, in a container that has an order. A missing text (None, NaN, NA) stays missing where texts are
released, and is refused where they are only read. All else is a TypeError, which says what was given and what to pass
instead. The fault names the place of a bad text, never the text.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal

Kind = Literal["list", "series", "index", "pandas array", "arrow", "numpy", "iterator"]


def kind_of(texts: Any, caller: str) -> Kind:
    """How the container is read. `caller` begins the message of a refusal: "privatize takes"."""
    package = type(texts).__module__.partition(".")[0]
    if isinstance(texts, str):
        raise TypeError(f"{caller} several texts, and this is one str: pass [text]")
    if isinstance(texts, (bytes, bytearray, memoryview)):
        raise TypeError(f"{caller} texts, and this is {type(texts).__name__}: decode it and pass a list, "
                        "[given.decode()]")
    if package == "pandas":
        return _of_pandas(texts, caller)
    if package == "pyarrow":
        if hasattr(texts, "column_names"):
            raise TypeError(f"{caller} one column of texts, and this is a {type(texts).__name__}: pass one of its "
                            "columns, table['name']")
        return "arrow"
    if package == "numpy" and hasattr(texts, "dtype"):
        if texts.dtype.kind not in "OUT":
            hint = "; decode it: numpy.char.decode(given, 'utf-8')" if texts.dtype.kind == "S" else ""
            raise TypeError(f"{caller} texts, and this is an array of {texts.dtype}: str or object is expected{hint}")
        return "numpy"
    if isinstance(texts, Mapping):
        raise TypeError(f"{caller} a column of texts, and this is a {type(texts).__name__}: pass list(given.values())")
    if isinstance(texts, Set):
        raise TypeError(f"{caller} texts in order, and a {type(texts).__name__} has none: pass a list")
    if hasattr(texts, "__next__"):
        return "iterator"
    if isinstance(texts, Sequence):
        return "list"
    raise TypeError(f"{caller} a list, tuple, generator, pandas Series or Index, NumPy or Arrow array of str, "
                    f"not {type(texts).__name__}")


def _of_pandas(texts: Any, caller: str) -> Kind:
    if getattr(texts, "ndim", 1) != 1:
        raise TypeError(f"{caller} one column of texts, and this is a {type(texts).__name__}: pass one of its columns, "
                        "frame['name']; in a ColumnTransformer name the column by a string, not by a list")
    if getattr(texts, "nlevels", 1) != 1:
        raise TypeError(f"{caller} one column of texts, and this is a {type(texts).__name__} of several levels: pass "
                        "one, given.get_level_values(0)")
    if hasattr(texts, "get_level_values"):
        return "index"
    return "series" if hasattr(texts, "iloc") else "pandas array"


def one_column(texts: Any, caller: str) -> Any:
    """The same for scikit-learn, whose arrays of texts have one dimension."""
    if kind_of(texts, caller) == "numpy" and texts.ndim != 1:
        raise TypeError(f"{caller} one column of texts, and this array has shape {texts.shape}: pass given[:, 0]")
    return texts


def listed(texts: Any, caller: str) -> list[str]:
    """Texts that are read and not released: as a list, and none may be missing."""
    kind = kind_of(texts, caller)
    items: Iterable[Any] = texts.to_pylist() if kind == "arrow" else texts
    out = list(items)
    for place, text in enumerate(out):
        if not isinstance(text, str):
            found = "missing" if _is_missing(text) else f"of type {type(text).__name__}"
            raise TypeError(f"text {place} (counted from 0) is {found}; {caller} str alone")
    return out


def _is_missing(value: Any) -> bool:
    # pandas.NA compares with nothing, not even with itself.
    return value is None or isinstance(value, float) and value != value or type(value).__name__ == "NAType"
