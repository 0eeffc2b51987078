"""The progress bar that long calls open by themselves, after half a second."""
from __future__ import annotations

import sys
from typing import Any


class Bar:
    """tqdm driven by absolute counts; a new unit (another phase of the work) starts it again."""

    def __init__(self, tqdm: Any, title: str) -> None:
        self._bar = tqdm(desc=title, file=sys.stderr, leave=False)

    def __call__(self, done: int, total: int, unit: str) -> None:
        if self._bar.unit != unit or self._bar.total != (total or None):
            self._bar.reset(total=total or None)
            self._bar.unit = unit
        self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


def open_bar(title: str) -> Bar | None:
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return Bar(tqdm, title)
