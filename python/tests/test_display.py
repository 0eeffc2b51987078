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
    with pytest.raises(TypeError, match="has no plot"):
        small_model.info().plot()
