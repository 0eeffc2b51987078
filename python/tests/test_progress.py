"""Progress is shown where somebody looks: on a terminal, and in a notebook."""
from __future__ import annotations

import io
import sys
import types

import pytest

from sotto import _progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def notebook(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """As in a Jupyter kernel: a shell with a kernel, and stderr that is no terminal. (No fixture: pytest's own capture
    sets stderr again before a test.)"""
    stderr = io.StringIO()
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setattr(sys, "stderr", stderr)
    return stderr


def test_none_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert _progress.open_bar("calibrating") is None


def test_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    stderr = notebook(monkeypatch)
    bar = _progress.open_bar("calibrating")
    assert bar is not None
    bar(10, 40, "words")
    bar.close()
    assert "calibrating" in stderr.getvalue() and "10/40" in stderr.getvalue()


@pytest.mark.parametrize("place", ["notebook", "terminal"])
def test_without_tqdm(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = notebook(monkeypatch)
    if place == "terminal":
        monkeypatch.setitem(sys.modules, "IPython", None)
        monkeypatch.setattr(sys, "stderr", stderr := Terminal())
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    bar = _progress.open_bar("calibrating")
    assert isinstance(bar, _progress.PlainBar)
    bar(1000, 40_000, "words")
    bar(40_000, 40_000, "words")
    bar.close()
    shown = stderr.getvalue()
    assert "\rcalibrating: 1,000 of 40,000 words" in shown and shown.endswith("\r")
