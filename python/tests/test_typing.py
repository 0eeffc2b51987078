"""The stub is the extension's, and the package and a user's typed program pass mypy --strict."""
from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

import sotto
from conftest import ROOT

PROGRAM = '''
from collections.abc import Iterator

import numpy
from numpy.typing import NDArray

import sotto

model = sotto.Model.from_words(["one", "two"], numpy.eye(2, dtype=numpy.float32))
mechanism = sotto.Mechanism("tem", model, epsilon=2, calibration="exact", gamma=None, threads=1)
texts: sotto.PrivateTexts = sotto.Privatizer(mechanism, unknown="mask").privatize(["one", None])
lines: Iterator[str] = sotto.Privatizer(mechanism).privatize(iter(["one"]))
law: NDArray[numpy.float64] = mechanism.law("one").probabilities
drawn: list[str] = mechanism.sample(["one"])
ids: NDArray[numpy.uint32] = mechanism.sample(numpy.zeros(3, dtype=numpy.uint32))
certified: float = sotto.certify(mechanism).certified_epsilon
error: sotto.Figure = sotto.measure(mechanism, prior={"one": 1.0}).e_opt
best: sotto.TunePoint | None = sotto.tune(model, max_loss=0.5).recommended
rows: NDArray[numpy.float64] = sotto.VectorMechanism("privemb", dimension_in=3, epsilon=1).release(numpy.zeros((1, 3)))
worst: sotto.Answer | None = sotto.certify(mechanism, verify=True).worst_pair
likely: str = sotto.explain("one", mechanism, top=1).outputs[0].word
verdict: str = sotto.audit(mechanism, pair=[("one", "two")]).verdict
follows: bool = sotto.verify(sotto.Privatizer(mechanism).report, model).follows
ledger = sotto.Ledger("ledger.db", document_budget=4, subject_budget="100")
counted: sotto.PrivateTexts = sotto.Privatizer(mechanism, ledger=ledger).privatize(["one"], subject="s", documents=["d"])
spent: str = ledger.show(subject="s").accounts[0].spent
names: list[str] = [entry.name for entry in sotto.mechanisms()]
'''
WRONG = '''
import sotto
model = sotto.Model.open("x.sotto")
number: int = model.identity
sotto.Privatizer("tem")
sotto.Mechanism("tem", model).law(3)
sotto.Model.opem("x")
'''


def mypy(*arguments: str, folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mypy")
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"),
                           "--config-file", str(ROOT / "pyproject.toml"), *arguments],
                          capture_output=True, text=True, cwd=folder)


def test_package(tmp_path: pathlib.Path) -> None:
    done = mypy("-p", "sotto", folder=tmp_path)
    assert done.returncode == 0, done.stdout


def test_users_program(tmp_path: pathlib.Path) -> None:
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    done = mypy("right.py", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    done = mypy("wrong.py", folder=tmp_path)
    assert done.returncode == 1 and "Found 4 errors" in done.stdout, done.stdout


def test_stub_is_the_extensions(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("nanobind")
    made = tmp_path / "_engine.pyi"
    subprocess.run([sys.executable, str(ROOT / "scripts" / "python_stub.py"), "-q", "-P", "-m", "sotto._engine",
                    "-p", str(ROOT / "python" / "stub_patterns.txt"), "-o", str(made)], check=True, cwd=tmp_path)
    package = pathlib.Path(sotto.__file__).parent
    assert made.read_text() == (package / "_engine.pyi").read_text(), "`make python-stub` makes it again"
    assert (package / "py.typed").exists()


def test_all_names_are_there() -> None:
    pytest.importorskip("sklearn")
    for name in sotto.__all__:
        assert getattr(sotto, name) is not None
    assert set(sotto.__all__) <= set(dir(sotto))
