"""Texts in, private texts of the same kind out."""
from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _engine
from ._calls import made
from ._texts import Kind, kind_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._engine import Ledger, Mechanism, TextCounts

_Column = TypeVar("_Column")  # a pandas Series, a NumPy or Arrow array
_CHUNK = 4096  # texts of a generator that are released together


class PrivateTexts(list[str]):
    """The released texts, with the data holder's report of this call. Pickled, copied or sliced it is a plain list:
    the report does not travel with the texts."""

    def __init__(self, texts: Iterable[str] = (), report: Any = None) -> None:
        super().__init__(texts)
        self._report = report

    @property
    def report(self) -> dict[str, Any]:
        """As `Privatizer.report`, with the counts of this call alone. For the data holder."""
        if callable(self._report):
            self._report = self._report()
        result: dict[str, Any] = self._report
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class WeakPrivacyWarning(UserWarning):
    """Most words are expected to stay as they are."""


class Privatizer:
    """Replaces the words of texts; what stays in clear is white space and punctuation alone.

    unknown: what stands for a word that the model does not have; only "anchor" is private. anchor: the public word
    that enters the mechanism in its place. threads: 0, one a core. Every call draws fresh randomness, also after a
    fork; `seed_not_private` is for tests, and whoever knows it can undo the noise. Holds counts of all it released,
    which are not pickled. Before the first release, a WeakPrivacyWarning says so if most words will stay as they
    are (found from the public model, in a fraction of a second; `warn_weak=False` does without). certify: put the
    certificate of the model into the reports, computed if it is missing; without it a report holds the theorem's
    figures, whatever was certified before. ledger: debited before texts are returned (docs/ledger.md); subject: whom
    the texts are about, if a call does not say.
    """

    def __init__(self, mechanism: Mechanism, *, unknown: str = "anchor", anchor: str | None = None,
                 strip_html: bool = False, threads: int = 0, seed_not_private: int | None = None,
                 warn_weak: bool = True, certify: bool = False, ledger: Ledger | None = None,
                 subject: str | None = None) -> None:
        self._options: dict[str, Any] = {"unknown": unknown, "anchor": anchor, "strip_html": strip_html,
                                         "threads": threads, "certify": certify, "ledger": ledger, "subject": subject}
        self._seed = seed_not_private
        self._warn_weak = warn_weak
        self._mechanism = mechanism
        self._core = made("Privatizer", _engine.PrivatizerCore, mechanism, unknown, "" if anchor is None else anchor,
                          strip_html, threads, seed_not_private, certify, ledger, subject)

    @property
    def mechanism(self) -> Mechanism:
        return self._mechanism

    @property
    def options(self) -> dict[str, Any]:
        return dict(self._options)

    @property
    def anchor(self) -> str:
        return self._core.anchor

    @property
    def status(self) -> str:
        """Of a release: not_private if seeded or if the unknown-word policy shows which words were unknown."""
        return self._core.status

    @property
    def strength(self) -> str:
        """ok, weak (over half of the words are expected to stay as they are) or none (over 90%), beside the status."""
        return self._core.strength

    @property
    def expected_unchanged(self) -> float:
        """Share of the words that will stay as they are, by the public model and its public word frequencies."""
        return self._core.expected_unchanged

    def warn_if_weak(self) -> None:
        """The warning of the first release, now. Later calls and releases do not repeat it."""
        if not self._warn_weak:
            return
        self._warn_weak = False
        if self.strength != "ok":
            hides = ", which hides next to nothing" if self.strength == "none" else ""
            warnings.warn(f"weak: {self.expected_unchanged:.0%} of the words are expected to stay as they are{hides}; a smaller epsilon "
                          "changes more", WeakPrivacyWarning, stacklevel=3)

    @property
    def report(self) -> dict[str, Any]:
        """All that was released so far: what is promised, and everything that is not protected. For the data holder."""
        return self._report_of(None)

    @property
    def public_report(self) -> dict[str, Any]:
        """Without any count taken from the texts."""
        result: dict[str, Any] = json.loads(self._core.report(None, is_public=True))
        return result

    def _file_report(self, file: dict[str, Any], is_public: bool) -> str:
        """The report of a release to a file, as text: see `_parquet.privatize`."""
        return self._core.report(None, is_public=is_public, file=file)

    @overload
    def privatize(self, texts: list[str] | tuple[str, ...] | list[str | None] | tuple[str | None, ...], *,
                  subject: str | None = None, documents: Iterable[str | None] | None = None) -> PrivateTexts: ...
    @overload
    def privatize(self, texts: Iterator[str] | Iterator[str | None], *, subject: str | None = None,
                  documents: Iterable[str | None] | None = None) -> Iterator[str]: ...
    @overload
    def privatize(self, texts: _Column, *, subject: str | None = None,
                  documents: Iterable[str | None] | None = None) -> _Column: ...
    def privatize(self, texts: Any, *, subject: str | None = None,
                  documents: Iterable[str | None] | None = None) -> Any:
        """Private texts, as many and in the same order, in a container of the kind that was given.

        A list or tuple gives PrivateTexts, a pandas Series a Series with the same index and name, an Index an Index,
        an Arrow or NumPy array an array, an iterator a generator that works as it is read; a Categorical gives an array
        of texts. The Series carries the public report in
        attrs["sotto_report"], because pandas writes attrs into Parquet files. The data holder's report, with counts,
        is `Privatizer.report`; for one call alone give a list and read its `.report`.
        Missing texts (None, NaN, NA, nulls) stay missing. A DataFrame, a dict, a set, one str and bytes are a TypeError
        that says what to pass. ValueError or TypeError name the place of a bad text, never the text.

        With a ledger the call is debited before it returns: one debit, for all texts or none. LimitReached: nothing
        was debited, nothing is returned. subject: whom the texts are about. documents: the identifier of each text;
        that of a missing text does not matter. A generator is debited for each 4,096 texts, before the first of them.
        """
        if (subject is not None or documents is not None) and self._options["ledger"] is None:
            raise ValueError("`subject` and `documents` need a `ledger`: Privatizer(mechanism, ledger=...)")
        if isinstance(documents, (str, bytes)):
            raise TypeError("documents: several identifiers are expected, one for each text")
        if documents is not None and hasattr(documents, "to_pylist"):  # Arrow's own scalars are no str
            documents = documents.to_pylist()
        kind = kind_of(texts, "privatize takes")
        self.warn_if_weak()
        if kind == "list":
            return self._list(texts if isinstance(texts, (list, tuple)) else tuple(texts), subject, documents)
        if kind == "arrow":
            return self._arrow(texts, subject, documents)
        if kind == "numpy":
            return self._array(texts, subject, documents)
        if kind == "iterator":
            return self._stream(texts, subject, documents)
        return self._pandas(texts, kind, subject, documents)

    __call__ = privatize

    def _release(self, texts: Sequence[str | None], subject: str | None,
                 documents: Iterable[str | None] | None) -> tuple[list[str], TextCounts]:
        return self._core.privatize(texts, subject, None if documents is None else tuple(documents))

    def _list(self, texts: Sequence[str | None], subject: str | None,
              documents: Iterable[str | None] | None) -> PrivateTexts:
        released, counts = self._release(texts, subject, documents)
        when = self._core.released_at
        return PrivateTexts(released, lambda: self._report_of(counts, when))

    def _report_of(self, counts: TextCounts | None, when: str | None = None) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(self._core.report(counts, when=when))
        return result

    def _stream(self, texts: Iterator[str | None], subject: str | None,
                documents: Iterable[str | None] | None) -> Iterator[str]:
        ids = None if documents is None else iter(documents)
        while chunk := tuple(islice(texts, _CHUNK)):
            yield from self._release(chunk, subject, None if ids is None else islice(ids, len(chunk)))[0]

    def _pandas(self, texts: Any, kind: Kind, subject: str | None, documents: Iterable[str | None] | None) -> Any:
        # pandas.NA is neither None nor NaN.
        missing = texts.isna()
        given = [None if absent else text for text, absent in zip(texts, missing)] if missing.any() else list(texts)
        released = list(self._list(given, subject, documents))
        # The categories of the texts would tell nothing of the released ones.
        dtype = texts.dtype if str(texts.dtype) != "category" else object
        if kind == "index":
            return type(texts.astype(dtype))(released, name=texts.name, dtype=dtype)
        if kind == "pandas array":
            return self._pandas_array(released, dtype)
        out = type(texts)(released, index=texts.index, name=texts.name, dtype=dtype)
        # pandas copies attrs to derived frames and writes them into Parquet: only what may be published goes there.
        out.attrs["sotto_report"] = self.public_report
        return out

    @staticmethod
    def _pandas_array(released: list[str], dtype: Any) -> Any:
        import numpy
        import pandas

        if dtype is not object:
            return pandas.array(released, dtype=dtype)
        out = numpy.empty(len(released), dtype=object)
        out[:] = released
        return out

    def _arrow(self, texts: Any, subject: str | None, documents: Iterable[str | None] | None) -> Any:
        import pyarrow

        kind = _arrow_type(texts.type)
        # Chunks are released together, so that a ledger debits all of them or none.
        released = self._release(texts.to_pylist(), subject, documents)[0]
        if isinstance(texts, pyarrow.ChunkedArray):
            rest = iter(released)
            chunks = [pyarrow.array(list(islice(rest, len(chunk))), type=kind) for chunk in texts.chunks]
            return pyarrow.chunked_array(chunks, type=kind)
        return pyarrow.array(released, type=kind)

    def _array(self, texts: NDArray[Any], subject: str | None,
               documents: Iterable[str | None] | None) -> NDArray[numpy.object_]:
        import numpy

        out = numpy.empty(texts.size, dtype=object)
        out[:] = self._release(texts.ravel().tolist(), subject, documents)[0]
        return out.reshape(texts.shape)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._seed is not None:
            raise ValueError("a seeded Privatizer is not pickled: every process would repeat the same noise; make one in "
                             "each process with a seed of its own, or leave seed_not_private out")
        return _rebuild, (self._mechanism, self._options)

    def __repr__(self) -> str:
        return f"<sotto.Privatizer with {self._mechanism!r}, unknown {self._options['unknown']}>"


def _rebuild(mechanism: Mechanism, options: dict[str, Any]) -> Privatizer:
    return Privatizer(mechanism, **options, warn_weak=False)  # said where it was made


def _arrow_type(given: Any) -> Any:
    """A dictionary would tell nothing of the released texts: they come back as its values' type."""
    return given.value_type if hasattr(given, "value_type") and hasattr(given, "index_type") else given
