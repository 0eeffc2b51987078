from __future__ import annotations

import copy
import os
import pathlib
import pickle
import shutil

import numpy
import pytest

import sotto


def test_model(model: sotto.Model) -> None:
    again = pickle.loads(pickle.dumps(model))
    assert again.identity == model.identity and again.path == model.path
    assert numpy.shares_memory(again.vectors, pickle.loads(pickle.dumps(model)).vectors), "one mapping a process"


def test_model_in_memory_says_what_to_do(small_model: sotto.Model) -> None:
    with pytest.raises(ValueError, match="save"):
        pickle.dumps(small_model)


def test_another_model_under_the_path(model: sotto.Model, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "moved.sotto"
    shutil.copy(str(model.path), path)
    stored = pickle.dumps(sotto.Model.open(path, cache=False))
    os.unlink(path)
    with pytest.raises(OSError):
        pickle.loads(stored)
    sotto.Model.from_words(["one", "two"], numpy.eye(2, dtype=numpy.float32)).save(path)
    with pytest.raises(ValueError, match="another model"):
        pickle.loads(stored)


def test_relative_path(model: sotto.Model, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(str(model.path), tmp_path / "here.sotto")
    monkeypatch.chdir(tmp_path)
    stored = pickle.dumps(sotto.Model.open("here.sotto", cache=False))
    monkeypatch.chdir("/")
    assert pickle.loads(stored).identity == model.identity


def test_mechanisms(model: sotto.Model) -> None:
    for made in (sotto.Mechanism("santext", model, epsilon=0.1 + 0.2), sotto.Mechanism("tem", model, epsilon=1, gamma=float("inf")),
                 sotto.Mechanism("vickrey", model, epsilon=5, t=0.5, exclude_input=True, threads=2)):
        again = pickle.loads(pickle.dumps(made))
        assert (again.name, again.parameters, again.guarantee) == (made.name, made.parameters, made.guarantee)
    vectors = sotto.VectorMechanism("privemb", dimension_in=20, dimension=5, epsilon=10)
    again = pickle.loads(pickle.dumps(vectors))
    assert (again.input_dim, again.output_dim, again.parameters) == (20, 5, vectors.parameters)
    assert copy.deepcopy(vectors).parameters == vectors.parameters


def test_privatizer_takes_configuration_alone(tem: sotto.Mechanism) -> None:
    private = sotto.Privatizer(tem, unknown="mask", anchor="tea", threads=1)
    private.privatize(["the doctor"])
    again = pickle.loads(pickle.dumps(private))
    assert again.options == private.options and again.anchor == "tea"
    assert again.report["counts"]["documents"] == 0
    texts = ["the doctor came late"] * 50
    assert again.privatize(texts) != pickle.loads(pickle.dumps(private)).privatize(texts)


def test_seeded_is_not_pickled(tem: sotto.Mechanism) -> None:
    with pytest.raises(ValueError, match="seed"):
        pickle.dumps(sotto.Privatizer(tem, seed_not_private=1))


def test_answers(small_model: sotto.Model) -> None:
    tem = sotto.Mechanism("tem", small_model, epsilon=2)
    out = sotto.Privatizer(tem).privatize(["the"])
    assert type(pickle.loads(pickle.dumps(out))) is list
    for answer in (sotto.certify(tem), sotto.measure(tem), tem.law("the")):
        assert repr(pickle.loads(pickle.dumps(answer))) == repr(answer)
