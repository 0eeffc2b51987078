"""One answer for every front end: for each question the JSON of the program and that of Python are the same."""
from __future__ import annotations

import json
import pathlib
import subprocess
from typing import Any

import numpy
import pytest

import sotto
from conftest import ROOT

PROGRAM = ROOT / "build" / "sotto"


@pytest.fixture()
def asked(model_path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the program on the small model, with an empty cache folder, and gives its JSON."""
    if not PROGRAM.exists():
        pytest.skip("build/sotto is not built")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def ask(*words: object, model: str = "--model", code: int = 0) -> Any:
        given = [str(word) for word in words]
        if model:
            given += [model, str(model_path)]
        done = subprocess.run([PROGRAM, *given, "--json"], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.fixture()
def own_model(model_path: pathlib.Path, tmp_path: pathlib.Path) -> sotto.Model:
    """With a cache folder of its own: what one front end keeps there must not answer for the other."""
    return sotto.Model.open(model_path, cache=tmp_path / "other_cache")


def test_mechanisms(asked: Any) -> None:
    theirs = asked("mechanisms", model="")
    assert [entry.to_dict() for entry in sotto.mechanisms()] == theirs["mechanisms"]
    assert [entry.to_dict() for entry in sotto.mechanisms("tem")] == asked("mechanisms", "tem", model="")["mechanisms"]


def test_models(asked: Any, model_path: pathlib.Path, own_model: sotto.Model) -> None:
    theirs = asked("model", "info", model_path, "--verify", model="")
    mine = own_model.info(verify=True).to_dict()
    assert pathlib.Path(theirs.pop("cache_folder")).name == pathlib.Path(mine.pop("cache_folder")).name
    assert mine == theirs


def test_verify(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    private = sotto.Privatizer(sotto.Mechanism("tem", own_model, epsilon=2), certify=True)
    private.privatize(["the doctor came late"])
    path = tmp_path / "report.json"
    path.write_text(json.dumps(private.report))
    mine = sotto.verify(path, own_model)
    assert mine.follows and mine.to_dict() == asked("verify", path)
    assert sotto.verify(private.public_report, own_model).follows
    forged = {**private.report, "certified_epsilon": 0.5}
    path.write_text(json.dumps(forged))
    mine = sotto.verify(forged, own_model)
    assert not mine.follows and mine.to_dict() == asked("verify", path, code=1)
