"""Each kind of fault has its exception, with the engine's message, which never quotes private text."""
from __future__ import annotations

import pathlib
import traceback

import numpy
import pytest

import sotto
from conftest import CANARY


def test_kinds(model: sotto.Model, tem: sotto.Mechanism, tmp_path: pathlib.Path) -> None:
    with pytest.raises(KeyError, match="mechanisms are tem"):
        sotto.Mechanism("no-such", model, epsilon=1)
    with pytest.raises(ValueError, match="needs `epsilon`"):
        sotto.Mechanism("tem", model)
    with pytest.raises(ValueError, match="finite number above 0"):
        sotto.Mechanism("tem", model, epsilon=-1)
    with pytest.raises(ValueError):
        sotto.Mechanism("tem", model, epsilon=float("nan"))
    with pytest.raises(ValueError):
        sotto.Mechanism("tem", model, epsilon=2, no_such_parameter=1)
    with pytest.raises(TypeError):
        sotto.Mechanism("tem", model, epsilon=object())  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        sotto.Mechanism("tem", 3, epsilon=1)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        tem.law("qqqq")
    with pytest.raises(KeyError):
        model.vector("qqqq")
    with pytest.raises(OSError, match="cannot open"):
        sotto.Model.open(tmp_path / "none.sotto")
    bad = tmp_path / "bad.sotto"
    bad.write_bytes(b"not a model" * 100)
    with pytest.raises(ValueError):
        sotto.Model.open(bad)
    with pytest.raises(AttributeError):
        sotto.no_such_name  # type: ignore[attr-defined]  # noqa: B018


def test_no_fault_quotes_the_text(model: sotto.Model, tem: sotto.Mechanism) -> None:
    private = sotto.Privatizer(tem)
    surrogate = f"{CANARY} \udc80"
    calls = [
        lambda: private.privatize(["fine", surrogate]),
        lambda: private.privatize([CANARY.encode()]),
        lambda: private.privatize([[CANARY]]),
        lambda: private.privatize(numpy.array([surrogate], dtype=object)),
        lambda: private.privatize({CANARY: 1}),
        lambda: private.privatize(CANARY),
        lambda: list(private.privatize(iter([surrogate]))),
        lambda: tem.law(CANARY),
        lambda: tem.law(surrogate),
        lambda: tem.sample([CANARY]),
        lambda: tem.sample([surrogate]),
        lambda: model.vector(CANARY),
        lambda: sotto.Privatizer(tem, anchor=CANARY),
        lambda: sotto.measure(tem, prior={CANARY: 1}),
        lambda: sotto.measure(tem, prior={f"{CANARY}\n": 1}),
        lambda: sotto.measure(tem, words=[CANARY]),
        lambda: sotto.measure(tem, labels={CANARY: CANARY}),
        lambda: sotto.measure(tem, prior={surrogate: 1}),
    ]
    for number, call in enumerate(calls):
        try:
            call()
        except (ValueError, KeyError, TypeError) as fault:
            shown = "".join(traceback.format_exception_only(type(fault), fault)) + repr(fault.__dict__)
            assert CANARY not in shown, number
            assert fault.__context__ is None and not isinstance(fault, UnicodeError), number
        else:
            pytest.fail(f"call {number} was not refused")


def test_place_of_a_bad_text(tem: sotto.Mechanism) -> None:
    texts = ["fine", None, "x\udc80"]
    with pytest.raises(ValueError, match="text 2 "):
        sotto.Privatizer(tem).privatize(texts)
