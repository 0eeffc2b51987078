"""Calls of the engine whose TypeError names the argument that is missing or of the wrong type."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def clear(function: _Function) -> _Function:
    """The function of the engine. nanobind's own message lists the signature and leaves the search to the reader."""

    @functools.wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        try:
            return function(*values, **named)
        except TypeError as fault:
            if "incompatible function arguments" not in str(fault):
                raise
        raise TypeError(_reason(function, values, named))

    return call  # type: ignore[return-value]


def _reason(function: Any, values: tuple[Any, ...], named: dict[str, Any]) -> str:
    import inspect

    name = function.__name__
    text = function.__nb_signature__[0][0]
    made: dict[str, Any] = {}
    # The engine's own text: annotations stay texts, and the defaults are plain values.
    exec(f"from __future__ import annotations\n{text}: ...", made)
    signature = inspect.signature(made[name])
    try:
        bound = signature.bind(*values, **named)
    except TypeError as fault:
        return f"{name}(): {fault}; it is called as {name}{_short(signature)}"
    for argument, value in bound.arguments.items():
        wanted = signature.parameters[argument].annotation
        if wanted in ("Mechanism", "AnyMechanism", "Model") and not _is_a(value, wanted):
            kind = "sotto.Mechanism" if wanted == "AnyMechanism" else f"sotto.{wanted}"
            return f"{name}(): `{argument}=` is a {kind}, not {type(value).__name__}{_hint(value, wanted)}"
    kinds = ", ".join(f"{argument}: {signature.parameters[argument].annotation}" for argument in bound.arguments)
    return f"{name}(): an argument is of the wrong type; expected are {kinds}"


def _short(signature: Any) -> str:
    needed = [each.name for each in signature.parameters.values() if each.default is each.empty]
    return f"({', '.join([*needed, '...'])})"


def _is_a(value: Any, wanted: str) -> bool:
    from . import _engine

    return isinstance(value, getattr(_engine, wanted))


def _hint(value: Any, wanted: str) -> str:
    if wanted == "Model" and (isinstance(value, str) or hasattr(value, "__fspath__")):
        return ": open it, sotto.Model.open(path)"
    if wanted != "Model" and hasattr(value, "mechanism") and not isinstance(value.mechanism, str):
        return ": pass its `.mechanism`"
    return ""
