"""A privatiser as plain values: what scikit-learn, spaCy, Presidio and Spark keep, compare and send to other
processes.

The engine's objects are made from it where they are used, once per process. A model that came from a file
travels as path and identity; random state never does, so every process draws its own."""

from __future__ import annotations

import functools
import keyword
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sotto

ModelPlace = str | os.PathLike[str] | sotto.Model | None


def keyword_of(name: str) -> str:
    """The Python keyword of a registry name: `projection-seed` is projection_seed, `lambda` is lambda_."""
    word = name.replace("-", "_")
    return word + "_" if keyword.iskeyword(word) else word


def _plain(value: Any) -> Any:
    """A value that can be hashed and that a grid search may have taken from a NumPy array."""
    if isinstance(value, (list, tuple)):
        return tuple(_plain(each) for each in value)
    return value.item() if hasattr(value, "item") else value


def given(parameters: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Registry names and values of what is not None: None leaves the default to the engine."""
    names = {keyword_of(each.name): each.name for entry in sotto.mechanisms() for each in entry.parameters}
    # An unknown keyword goes on as it is: the engine's refusal names what is allowed.
    pairs = (
        (names.get(word, word), _plain(value)) for word, value in parameters.items() if value is not None
    )
    return tuple(sorted(pairs))


@functools.lru_cache(maxsize=4)
def _opened(path: str | None, cache: bool | str, stamp: tuple[int, ...]) -> sotto.Model:
    return sotto.Model.default() if path is None else sotto.Model.open(path, cache=cache)


def _open(path: str | None, cache: bool | str = True) -> sotto.Model:
    """One mapping per process, a new one if the file was replaced."""
    try:
        found = os.stat(path) if path is not None else None
    except OSError:
        found = None  # the engine says what is wrong with the path
    return _opened(path, cache, (found.st_ino, found.st_mtime_ns, found.st_size) if found else ())


@dataclass(frozen=True)
class Configuration:
    """Hashable and picklable. `identity` is the model's where this was made; another one is refused.

    `model` is a Model only if it has no file; pickling then fails with the engine's advice to save it.
    """

    mechanism: str
    model: str | sotto.Model | None
    identity: str | None
    parameters: tuple[tuple[str, Any], ...]
    options: tuple[tuple[str, Any], ...] = ()
    cache: bool | str = True  # of Model.open

    @classmethod
    def of(
        cls, mechanism: str, model: ModelPlace, parameters: Mapping[str, Any], **options: Any
    ) -> Configuration:
        """Opens the model (None: the default one) to note its identity. Options are those of Privatizer."""
        place: str | sotto.Model | None
        cache: bool | str = True
        if not isinstance(model, sotto.Model):
            place = None if model is None else os.path.abspath(model)
            identity = _open(place).identity
        elif model.path is None:
            place, identity = model, model.identity
        else:
            place, cache, identity = model.__reduce__()[1]  # as it would be pickled
        return cls(mechanism, place, identity, given(parameters), given(options), cache)

    def opened_model(self, find: Callable[[str], str] = str) -> sotto.Model:
        """`find` may know where this machine keeps the file."""
        if isinstance(self.model, sotto.Model):
            return self.model
        model = _open(None if self.model is None else find(self.model), self.cache)
        if self.identity is not None and model.identity != self.identity:
            raise ValueError(
                f"the model {self.model or '(default)'} has identity {model.identity[:16]}... here, "
                f"{self.identity[:16]}... where this was configured: install the same file on every machine"
            )
        return model

    def privatizer(self, find: Callable[[str], str] = str) -> sotto.Privatizer:
        """The same object at every call in one process."""
        return _privatizer(self, find)


def _keywords(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in pairs}


@functools.lru_cache(maxsize=8)
def _privatizer(configuration: Configuration, find: Callable[[str], str]) -> sotto.Privatizer:
    model = configuration.opened_model(find)
    mechanism = sotto.Mechanism(
        configuration.mechanism, model, progress=False, **_keywords(configuration.parameters)
    )
    return sotto.Privatizer(mechanism, **_keywords(configuration.options))


@functools.lru_cache(maxsize=8)
def vector_mechanism(
    name: str, model: Configuration | None, dimension_in: int, parameters: tuple[tuple[str, Any], ...]
) -> sotto.VectorMechanism:
    """The same object at every call in one process; `model` carries where the public vectors are, if any."""
    opened = model.opened_model() if model is not None else None
    return sotto.VectorMechanism(name, model=opened, dimension_in=dimension_in, **_keywords(parameters))
