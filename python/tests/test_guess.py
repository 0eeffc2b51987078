"""sotto.guess: the best guess from a release alone, against the definition."""
from __future__ import annotations

import numpy
import pytest

import sotto


def test_the_guess_is_the_largest_posterior(small_model: sotto.Model) -> None:
    tem = sotto.Mechanism("tem", small_model, epsilon=2)
    prior = 1 / (numpy.arange(len(small_model)) + 1 + 2.7)
    joint = prior[:, None] * numpy.array([tem.law(word).probabilities for word in small_model.words])
    posteriors = joint / joint.sum(axis=0)
    answer = sotto.guess(", ".join(small_model.words), tem)
    assert [own.output for own in answer.guesses] == list(small_model.words)
    for own, column in zip(answer.guesses, posteriors.T):
        assert own.guess == small_model.words[int(column.argmax())]
        assert own.posterior == pytest.approx(column.max(), rel=1e-4)


def test_what_is_no_output_has_no_guess(small_model: sotto.Model) -> None:
    answer = sotto.guess("qqqq!", sotto.Mechanism("tem", small_model, epsilon=2))
    assert [own.to_dict() for own in answer.guesses] == [{"output": "qqqq", "guess": None, "posterior": None}]


def test_a_law_without_closed_form_is_refused(small_model: sotto.Model) -> None:
    with pytest.raises(ValueError, match="closed form"):
        sotto.guess("qqqq", sotto.Mechanism("laplace", small_model, epsilon=2))
