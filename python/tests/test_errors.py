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
    with pytest.raises(ValueError, match="needs `epsilon=`"):
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


def test_messages_speak_python(model: sotto.Model, tem: sotto.Mechanism, tmp_path: pathlib.Path) -> None:
    """Keywords and functions of Python, never flags and commands of the program."""
    calls = {
        r"did you mean `epsilon=`": lambda: sotto.Mechanism("tem", model, epsilom=2),
        r"`calibration=` must be one of .*try `calibration='exact'`": lambda: sotto.Mechanism(
            "tem", model, epsilon=2, calibration="exakt"),
        r"`lambda_=` must be": lambda: sotto.Mechanism("mahalanobis", model, epsilon=2, lambda_=7),
        r"use it with `sotto.VectorMechanism`": lambda: sotto.Mechanism("privemb", model, epsilon=1, dimension=2),
        r"`sotto.mechanisms\(\)` describes": lambda: sotto.Mechanism("tim", model, epsilon=2),
        r"`max_loss=2`: it must be from 0 to 1": lambda: sotto.tune(model, max_loss=2),
        r"`prior=` .*it must be uniform": lambda: sotto.measure(tem, prior="other"),
        r"`document_budget=`": lambda: sotto.Ledger(tmp_path / "a.db", document_budget=-1),
        r"use `sensitivity='spectral'`, or `projection='orthonormal'`": lambda: sotto.VectorMechanism(
            "privemb", model=model, dimension=2, epsilon=1, projection="gaussian", sensitivity="paper"),
    }
    for expected, call in calls.items():
        with pytest.raises((ValueError, KeyError), match=expected) as fault:
            call()
        assert "--" not in str(fault.value)


def test_a_limit_speaks_python(tem: sotto.Mechanism, tmp_path: pathlib.Path) -> None:
    private = sotto.Privatizer(tem, ledger=sotto.Ledger(tmp_path / "b.db"))
    private.privatize(["tea"], documents=["one"])
    with pytest.raises(sotto.LimitReached, match="`document_budget=`") as fault:
        private.privatize(["tea"], documents=["one"])
    assert "document-budget" not in str(fault.value)


def test_missing_arguments_are_named(model: sotto.Model, tem: sotto.Mechanism) -> None:
    private = sotto.Privatizer(tem)
    calls = {
        r"Mechanism\(\) needs a name, such as 'tem'": lambda: sotto.Mechanism(),
        r"Mechanism\(\) needs `model=`: sotto.Model.default": lambda: sotto.Mechanism("tem", epsilon=2),
        r"the name first": lambda: sotto.Mechanism(model, "tem", epsilon=2),
        r"the name is a str, not int": lambda: sotto.Mechanism(3, model),
        r"not a path: sotto.Model.open": lambda: sotto.Mechanism("tem", "glove.sotto", epsilon=2),
        r"certify\(\): missing a required argument: 'mechanism'": lambda: sotto.certify(),
        r"explain\(\): missing a required argument: 'mechanism'": lambda: sotto.explain("doctor"),
        r"unexpected keyword argument 'tops'": lambda: sotto.explain("doctor", tem, tops=3),
        r"`mechanism=` is a sotto.Mechanism, not Privatizer: pass its `.mechanism`": lambda: sotto.measure(private),
        r"`model=` is a sotto.Model, not str: open it": lambda: sotto.tune("glove.sotto"),
    }
    for expected, call in calls.items():
        with pytest.raises(TypeError, match=expected):
            call()


def test_a_word_of_python_is_a_parameter(model: sotto.Model) -> None:
    assert sotto.Mechanism("mahalanobis", model, epsilon=2, lambda_=0.5).parameters["lambda"] == "0.5"
