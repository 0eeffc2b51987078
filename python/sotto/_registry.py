"""The engine's registry of mechanisms. Names, help texts, defaults and ranges are written there alone."""
from __future__ import annotations

from . import _engine
from ._answers import Answer


class ParameterEntry(Answer):
    """`default` is the text of it, or None: required, or derived by the mechanism."""

    name: str
    help: str
    required: bool
    default: str | None
    choices: tuple[str, ...] = ()


class MechanismEntry(Answer):
    """`kind` is "words" (sotto.Mechanism) or "vectors" (sotto.VectorMechanism)."""

    _parts = {"parameters": ParameterEntry}
    name: str
    kind: str
    parameters: tuple[ParameterEntry, ...]


def mechanisms() -> list[MechanismEntry]:
    """Every mechanism, in the order of `sotto mechanisms`."""
    return [MechanismEntry(row) for row in _engine.mechanisms()]
