"""Answers for people: printed tables, HTML, DataFrames, plots."""
from __future__ import annotations

import re

import pytest

import sotto


@pytest.fixture(scope="module")
def explained(small_model: sotto.Model) -> sotto.Answer:
    return sotto.explain(small_model.words[3], sotto.Mechanism("tem", small_model, epsilon=2))


def test_print_is_a_short_table(explained: sotto.Answer) -> None:
    lines = str(explained).splitlines()
    assert lines[0].startswith(f"word {explained.word}; mechanism tem; parameters ")
    assert lines[1].split() == ["word", "p"]
    assert lines[2].split()[0] == explained.outputs[0].word
    assert len(lines) <= 15


def test_every_answer_prints_a_short_table(small_model: sotto.Model) -> None:
    """Also those that are about pairs, guesses or checks; a dump of all keys is no table."""
    tem = sotto.Mechanism("tem", small_model, epsilon=2)
    few = sotto.Model.from_words(small_model.words[:20], small_model.vectors[:20].copy())
    own = sotto.Mechanism.from_law(few, lambda word: {each: 0.62 if each == word else 0.02 for each in few.words}, epsilon=9)
    flat = sotto.Mechanism.from_law(few, lambda word: [1 / 20] * 20, epsilon=1)
    answers = {
        "mechanism own-law; .*certified_epsilon": sotto.certify(own),
        "status proven; strength ok; verdict epsilon 1 is claimed": sotto.certify(flat),
        "verdict pass": sotto.audit(tem, pairs=3, draws=1000, seed_not_private=1),
        "output +guess +posterior": sotto.guess(" ".join(small_model.words[3:6]), tem),
        "verdict the report follows": sotto.verify(sotto.Privatizer(tem).report, small_model),
        "name +words +prior": sotto.measure(own),
    }
    for expected, answer in answers.items():
        shown = str(answer)
        assert re.search(expected, shown), shown
        assert "schema:" not in shown and len(shown.splitlines()) <= 16, shown
        assert "<table>" in answer._repr_html_()


def test_html_escapes_what_a_model_holds() -> None:
    answer = sotto.Answer({"outputs": [{"word": "<script>", "p": 0.5}], "mechanism": "a & b"})
    html = answer._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "a &amp; b" in html


# An upper bound that is printed with fewer digits must still be one.
@pytest.mark.parametrize("value", [1.3793649449, 1e-9, 123456.7, 0.99999999, 2.0, 1.379, 9999.5])
def test_bounds_are_rounded_up(value: float) -> None:
    shown = str(sotto.Answer({"points": [{"mechanism": "tem", "certified_epsilon": value}]}))
    printed = float(shown.splitlines()[-1].split()[-1])
    assert value <= printed <= value * 1.001 + 1e-12


def test_certificates_and_tunings(small_model: sotto.Model) -> None:
    certificate = sotto.certify(sotto.Mechanism("tem", small_model, epsilon=2))
    frame = pytest.importorskip("pandas") and certificate.to_pandas()
    assert list(frame.columns[:2]) == ["first", "second"] and len(frame) == len(certificate.distance_bands)
    tuned = sotto.tune(small_model, candidates=[("tem", {"epsilon": 1}), ("tem", {"epsilon": 4}), ("uniform", {})])
    frame = tuned.to_pandas()
    assert len(frame) == len(tuned.points) and {"mechanism", "parameters", "e_opt", "e_opt_low"} <= set(frame.columns)
    assert frame["e_opt"].tolist() == [point.figures.e_opt.value for point in tuned.points]
    assert re.search(r"^mechanism +parameters", str(tuned), re.MULTILINE)


def test_plots(explained: sotto.Answer, small_model: sotto.Model) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = explained.plot()
    assert len(axes.patches) == len(explained.outputs)
    certificate = sotto.certify(sotto.Mechanism("tem", small_model, epsilon=2))
    assert certificate.plot().get_xlabel() == "distance of two words"
    measured = sotto.measure(sotto.Mechanism("tem", small_model, epsilon=2), words=list(small_model.words[:20]))
    assert measured.plot().get_xlabel().startswith("E_opt")
    with pytest.raises(TypeError, match="has no plot"):
        small_model.info().plot()
