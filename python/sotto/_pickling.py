"""What pickles of the engine's objects name: configuration and a model's path, never random state."""
from __future__ import annotations

from typing import Any

from . import _engine
from ._engine import Ledger, Mechanism, Model, VectorMechanism


def reopen(path: str, cache: str, identity: str) -> Model:
    """ValueError if the file holds another model by now. Models of one process are shared."""
    return _engine._reopen(path, cache, identity)


def rebuild(name: str, model: Model, texts: dict[str, str], threads: int) -> Mechanism:
    return _engine._rebuild(name, model, texts, threads)


def rebuild_law(model: Model, table: Any, epsilon: float | None, metric: str, threads: int) -> Mechanism:
    return _engine._rebuild_law(model, table, epsilon, metric, threads)


def rebuild_vectors(name: str, model: Model | None, dim: int, texts: dict[str, str], threads: int) -> VectorMechanism:
    return _engine._rebuild_vectors(name, model, dim, texts, threads)


def reopen_ledger(location: str, key: str, document_budget: str, subject_budget: str) -> Ledger:
    """OSError or ValueError if the ledger or its key is not there: it is never made again."""
    return _engine._reopen_ledger(location, key, document_budget, subject_budget)
