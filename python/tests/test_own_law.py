"""sotto.Mechanism cannot be subclassed, and Mechanism.from_law takes the place of that."""
from __future__ import annotations

import pathlib
import pickle

import numpy
import pytest

import sotto

# docs/specification.md section 4.2, `flat` on a line: the certificate is 1.
PLACES = numpy.array([0, 1, 2.5, 4])
WEIGHTS = numpy.array([0.7310585786, 0.5486330548, 0.6351489524, 0.8175744762])
TABLE = WEIGHTS * numpy.exp(-abs(PLACES[:, None] - PLACES))


@pytest.fixture(scope="module")
def line() -> sotto.Model:
    return sotto.Model.from_words(["nurse", "doctor", "tea", "cake"], PLACES.astype(numpy.float32)[:, None])


def test_a_subclass_is_refused() -> None:
    with pytest.raises(TypeError, match=r"cannot be subclassed.*sotto.Mechanism.from_law\(model, law\)"):
        class Mine(sotto.Mechanism):  # type: ignore[misc]
            pass
    with pytest.raises(TypeError, match="cannot be subclassed"):
        type("Mine", (sotto.Mechanism,), {"law": lambda self, word: None})


def test_the_certificate_proves(line: sotto.Model) -> None:
    own = sotto.Mechanism.from_law(line, TABLE)
    assert own.status == "proven" and own.name == "own-law"
    assert own.certified_epsilon == pytest.approx(1, abs=1e-8) and own.epsilon == own.certified_epsilon
    assert sotto.certify(own).certified_epsilon == own.certified_epsilon
    assert len(own.facts["law_sha256"]) == 64
    claimed = sotto.Mechanism.from_law(line, TABLE, epsilon=0.5)
    assert claimed.status == "refuted" and "claim of 0.5 * d is false" in claimed.guarantee
    assert not sotto.certify(claimed).holds


def test_not_private_unless_proven(line: sotto.Model) -> None:
    identity = sotto.Mechanism.from_law(line, numpy.eye(4))
    assert identity.status == "not_private" and identity.epsilon == numpy.inf
    assert sotto.Privatizer(identity, warn_weak=False).status == "not_private"


def test_every_question_takes_it(line: sotto.Model, tmp_path: pathlib.Path) -> None:
    own = sotto.Mechanism.from_law(line, TABLE)
    assert own.law("tea").probabilities == pytest.approx(TABLE[2] / TABLE[2].sum(), rel=1e-12)
    assert sotto.explain("tea", own).outputs[0].word == "tea"
    expected = 1 - TABLE.max(axis=0).sum() / 4
    assert sotto.measure(own, prior="uniform").e_opt.value == pytest.approx(expected, abs=1e-9)
    assert sotto.audit(own, draws=20_000, seed_not_private=1).verdict == "pass"
    texts = sotto.Privatizer(own, warn_weak=False).privatize(["Tea, nurse!", None])
    assert texts[0].endswith("!") and texts[1] is None
    assert texts.report["status"] == "proven" and texts.report["law_sha256"] == own.facts["law_sha256"]
    lifted = sotto.lift(numpy.eye(4), own, prior="uniform").features
    assert lifted.sum(axis=1) == pytest.approx(numpy.ones(4))
    sotto.train_language_model(["nurse tea cake doctor"] * 20, line, tmp_path / "a.lm")
    assert sotto.attack(["nurse tea"], own, prior=tmp_path / "a.lm").attackers


# False-alarm rate below 1e-9: five standard deviations of 200,000 draws, four outputs.
def test_draws_follow_the_table(line: sotto.Model) -> None:
    own = sotto.Mechanism.from_law(line, TABLE)
    drawn = own.sample(numpy.full(200_000, 2, dtype=numpy.uint32), seed_not_private=3)
    shares = numpy.bincount(drawn, minlength=4) / 200_000
    law = TABLE[2] / TABLE[2].sum()
    assert (abs(shares - law) < 6.5 * numpy.sqrt(law * (1 - law) / 200_000)).all()


def test_a_function_gives_the_rows(line: sotto.Model) -> None:
    by_array = sotto.Mechanism.from_law(line, lambda word: TABLE[line.find(word)])
    by_name = sotto.Mechanism.from_law(line, lambda word: dict(zip(line.words, TABLE[line.find(word)])))
    assert by_array.facts == by_name.facts == sotto.Mechanism.from_law(line, TABLE).facts
    with pytest.raises(ValueError, match=r"row of word 0 \(counted from 0\) names an output that the model does not have"):
        sotto.Mechanism.from_law(line, lambda word: {"wine": 1.0})
    with pytest.raises(ValueError, match=r"row of word 0 .* has shape \(2,\); 4 probabilities"):
        sotto.Mechanism.from_law(line, lambda word: [0.5, 0.5])


def test_what_is_no_law(line: sotto.Model) -> None:
    with pytest.raises(ValueError, match=r"needs a matrix of shape \(4, 4\), not \(2, 2\)"):
        sotto.Mechanism.from_law(line, numpy.eye(2))
    with pytest.raises(ValueError, match="has the sum 4, not 1"):
        sotto.Mechanism.from_law(line, numpy.ones((4, 4)))
    with pytest.raises(ValueError, match="no probability"):
        sotto.Mechanism.from_law(line, numpy.full((4, 4), numpy.nan))
    with pytest.raises(TypeError, match="a matrix of numbers or a function of a word"):
        sotto.Mechanism.from_law(line, "tem")
    large = sotto.Model.from_words([f"w{i}" for i in range(5001)], numpy.arange(5001, dtype=numpy.float32)[:, None])
    with pytest.raises(ValueError, match=r"at most 5000 words.*scripts/new_mechanism.py"):
        sotto.Mechanism.from_law(large, lambda word: 1 / 0)


def test_pickled_with_its_table(line: sotto.Model, tmp_path: pathlib.Path) -> None:
    line.save(tmp_path / "line.sotto")
    own = sotto.Mechanism.from_law(sotto.Model.open(tmp_path / "line.sotto", cache=False), TABLE, epsilon=2)
    again = pickle.loads(pickle.dumps(own))
    assert again.facts == own.facts and again.epsilon == 2 and again.status == "proven"
