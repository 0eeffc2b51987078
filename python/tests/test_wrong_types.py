"""A wrong type gives one sentence in Python's terms, never a signature of the C++ engine: every public function is tried."""
from __future__ import annotations

import inspect
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import sotto
from sotto._calls import _signatures

MARKS = ("incompatible function arguments", "Invoked with types", "std::", "_engine", "nanobind", "\n", "0x")
ENGINE = (sotto.Ledger, sotto.Mechanism, sotto.Model, sotto.VectorMechanism)


class Odd:
    """Fits no parameter."""


def check(label: str, call: Callable[[], object]) -> bool:
    """Whether the call was refused; fails if the refusal is no sentence."""
    try:
        call()
    except (TypeError, ValueError, KeyError, IndexError, OSError) as fault:
        shown = str(fault)
        assert shown and not any(mark in shown for mark in MARKS), f"{label}: {shown}"
        assert len(shown) < 400, f"{label}: {shown}"
        return True
    return False


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that fits by chance may write a file named "tea": not into the project."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture()
def model() -> sotto.Model:
    """So small that a call that fits by chance takes no time."""
    return sotto.Model.from_words(["tea", "cup", "pot"], numpy.eye(3, dtype=numpy.float32))


@pytest.fixture()
def tem(model: sotto.Model) -> sotto.Mechanism:
    return sotto.Mechanism("tem", model, epsilon=1)


@pytest.fixture()
def right(model: sotto.Model, tem: sotto.Mechanism, tmp_path: pathlib.Path) -> dict[str, Any]:
    """A value that fits, for each annotation of an argument without default."""
    return {"Mechanism": tem, "AnyMechanism": tem, "Model": model, "str": "tea", "int": 0, "Iterable[str]": ["tea"],
            "Sequence[str]": ["tea"], "NDArray[numpy.float32]": numpy.eye(1, dtype=numpy.float32),
            "NDArray[Any]": numpy.zeros((1, 3)), "str | os.PathLike[str]": tmp_path / "out",
            "OwnLaw": numpy.eye(len(model)), "Mapping[str, Any] | str | os.PathLike[str]": {}}


def functions(model: sotto.Model, tem: sotto.Mechanism, tmp_path: pathlib.Path) -> Iterator[tuple[str, Any]]:
    for name in sotto.__all__:
        if not inspect.isclass(getattr(sotto, name)) and hasattr(getattr(sotto, name), "__wrapped__"):
            yield name, getattr(sotto, name)
    vectors = sotto.VectorMechanism("privemb", dimension_in=3, dimension=2, epsilon=1)
    for one in (sotto.Ledger(tmp_path / "ledger.db"), tem, model, vectors):
        for name in vars(type(one)):
            if not name.startswith("_") and callable(getattr(one, name)) and name != "fetch":  # which uses the network
                yield f"{type(one).__name__}.{name}", getattr(one, name)


def test_every_argument_of_every_function(model: sotto.Model, tem: sotto.Mechanism, right: dict[str, Any],
                                          tmp_path: pathlib.Path) -> None:
    tried = 0
    for label, function in functions(model, tem, tmp_path):
        signature = (inspect.signature(function) if inspect.isfunction(inspect.unwrap(function))
                     else _signatures(inspect.unwrap(getattr(function, "__func__", function)))[0])
        taken = [each for each in signature.parameters.values() if each.name != "self"]
        needed = {each.name: right[each.annotation] for each in taken
                  if each.default is each.empty and each.annotation in right}
        assert check(f"{label}: an argument too many", lambda: function(*[Odd()] * (len(taken) + 1)))
        assert check(f"{label}: unknown keyword", lambda: function(**needed, nonsense=1))
        if needed:
            assert check(f"{label}: nothing", function)
        for each in taken:
            for value in (Odd(), [Odd()], 3, -1, "tea", b"tea", None):
                refused = check(f"{label}({each.name}={value!r})", lambda: function(**{**needed, each.name: value}))
                if isinstance(value, Odd) and each.name not in ("progress", "head", "prior"):
                    assert refused, f"{label}({each.name}=Odd()) was accepted"
                tried += 1
    assert tried > 400


def test_every_constructor(model: sotto.Model, tem: sotto.Mechanism, tmp_path: pathlib.Path) -> None:
    odd = Odd()
    for made in (*ENGINE, sotto.Privatizer):
        for values in ((), (odd,), (3,), ("tem", odd), ("tem", odd, odd), (odd, odd)):
            assert check(f"{made.__name__}{values}", lambda: made(*values))
    calls = {
        r"Privatizer\(\): `unknown=` is a str, not Odd": lambda: sotto.Privatizer(tem, unknown=odd),
        r"`strip_html=` is True or False": lambda: sotto.Privatizer(tem, strip_html=odd),
        r"`threads=` is a whole number": lambda: sotto.Privatizer(tem, threads="two"),
        r"`seed_not_private=` is a whole number or None": lambda: sotto.Privatizer(tem, seed_not_private="x"),
        r"`threads=` is a whole number from 0 on, not -1": lambda: sotto.Mechanism("tem", model, epsilon=1, threads=-1),
        r"the rest by keyword": lambda: sotto.Mechanism("tem", model, 2),
        r"`dimension_in=` is a whole number": lambda: sotto.VectorMechanism("privemb", dimension_in="x", epsilon=1),
        r"`key=` is the path of a file": lambda: sotto.Ledger(tmp_path / "a.db", key=3),
        r"by keyword key=": lambda: sotto.Ledger(tmp_path / "a.db", budget=3),
        r"not made by Model\(\): sotto.Model.default": lambda: sotto.Model("glove.sotto"),
    }
    for expected, call in calls.items():
        with pytest.raises(TypeError, match=expected):
            call()


def test_what_people_pass(model: sotto.Model, tem: sotto.Mechanism) -> None:
    vectors = numpy.eye(2, dtype=numpy.float32)
    calls = {
        r"`vectors=` is a NumPy array .*not list: numpy.array\(...\) makes one": lambda: sotto.Model.from_words(
            ["a", "b"], [[1.0, 0.0], [0.0, 1.0]]),
        r"`vectors=` .*not ndarray with 1 dimension": lambda: sotto.Model.from_words(["a", "b"], numpy.zeros(2)),
        r"`words=` is a list of str, not str": lambda: sotto.Model.from_words("ab", vectors),
        r"`words=` is a list of str, not list with int": lambda: sotto.Model.from_words(["a", 3], vectors),
        r"`path=` is a path, not int": lambda: sotto.Model.open(3),
        r"`cache=` is True, False or a path, not int": lambda: sotto.Model.open("x", cache=3),
        r"the word is a str, not int": lambda: model.vector(3),
        r"law\(\): `word=` is a str, not int": lambda: tem.law(3),
        r"sample\(\): `seed_not_private=` is a whole number or None, not str": lambda: tem.sample(
            ["tea"], seed_not_private="x"),
        r"find\(\): missing a required argument: 'word'; it is called as find\(word\)": lambda: model.find(),
    }
    for expected, call in calls.items():
        with pytest.raises(TypeError, match=expected):
            call()
    assert len(sotto.Model.from_words(["a", "b"], numpy.eye(2))) == 2  # float64 is converted
