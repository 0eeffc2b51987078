from __future__ import annotations

import json
import math
import pathlib

import numpy
import pytest

import sotto


def test_against_the_laws(small_model: sotto.Model) -> None:
    """E_opt = 1 - sum over outputs of the largest prior * probability."""
    tem = sotto.Mechanism("tem", small_model, epsilon=2)
    weights = {word: float(i + 1) for i, word in enumerate(small_model.words)}
    found = sotto.measure(tem, prior=weights)
    prior = numpy.array(list(weights.values())) / sum(weights.values())
    joint = prior[:, None] * numpy.array([tem.law(word).probabilities for word in small_model.words])
    assert found.closed_law and found.e_opt.kind == "exact" and found.e_opt.value is not None
    assert math.isclose(found.e_opt.value, 1 - joint.max(axis=0).sum(), rel_tol=1e-9)
    assert math.isclose(found.loss_changed.value or 0, 1 - joint.trace(), rel_tol=1e-9)
    assert found.figures["e_opt"] == found.e_opt
    assert json.loads(json.dumps(found.to_dict()))["bands"][0]["figures"]["e_opt"]["kind"] == "exact"
    with pytest.raises(AttributeError):
        found.no_such_figure  # noqa: B018


def test_priors(model: sotto.Model, tmp_path: pathlib.Path) -> None:
    tem = sotto.Mechanism("tem", model, epsilon=2)
    (tmp_path / "counts.tsv").write_text("doctor\t3\nnurse\t1\nqqqq\t5\n")
    by_file = sotto.measure(tem, prior=f"counts:{tmp_path}/counts.tsv", copies=0)
    by_mapping = sotto.measure(tem, prior={"Doctor": 3, "nurse": 1, "qqqq": 5}, copies=0)
    assert by_file.e_opt.value == by_mapping.e_opt.value and by_mapping.prior["unknown"] == 1
    assert sotto.measure(tem, words=["doctor", "nurse"], copies=0).constant_guess.value == 0.5
    labels = {"good": "yes", "great": "yes", "bad": "no", "awful": "no"}
    labelled = sotto.measure(tem, words=list(labels), labels=labels, copies=0)
    assert labelled.e_opt_label.value is not None
    with pytest.raises(ValueError, match="prior"):
        sotto.measure(tem, prior="other")
    with pytest.raises(OSError):
        sotto.measure(tem, prior="counts:/no/such/file")


def test_by_draws(small_model: sotto.Model) -> None:
    laplace = sotto.Mechanism("laplace", small_model, epsilon=5)
    found = sotto.measure(laplace, prior="uniform", draws=20_000, copies=0, seed_not_private=1)
    assert not found.closed_law and found.draws > 0 and found.e_opt.kind == "bracket" and found.e_opt.bracket
