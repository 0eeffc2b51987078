"""Text under metric differential privacy.

The C++ engine does the work; see docs/python.md. Only the engine is loaded by `import sotto`: everything else is
loaded when it is first asked for, so that the import stays quick and needs none of the optional packages.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _engine
from ._calls import clear as _clear
from ._calls import clear_methods as _clear_methods
from ._engine import Ledger, LimitReached, Mechanism, Model, VectorMechanism
from ._engine import version as __version__

attack = _clear(_engine.attack)
audit = _clear(_engine.audit)
certify = _clear(_engine.certify)
explain = _clear(_engine.explain)
guess = _clear(_engine.guess)
measure = _clear(_engine.measure)
train_language_model = _clear(_engine.train_language_model)
tune = _clear(_engine.tune)
verify = _clear(_engine.verify)
_clear_methods(Ledger, Mechanism, Model, VectorMechanism)

if TYPE_CHECKING:
    from ._answers import (
        Answer, Band, Certificate, Figure, Law, Measurement, MechanismEntry, ParameterEntry, TuneAnswer, TunePoint,
    )
    from ._lift import Lifted, lift
    from ._privatizer import PrivateTexts, Privatizer, WeakPrivacyWarning
    from ._registry import mechanisms
    from ._released import RepeatedReleaseWarning
    from .estimators import PrivEmb, TextPrivatizer, VectorPrivatizer

_HOMES = {name: home for home, names in {
    "_answers": "Answer Band Certificate Figure Law Measurement MechanismEntry ParameterEntry TuneAnswer TunePoint",
    "_lift": "Lifted lift",
    "_privatizer": "PrivateTexts Privatizer WeakPrivacyWarning",
    "_registry": "mechanisms",
    "_released": "RepeatedReleaseWarning",
    "estimators": "PrivEmb TextPrivatizer VectorPrivatizer",
}.items() for name in names.split()}

__all__ = [
    "Answer", "Band", "Certificate", "Figure", "Law", "Ledger", "Lifted", "LimitReached", "Measurement", "Mechanism",
    "MechanismEntry", "Model", "ParameterEntry", "PrivEmb", "PrivateTexts", "Privatizer",
    "RepeatedReleaseWarning", "TextPrivatizer", "TuneAnswer", "TunePoint", "VectorMechanism", "VectorPrivatizer",
    "WeakPrivacyWarning", "__version__", "attack", "audit", "certify", "explain", "guess", "lift", "measure", "mechanisms",
    "train_language_model", "tune", "verify",
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
