"""Answers are the program's JSON with attributes: one class for all of them."""
from __future__ import annotations

import copy
import json
import pickle

import pytest

import sotto
from sotto._answers import _RENAMED

GIVEN = {"model": {"name": "tiny"}, "pairs": [{"first": "a", "loss": 0.5}, {"first": "b", "loss": None}], "n": 3}


def test_keys_are_attributes_and_items() -> None:
    answer = sotto.Answer(GIVEN)
    assert answer.model.name == answer["model"]["name"] == "tiny"
    assert isinstance(answer.pairs, tuple) and answer.pairs[1].loss is None
    assert list(answer) == list(GIVEN) and {"model", "pairs", "n", "to_dict"} <= set(dir(answer))
    assert answer.to_dict() == GIVEN == json.loads(answer.to_json()) and type(answer.to_dict()["pairs"][0]) is dict
    assert answer == sotto.Answer(GIVEN) != sotto.Answer({}) and hash(answer) == hash(sotto.Answer(GIVEN))
    assert pickle.loads(pickle.dumps(answer)) == copy.deepcopy(answer) == answer


def test_immutable() -> None:
    answer = sotto.Answer(GIVEN)
    with pytest.raises(AttributeError, match="to_dict"):
        answer.n = 4
    with pytest.raises(AttributeError, match="to_dict"):
        del answer.n
    with pytest.raises(TypeError):
        answer["n"] = 4  # type: ignore[index]


def test_repr_reads_well() -> None:
    assert repr(sotto.Answer({"first": "a", "loss": 0.5})) == "Answer(first='a', loss=0.5)"
    assert repr(sotto.Answer({**GIVEN, "pairs": GIVEN["pairs"] * 9})) == (  # type: ignore[operator]
        "Answer:\n  model: Answer(name='tiny')\n  pairs: 18 items\n  n: 3")


def test_old_names_name_the_new_ones(small_model: sotto.Model) -> None:
    certificate = sotto.certify(sotto.Mechanism("tem", small_model, epsilon=2))
    for old in ("realised_epsilon", "largest_loss", "bands", "median_nearest"):
        assert _RENAMED[old] in certificate
        with pytest.raises(AttributeError, match=f"'{old}': it is called '{_RENAMED[old]}'"):
            getattr(certificate, old)
    with pytest.raises(AttributeError, match="it has .*certified_epsilon"):
        certificate.no_such_name  # noqa: B018
    with pytest.raises(AttributeError, match="'loss_meaning': it is called 'loss'"):
        sotto.tune(small_model, candidates=[("uniform", {})]).loss_meaning  # noqa: B018
