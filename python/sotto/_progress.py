"""The progress bar that long calls open by themselves, after half a second."""
from __future__ import annotations

import sys
import time
import warnings
from typing import Any, Protocol

_EVERY = 0.5  # seconds between two lines of PlainBar


class ProgressBar(Protocol):
    def __call__(self, done: int, total: int, unit: str) -> None: ...
    def close(self) -> None: ...


class Bar:
    """tqdm driven by absolute counts; a new unit (another phase of the work) starts it again."""

    def __init__(self, tqdm: Any, title: str, **options: Any) -> None:
        self._bar = tqdm(desc=title, leave=False, **options)

    def __call__(self, done: int, total: int, unit: str) -> None:
        if self._bar.unit != unit or self._bar.total != (total or None):
            self._bar.reset(total=total or None)
            self._bar.unit = unit
        self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


class PlainBar:
    """Without tqdm: one line of text, written again in place."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._written = 0
        self._last = 0.0

    def __call__(self, done: int, total: int, unit: str) -> None:
        now = time.monotonic()
        if now - self._last < _EVERY and done != total:
            return
        self._last = now
        line = f"{self._title}: {done:,} of {total:,} {unit}" if total else f"{self._title}: {done:,} {unit}"
        sys.stderr.write("\r" + line.ljust(self._written))
        sys.stderr.flush()
        self._written = len(line)

    def close(self) -> None:
        if self._written:
            sys.stderr.write("\r" + " " * self._written + "\r")
            sys.stderr.flush()


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this. Its stderr is no terminal, but people look at it."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    return shell is not None and hasattr(shell, "kernel")


def open_bar(title: str) -> ProgressBar | None:
    if sys.stderr is None or not (sys.stderr.isatty() or in_notebook()):
        return None
    try:
        if in_notebook():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # tqdm's advice to install ipywidgets; a bar of text does
                from tqdm.auto import tqdm
            return Bar(tqdm, title)
        from tqdm import tqdm
    except ImportError:
        return PlainBar(title)
    return Bar(tqdm, title, file=sys.stderr)
