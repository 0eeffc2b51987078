"""The engine's registry of mechanisms. Names, help texts, defaults and ranges are written there alone."""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from . import _engine


class ParameterEntry(NamedTuple):
    """`default` is the text of it, or None: required, or derived by the mechanism."""

    name: str
    help: str
    kind: str
    required: bool
    default: str | None
    choices: tuple[str, ...]
    min: float
    max: float
    includes_min: bool
    includes_max: bool
    allows_infinity: bool


class AliasEntry(NamedTuple):
    name: str
    note: str
    presets: Mapping[str, str]


class MechanismEntry(NamedTuple):
    """`kind` is "words" (sotto.Mechanism) or "vectors" (sotto.VectorMechanism)."""

    name: str
    kind: str
    title: str
    paper: str
    guarantee: str
    slope: str
    status: str
    caveat: str
    aliases: tuple[AliasEntry, ...]
    parameters: tuple[ParameterEntry, ...]


def mechanisms() -> list[MechanismEntry]:
    """Every mechanism, in the order of `sotto mechanisms`."""
    return [
        MechanismEntry(**{**row, "aliases": tuple(AliasEntry(**alias) for alias in row["aliases"]),
                          "parameters": tuple(ParameterEntry(**one) for one in row["parameters"])})
        for row in _engine.mechanisms()
    ]
