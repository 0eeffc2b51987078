from __future__ import annotations

import json
import pathlib

import pytest

import sotto


def test_recommendation_keeps_the_bound(small_model: sotto.Model) -> None:
    found = sotto.tune(small_model, max_loss=0.5, mechanisms=["tem"], prior="uniform")
    best = found.recommended
    assert best is not None and best.mechanism == "tem" and best.status == "proven"
    figure = best.figures["loss_changed"]
    assert figure.interval is not None and figure.interval[1] <= 0.5
    built = best.build(small_model)
    again = sotto.measure(built, prior="uniform", copies=0)
    assert again.loss_changed.value == pytest.approx(figure.value, rel=1e-9)
    assert best in found.points and json.dumps(found.to_dict())


def test_candidates_and_nothing_fits(small_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    settings = [("tem", {"epsilon": 1}), ("santext", {"epsilon": 2.5}), ("uniform", {})]
    found = sotto.tune(small_model, candidates=settings, max_loss=0.0001, resume=tmp_path / "kept.json")
    assert len(found.points) == 3 and found.recommended is None and found.nearest is not None
    assert (tmp_path / "kept.json").exists()
    again = sotto.tune(small_model, candidates=settings, max_loss=0.0001, resume=tmp_path / "kept.json")
    assert again.points == found.points


def test_labels_and_refusals(model: sotto.Model) -> None:
    labels = {"good": "yes", "great": "yes", "bad": "no", "awful": "no"}
    found = sotto.tune(model, labels=labels, words=list(labels), candidates=[("tem", {"epsilon": 3})])
    assert found.loss.name == "label"
    with pytest.raises(ValueError, match="labels"):
        sotto.tune(model, loss="label")
    with pytest.raises(ValueError, match="loss"):
        sotto.tune(model, loss="other")
    with pytest.raises(ValueError):
        sotto.tune(model, mechanisms=["no-such"])
    with pytest.raises(ValueError, match="truncated-gumbel cannot be recommended"):
        sotto.tune(model, mechanisms=["tem", "truncated-gumbel"], max_loss=0.5)
