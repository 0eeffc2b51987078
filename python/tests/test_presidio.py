"""The Presidio operator."""

import pytest

pytest.importorskip("presidio_anonymizer")

import sotto.presidio
from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import InvalidParamError, OperatorConfig, RecognizerResult
from presidio_anonymizer.operators import OperatorType

TEXT = "The doctor from London called my sister."


def engine():
    anonymizer = AnonymizerEngine()
    anonymizer.add_anonymizer(sotto.presidio.SottoOperator)
    return anonymizer


def found(*words):
    return [RecognizerResult("THING", TEXT.index(word), TEXT.index(word) + len(word), 0.9) for word in words]


def test_spans_are_replaced_and_the_rest_stays(model_path):
    operators = {"THING": OperatorConfig("sotto", {"epsilon": 1, "model": model_path})}
    seen = set()
    for _ in range(50):
        text = engine().anonymize(TEXT, found("doctor", "London"), operators).text
        words = text.split()
        assert words[0] == "The" and words[2] == "from" and words[4:] == ["called", "my", "sister."]
        seen.add((words[1], words[3]))
    assert len(seen) > 40, "fresh noise at every call"


def test_a_span_of_several_words_keeps_their_number(model_path):
    operators = {"THING": OperatorConfig("sotto", {"epsilon": 1, "model": model_path, "unknown": "anchor"})}
    text = engine().anonymize(TEXT, found("doctor from London"), operators).text
    assert len(text.split()) == len(TEXT.split())


def test_declared_not_private():
    assert sotto.presidio.STATUS == "not_private"
    operator = sotto.presidio.SottoOperator()
    assert operator.operator_name() == "sotto" and operator.operator_type() is OperatorType.Anonymize


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": 1, "mechanism": "no such"}, "no such"),
        ({"epsilon": 1, "model": "/no/such/file"}, "/no/such/file"),
        ({"epsilon": 1, "unknown": "perhaps"}, "perhaps"),
    ],
)
def test_the_engine_judges_in_validate(model_path, params, message):
    with pytest.raises(InvalidParamError, match=message):
        sotto.presidio.SottoOperator().validate({"model": model_path, **params})
    with pytest.raises(InvalidParamError):
        engine().anonymize(
            TEXT, found("doctor"), {"THING": OperatorConfig("sotto", {"model": model_path, **params})}
        )
