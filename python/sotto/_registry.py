"""The engine's registry of mechanisms. Names, help texts, defaults and ranges are written there alone."""
from __future__ import annotations

import functools

from . import _engine
from ._answers import MechanismEntry
from ._calls import clear


@functools.cache
def mechanisms(name: str = "") -> tuple[MechanismEntry, ...]:
    """Every mechanism, in the order of `sotto mechanisms`; or the one of this name or alias."""
    return clear(_engine.mechanisms)(name)
