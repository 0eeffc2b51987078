"""Calls of the engine whose TypeError is a sentence: which argument is missing, or of the wrong type."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Object = TypeVar("_Object")
_PATH = "str | os.PathLike[str]"

# What the signatures of the engine name, in words. Types that are not here are named as they stand there.
_WORDS = {
    "str": "a str", "int": "a whole number", "float": "a number", "bool": "True or False", "Sequence[str]": "a list of str",
    "Iterable[str]": "a list of str", "Mapping[str, Any]": "a dict", "Mechanism": "a sotto.Mechanism",
    "AnyMechanism": "a sotto.Mechanism", "Model": "a sotto.Model", "Ledger": "a sotto.Ledger", "os.PathLike[str]": "a path",
    "NDArray[numpy.float32]": "a NumPy array of numbers with two dimensions",
    "NDArray[numpy.uint32]": "a NumPy array of uint32", "NDArray[Any]": "a NumPy array of numbers with two dimensions",
    "Sequence[tuple[str, str]]": "a list of pairs of str", "None": "None",
    "OwnLaw": "a matrix of probabilities, or a function that gives the row of a word",
    "Iterable[tuple[str, Mapping[str, Parameter]]]": "a list of pairs, each a name and a dict of parameters",
    f"Sequence[{_PATH}]": "a list of paths",
}


def clear(function: _Function) -> _Function:
    """The function of the engine. nanobind's own message lists the signature and leaves the search to the reader."""

    @functools.wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        try:
            return function(*values, **named)
        except TypeError as fault:
            if "incompatible function arguments" not in str(fault):
                raise
        except RuntimeError as fault:
            if str(fault) != "std::bad_cast":
                raise
        raise TypeError(_reason(function, function.__name__.lstrip("_"), values, named))

    return call  # type: ignore[return-value]


def made(name: str, kind: type[_Object], *values: Any) -> _Object:
    """An object of a class of the engine, made for the class `name` of the package."""
    try:
        return kind(*values)
    except TypeError as fault:
        if "incompatible function arguments" not in str(fault):
            raise
    raise TypeError(_reason(kind.__init__, name, (None, *values), {}))


def clear_methods(*classes: type) -> None:
    """clear() for every public method. Constructors are not reached this way: the engine's check their arguments."""
    for each in classes:
        for name, function in list(vars(each).items()):
            kind = type(function).__name__
            if not name.startswith("_") and kind in ("nb_func", "nb_method"):
                setattr(each, name, staticmethod(clear(function)) if kind == "nb_func" else clear(function))


def as_made(*classes: type) -> None:
    """Undoes clear_methods(), for the tool that makes the stub: it reads the engine's own functions."""
    for each in classes:
        for name, function in list(vars(each).items()):
            wrapped = getattr(getattr(function, "__func__", function), "__wrapped__", None)
            if type(wrapped).__name__ in ("nb_func", "nb_method"):
                setattr(each, name, wrapped)


def _reason(function: Any, name: str, values: tuple[Any, ...], named: dict[str, Any]) -> str:
    faults = []
    for signature in _signatures(function):
        try:
            bound = signature.bind(*values, **named)
        except TypeError as fault:
            return f"{name}(): {fault}; it is called as {name}{_short(signature)}"
        kinds = {argument: signature.parameters[argument].annotation for argument in bound.arguments if argument != "self"}
        faults.append([f"`{argument}=` is {_in_words(kind)}, not {_given(bound.arguments[argument], kind)}"
                       for argument, kind in kinds.items() if not _fits(bound.arguments[argument], kind)])
        if not faults[-1]:
            rules = ", ".join(f"`{argument}=` is {_in_words(kind)}" for argument, kind in kinds.items())
            return f"{name}(): an argument is out of range or of the wrong type; {rules}"
    return f"{name}(): {min(faults, key=len)[0]}"  # of overloads, the one that was meant


def _signatures(function: Any) -> list[Any]:
    """From the engine's own text: annotations stay texts, and the defaults are plain values."""
    import inspect

    found = []
    for text in function.__nb_signature__[0][0].split("@overload\n"):
        if text:
            names: dict[str, Any] = {}
            exec(f"from __future__ import annotations\n{text.rstrip().removesuffix(': ...')}: ...", names)
            found.append(inspect.signature(names[function.__name__]))
    return found


def _in_words(wanted: Any) -> str:
    if wanted in _WORDS:
        return _WORDS[wanted]
    parts = [_WORDS.get(part, part) for part in str(wanted).split(" | ")]
    return " or ".join(["a path" if f"{wanted}".startswith(_PATH) and part == "a str" else part
                        for part in parts if not (part == "a path" and str(wanted).startswith(_PATH))])


def _short(signature: Any) -> str:
    taken = [each for each in signature.parameters.values() if each.name != "self"]
    needed = [each.name for each in taken if each.default is each.empty]
    return f"({', '.join([*needed, *(['...'] if len(taken) > len(needed) else [])])})"


def _fits(value: Any, wanted: Any) -> bool:
    """False only if the value is surely of another type."""
    from . import _engine

    if " | " in str(wanted):
        return any(_fits(value, part) for part in str(wanted).split(" | "))
    if wanted in ("Mechanism", "AnyMechanism", "Model", "Ledger"):
        return isinstance(value, getattr(_engine, wanted))
    if wanted == "os.PathLike[str]":
        return hasattr(value, "__fspath__")
    if wanted == "int":
        return hasattr(value, "__index__") and not isinstance(value, bool)
    if wanted == "float":
        return hasattr(value, "__float__") and not isinstance(value, str)
    if wanted in ("Sequence[str]", "Iterable[str]"):
        return not isinstance(value, (str, bytes)) and hasattr(value, "__iter__") and (
            not isinstance(value, (list, tuple)) or all(isinstance(each, str) for each in value))
    if str(wanted).startswith(("Sequence[", "Iterable[")):
        return not isinstance(value, (str, bytes)) and hasattr(value, "__iter__")
    if str(wanted).startswith("NDArray"):
        return hasattr(value, "__array__") and getattr(value, "ndim", None) == (1 if "uint32" in wanted else 2)
    plain = {"str": str, "bool": bool, "None": type(None)}.get(wanted)
    return plain is None or isinstance(value, plain)


def _given(value: Any, wanted: str) -> str:
    """The type of the value, and what to do about it where that is likely."""
    kind = type(value).__name__
    if wanted == "Model" and (isinstance(value, str) or hasattr(value, "__fspath__")):
        return f"{kind}: open it, sotto.Model.open(path)"
    if wanted in ("Mechanism", "AnyMechanism") and hasattr(value, "mechanism") and not isinstance(value.mechanism, str):
        return f"{kind}: pass its `.mechanism`"
    if wanted.startswith("NDArray") and isinstance(value, (list, tuple)):
        return f"{kind}: numpy.array(...) makes one"
    if wanted.startswith("NDArray") and hasattr(value, "ndim"):
        return f"{kind} with {value.ndim} dimension{'' if value.ndim == 1 else 's'}"
    if wanted in ("Sequence[str]", "Iterable[str]") and isinstance(value, (list, tuple)):
        return f"{kind} with {next(type(each).__name__ for each in value if not isinstance(each, str))}"
    return kind
