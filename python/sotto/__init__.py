"""Text under metric differential privacy.

The C++ engine does the work; see docs/python.md. Only the engine is loaded by `import sotto`: everything else is
loaded when it is first asked for, so that the import stays quick and needs none of the optional packages.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._engine import (
    Ledger, LimitReached, Mechanism, Model, VectorMechanism, attack, audit, certify, explain, measure,
    train_language_model, tune, verify,
)
from ._engine import version as __version__

if TYPE_CHECKING:
    from ._answers import (
        Answer, Band, Certificate, Figure, Law, Measurement, MechanismEntry, ParameterEntry, TuneAnswer, TunePoint,
    )
    from ._lift import Lifted, lift
    from ._privatizer import PrivateTexts, Privatizer, WeakPrivacyWarning
    from ._registry import mechanisms
    from .estimators import PrivEmb, TextPrivatizer, VectorPrivatizer

_HOMES = {name: home for home, names in {
    "_answers": "Answer Band Certificate Figure Law Measurement MechanismEntry ParameterEntry TuneAnswer TunePoint",
    "_lift": "Lifted lift",
    "_privatizer": "PrivateTexts Privatizer WeakPrivacyWarning",
    "_registry": "mechanisms",
    "estimators": "PrivEmb TextPrivatizer VectorPrivatizer",
}.items() for name in names.split()}

__all__ = [
    "Answer", "Band", "Certificate", "Figure", "Law", "Ledger", "Lifted", "LimitReached", "Measurement", "Mechanism",
    "MechanismEntry", "Model", "ParameterEntry", "PrivEmb", "PrivateTexts", "Privatizer", "TextPrivatizer", "TuneAnswer", "TunePoint",
    "VectorMechanism", "VectorPrivatizer", "WeakPrivacyWarning", "__version__", "attack", "audit",
    "certify", "explain", "lift", "measure", "mechanisms", "train_language_model", "tune", "verify",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sotto' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
