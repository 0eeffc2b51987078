"""What pickles of the engine's objects name: configuration and a model's path, never random state."""
from __future__ import annotations

from . import _engine
from ._engine import Mechanism, Model, VectorMechanism


def reopen(path: str, cache: str, identity: str) -> Model:
    """ValueError if the file holds another model by now. Models of one process are shared."""
    return _engine._reopen(path, cache, identity)


def rebuild(name: str, model: Model, texts: dict[str, str], threads: int) -> Mechanism:
    return _engine._rebuild(name, model, texts, threads)


def rebuild_vectors(name: str, model: Model | None, dim: int, texts: dict[str, str], threads: int) -> VectorMechanism:
    return _engine._rebuild_vectors(name, model, dim, texts, threads)
