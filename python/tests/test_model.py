from __future__ import annotations

import pathlib

import numpy
import pytest

import sotto


def test_words_and_numbers(model: sotto.Model) -> None:
    assert len(model) == len(model.words) > 500
    assert "doctor" in model and "Doctor" in model and "qqqq" not in model and 3 not in model
    number = model.find("DOCTOR")
    assert number is not None and model.word(number) == "doctor" == model.words[number]
    assert model.find("qqqq") is None
    for bad in (-1, len(model)):
        with pytest.raises(IndexError):
            model.word(bad)


def test_vectors_are_views_of_the_mapped_file(model: sotto.Model, model_path: pathlib.Path) -> None:
    vectors = model.vectors
    assert vectors.shape == (len(model), model.dim) and vectors.dtype == numpy.float32
    assert not vectors.flags.writeable and not vectors.flags.owndata
    again = model.vectors
    assert again.__array_interface__["data"][0] == vectors.__array_interface__["data"][0]
    one = model.vector("doctor")
    assert numpy.shares_memory(one, vectors)
    number = model.find("doctor")
    assert number is not None
    numpy.testing.assert_array_equal(one, vectors[number])
    # Inside the mapping, not a copy of it.
    address = vectors.__array_interface__["data"][0]
    ranges = [line.split()[0].split("-") for line in open("/proc/self/maps") if line.rstrip().endswith(str(model_path))]
    assert any(int(low, 16) <= address < int(high, 16) for low, high in ranges)


def test_a_view_keeps_the_model_alive(model_path: pathlib.Path) -> None:
    vectors = sotto.Model.open(model_path, cache=False).vectors
    assert numpy.isfinite(vectors).all()


def test_from_words_and_save(tmp_path: pathlib.Path) -> None:
    made = sotto.Model.from_words(["one", "two"], numpy.eye(2, dtype=numpy.float32), name="pair")
    assert made.path is None and made.name == "pair" and made.dim == 2
    path = tmp_path / "pair.sotto"
    made.save(path)
    opened = sotto.Model.open(path)
    assert opened.identity == made.identity and opened.words == ("one", "two") and opened.path == str(path)
    with pytest.raises((OSError, ValueError)):
        made.save(path)
    made.save(path, replace=True)
    with pytest.raises(ValueError):
        sotto.Model.from_words(["one"], numpy.eye(2, dtype=numpy.float32))
    with pytest.raises(ValueError):
        sotto.Model.from_words(["one", "one"], numpy.eye(2, dtype=numpy.float32))
    with pytest.raises(ValueError):
        sotto.Model.from_words(["one", "two"], numpy.full((2, 2), numpy.nan, dtype=numpy.float32))


def test_cache_folder(model_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """What is derived goes where `cache` says."""
    opened = sotto.Model.open(model_path, cache=tmp_path / "cache")
    sotto.certify(sotto.Mechanism("tem", opened, epsilon=2), again=True)
    assert any((tmp_path / "cache" / f"{opened.identity}-v2").iterdir())


def test_default_model_without_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(OSError, match="Model.fetch"):
        sotto.Model.default()
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "relative")
    with pytest.raises(OSError, match="XDG_CACHE_HOME"):
        sotto.Model.default()
