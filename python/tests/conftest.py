"""A small model for all tests, and the rule that a suite which could run everything may not skip silently."""
from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Iterator

import numpy
import pytest
from hypothesis.configuration import set_hypothesis_home_dir

import sotto

ROOT = pathlib.Path(__file__).resolve().parents[2]
CANARY = "zqxcanaryword"
_skipped_imports: list[str] = []
set_hypothesis_home_dir(ROOT / "build" / "hypothesis")  # nothing of a test run lies in the tree


def _tiny_rows() -> tuple[list[str], numpy.ndarray]:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import make_tiny_model
    finally:
        sys.path.pop(0)
    rows = list(make_tiny_model.rows())
    return [word for _, word, _ in rows], numpy.array([vector for *_, vector in rows], dtype=numpy.float32)


@pytest.fixture(scope="session")
def model_path(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("model") / "tiny.sotto"
    words, vectors = _tiny_rows()
    sotto.Model.from_words(words, vectors, name="tiny").save(path)
    return path


@pytest.fixture(scope="session")
def model(model_path: pathlib.Path) -> sotto.Model:
    return sotto.Model.open(model_path, cache=False)


@pytest.fixture(scope="session")
def small_model(model: sotto.Model) -> sotto.Model:
    """Few enough words for exhaustive figures of any mechanism."""
    return sotto.Model.from_words(model.words[:60], numpy.ascontiguousarray(model.vectors[:60]))


@pytest.fixture(scope="session")
def tem(model: sotto.Model) -> sotto.Mechanism:
    return sotto.Mechanism("tem", model, epsilon=2)


@pytest.fixture(scope="session")
def default_model() -> Iterator[sotto.Model]:
    try:
        yield sotto.Model.default()
    except OSError:
        pytest.skip("the default model is not in the cache")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note_skip(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note_skip(report)


def _note_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple) and "could not import" in report.longrepr[2]:
        _skipped_imports.append(report.longrepr[2])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """`make test-python` sets SOTTO_ALL_TESTS: then only packages that cannot be installed here may be missing."""
    if not os.environ.get("SOTTO_ALL_TESTS"):
        return
    noted = pathlib.Path(sys.prefix) / "not_installable"
    excused = noted.read_text().replace("-", "_").lower() if noted.exists() else ""
    excused = excused.replace("scikit_learn", "sklearn")
    for reason in _skipped_imports:
        package = reason.split("'")[1].partition(".")[0] if "'" in reason else reason
        if package not in excused:
            print(f"\nskipped although packages can be installed here: {reason}")
            session.exitstatus = 1
