"""One rule for what counts as texts, whoever takes them."""
from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import sotto
from conftest import CANARY

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def private(model: sotto.Model) -> sotto.Privatizer:
    return sotto.Privatizer(sotto.Mechanism("identity", model), warn_weak=False)


def takers(private: sotto.Privatizer, folder: pathlib.Path) -> dict[str, Callable[[Any], Any]]:
    """Everything that takes texts."""
    found: dict[str, Callable[[Any], Any]] = {
        "privatize": private.privatize,
        "attack": lambda texts: sotto.attack(texts, private.mechanism, prior="none.lm"),
        "train_language_model": lambda texts: sotto.train_language_model(texts, private.mechanism.model, folder / "a.lm"),
    }
    if pytest.importorskip("sklearn"):
        estimator = sotto.TextPrivatizer("identity", model=private.mechanism.model)
        found["TextPrivatizer"] = estimator.transform
        found["fit"] = estimator.fit
    return found


REFUSED = {
    "DataFrame": (lambda: pandas.DataFrame({"text": [CANARY]}), r"this is a DataFrame: pass one of its columns"),
    "MultiIndex": (lambda: pandas.MultiIndex.from_tuples([(CANARY, "b")]), r"get_level_values"),
    "str": (lambda: CANARY, r"this is one str: pass \[text\]"),
    "bytes": (lambda: CANARY.encode(), r"this is bytes: decode it"),
    "dict": (lambda: {CANARY: CANARY}, r"this is a dict: pass list\(given.values\(\)\)"),
    "set": (lambda: {CANARY}, r"a set has none: pass a list"),
    "numbers": (lambda: numpy.zeros(3), r"an array of float64: str or object is expected"),
    "an array of bytes": (lambda: numpy.array([CANARY.encode()]), r"numpy.char.decode"),
    "an int": (lambda: 3, r"not int"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_all_alike(private: sotto.Privatizer, tmp_path: pathlib.Path, name: str) -> None:
    make, message = REFUSED[name]
    said = set()
    for taker, call in takers(private, tmp_path).items():
        with pytest.raises(TypeError, match=message) as fault:
            call(make())
        assert CANARY not in str(fault.value), taker
        said.add(str(fault.value).partition(" takes ")[2])
    assert len(said) == 1, said


@pytest.mark.parametrize("name", ["Table", "RecordBatch"])
def test_an_arrow_table(private: sotto.Privatizer, name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = getattr(pyarrow, name).from_pydict({"text": ["tea"]})
    with pytest.raises(TypeError, match=f"this is a {name}: pass one of its columns"):
        private.privatize(table)


def test_a_bad_text_is_named_by_its_place(private: sotto.Privatizer, tmp_path: pathlib.Path) -> None:
    with pytest.raises(TypeError, match=r"text 1 \(counted from 0\) is of type bytes; .*text.decode\(\)"):
        private.privatize(["tea", CANARY.encode()])  # type: ignore[list-item]
    for missing in (None, float("nan"), pandas.NA):
        with pytest.raises(TypeError, match=r"text 1 \(counted from 0\) is missing"):
            sotto.train_language_model(["tea", missing], private.mechanism.model, tmp_path / "b.lm")


def test_an_index_gives_an_index(private: sotto.Privatizer) -> None:
    index = pandas.Index(["tea", None, "doctor"], name="drink")
    out = private.privatize(index)
    assert type(out) is type(index) and out.name == "drink" and list(out.isna()) == [False, True, False]
    assert out[0] == "tea"
    categories = private.privatize(pandas.CategoricalIndex(["tea", "doctor", "tea"]))
    assert list(categories) == ["tea", "doctor", "tea"] and str(categories.dtype) != "category"


def test_a_categorical_gives_texts(private: sotto.Privatizer) -> None:
    out = private.privatize(pandas.Categorical(["tea", None, "tea"]))
    assert isinstance(out, numpy.ndarray) and out[0] == "tea" and out[1] is None
    series = private.privatize(pandas.Series(["tea", None, "tea"], dtype="category"))
    assert str(series.dtype) != "category" and list(series.isna()) == [False, True, False]


def test_missing_texts_in_every_column(private: sotto.Privatizer) -> None:
    strings = pandas.array(["tea", pandas.NA], dtype="string")
    out = private.privatize(strings)
    assert str(out.dtype) == "string" and out[0] == "tea" and out[1] is pandas.NA
    for series in (pandas.Series(["tea", None]), pandas.Series(["tea", float("nan")]),
                   pandas.Series(["tea", pandas.NA], dtype="string")):
        made = private.privatize(series)
        assert made.dtype == series.dtype and list(made.isna()) == [False, True]
    assert list(private.privatize(pandas.Series([float("nan")] * 2)).isna()) == [True, True]
    assert list(private.privatize(text for text in ["tea", None])) == ["tea", None]  # type: ignore[call-overload]


def test_words_are_a_list(private: sotto.Privatizer) -> None:
    with pytest.raises(TypeError, match="words: a list of words is expected, not one str"):
        sotto.measure(private.mechanism, words="doctor")
