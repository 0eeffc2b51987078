from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sotto


def test_claim(tem: sotto.Mechanism, model: sotto.Model) -> None:
    assert tem.status == "proven" and "exp(2 *" in tem.guarantee and tem.epsilon == 2 and tem.name == "tem"
    assert tem.model is model
    assert tem.parameters["epsilon"] == "2" and tem.parameters["calibration"] == "paper"


def test_status_of_others(model: sotto.Model) -> None:
    assert sotto.Mechanism("identity", model).status == "not_private"
    assert sotto.Mechanism("vickrey", model, epsilon=5, t=0.5, exclude_input=True).status != "proven"


@pytest.mark.parametrize("value", [2, 2.0, "2", numpy.float32(2), numpy.int64(2), numpy.float64(2)])
def test_one_meaning_of_a_number(model: sotto.Model, value: float) -> None:
    assert sotto.Mechanism("tem", model, epsilon=value).parameters["epsilon"] == "2"


def test_parameters_as_texts(model: sotto.Model) -> None:
    assert sotto.Mechanism("tem", model, epsilon=0.1 + 0.2).parameters["epsilon"] == repr(0.1 + 0.2)
    assert sotto.Mechanism("tem", model, epsilon=1, gamma=math.inf).parameters["gamma"] == "inf"
    flagged = sotto.Mechanism("vickrey", model, epsilon=5, t=0.5, exclude_input=False)
    assert flagged.parameters.get("exclude-input", "false") == "false"
    # None is the default, whatever that is.
    assert sotto.Mechanism("tem", model, epsilon=1, beta=None).parameters == \
        sotto.Mechanism("tem", model, epsilon=1).parameters


def test_alias(model: sotto.Model) -> None:
    assert sotto.Mechanism("santext", model, epsilon=1).name == "tem"


@settings(max_examples=25, deadline=None)
@given(data=st.data(), epsilon=st.floats(0.01, 50))
def test_law_sums_to_one(model: sotto.Model, data: st.DataObject, epsilon: float) -> None:
    word = data.draw(st.sampled_from(model.words))
    law = sotto.Mechanism("tem", model, epsilon=epsilon).law(word)
    assert len(law.words) == len(law.probabilities) == len(model)
    assert math.isclose(law.probabilities.sum(), 1, abs_tol=1e-9) and (law.probabilities >= 0).all()


def test_law_is_the_engines_vector(tem: sotto.Mechanism) -> None:
    law = tem.law("doctor")
    assert law.probabilities.dtype == numpy.float64 and law.probabilities.flags.c_contiguous
    # The array stands on the moved vector: it owns nothing of its own, and nobody else can see the memory.
    assert not law.probabilities.flags.owndata and law.probabilities.flags.writeable
    assert not numpy.shares_memory(law.probabilities, tem.law("doctor").probabilities)
    numpy.testing.assert_allclose(numpy.exp(tem.log_law("doctor")), law.probabilities, rtol=1e-14)
    assert law.words is tem.model.words


def test_top(tem: sotto.Mechanism) -> None:
    law = tem.law("doctor")
    top = law.top(5)
    assert top == sorted(zip(law.words, law.probabilities.tolist()), key=lambda pair: -pair[1])[:5]
    assert top[0][0] == "doctor" and len(law.top(10**9)) == len(law.words) and law.top(0) == []


def test_law_of_redact_and_without_closed_form(model: sotto.Model) -> None:
    law = sotto.Mechanism("redact", model, token="[x]").law("doctor")
    assert law.words == ("[x]",) and law.probabilities.tolist() == [1.0]
    with pytest.raises(ValueError, match="sample"):
        sotto.Mechanism("laplace", model, epsilon=10).law("doctor")


def test_sample_follows_the_law(model: sotto.Model) -> None:
    """Chi-squared over the common outputs, seeded; false alarm below 1e-6 for another seed."""
    tem = sotto.Mechanism("tem", model, epsilon=6)
    law = tem.law("doctor")
    draws = 40_000
    number = model.find("doctor")
    drawn = tem.sample(numpy.full(draws, number, dtype=numpy.uint32), seed_not_private=1)
    expected = law.probabilities * draws
    counts = numpy.bincount(drawn, minlength=len(model))
    common = expected >= 10
    cells = numpy.append(counts[common], counts[~common].sum())
    wanted = numpy.append(expected[common], expected[~common].sum())
    statistic = float((((cells - wanted) ** 2) / wanted).sum())
    freedom = len(cells) - 1
    assert statistic < freedom + 6 * math.sqrt(2 * freedom) + 12


def test_sample_like_the_input(tem: sotto.Mechanism) -> None:
    words = tem.sample(["doctor", "Doctor"])
    assert isinstance(words, list) and all(word in tem.model for word in words)
    ids = tem.sample(numpy.array([1, 2, 3], dtype=numpy.uint32))
    assert ids.dtype == numpy.uint32 and ids.shape == (3,)
    assert tem.sample([]) == [] and tem.sample(numpy.empty(0, dtype=numpy.uint32)).shape == (0,)
    assert set(sotto.Mechanism("redact", tem.model).sample(["doctor"])) == {"[word]"}


def test_seeded_samples_do_not_depend_on_threads(model: sotto.Model) -> None:
    ids = numpy.arange(20_000, dtype=numpy.uint32) % len(model)
    one = sotto.Mechanism("tem", model, epsilon=2, threads=1).sample(ids, seed_not_private=7)
    three = sotto.Mechanism("tem", model, epsilon=2, threads=3).sample(ids, seed_not_private=7)
    assert (one == three).all()
    assert (one != sotto.Mechanism("tem", model, epsilon=2).sample(ids)).any()


def test_sample_refuses(tem: sotto.Mechanism) -> None:
    with pytest.raises(ValueError):
        tem.sample(numpy.array([len(tem.model)], dtype=numpy.uint32))
    for bad in ("doctor", numpy.array([1]), [1]):
        with pytest.raises(TypeError):
            tem.sample(bad)  # type: ignore[call-overload]


def test_vectors(model: sotto.Model) -> None:
    mechanism = sotto.VectorMechanism("privemb", dimension_in=20, dimension=5, epsilon=10)
    assert (mechanism.input_dim, mechanism.output_dim, mechanism.status) == (20, 5, "proven")
    rows = numpy.random.default_rng(1).normal(size=(1000, 20))
    before = rows.copy()
    out = mechanism.release(rows)
    assert out.shape == (1000, 5) and out.dtype == numpy.float64 and (rows == before).all()
    assert (mechanism.release(rows) != out).all()
    # The same projection and noise, whatever the layout or type of the input.
    seeded = mechanism.release(rows, seed_not_private=3)
    numpy.testing.assert_array_equal(seeded, mechanism.release(numpy.asfortranarray(rows), seed_not_private=3))
    assert mechanism.release(numpy.empty((0, 20))).shape == (0, 5)
    assert sotto.VectorMechanism("privemb", model=model, dimension=5, epsilon=10).input_dim == model.dim


def test_vectors_of_sparse_matrices() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rows = sparse.random(900, 600, density=0.02, format="csr", random_state=1)
    for projection in ("sparse", "orthonormal"):
        mechanism = sotto.VectorMechanism(
            "privemb", dimension_in=600, dimension=20, epsilon=10, projection=projection
        )
        dense = mechanism.release(rows.toarray(), seed_not_private=3)
        for form in (rows, rows.tocsc(), rows.tocoo(), sparse.csr_array(rows)):
            numpy.testing.assert_array_equal(mechanism.release(form, seed_not_private=3), dense)
    counts = sparse.csr_matrix(numpy.eye(5, 600, dtype=numpy.int64))
    assert mechanism.release(counts).shape == (5, 20)
    with pytest.raises(ValueError, match="599 dimensions"):
        mechanism.release(rows[:, :599])
    with pytest.raises(TypeError, match="X is a two-dimensional array"):
        mechanism.release("text")
    estimator = sotto.PrivEmb(dimension=20, epsilon=10, projection="sparse")
    assert estimator.fit_transform(rows).shape == (900, 20)


def test_measure_and_audit_of_vectors(small_model: sotto.Model) -> None:
    mechanism = sotto.VectorMechanism("privemb", model=small_model, dimension=2, epsilon=1)
    found = sotto.measure(mechanism, prior="uniform", draws=500, copies=2, seed_not_private=1)
    assert found.e_opt.kind == "sampled" and found.e_opt.value <= found.e_post.value
    assert found.e_nearest.value <= 1 and found.e_opt_copies_2.value < found.e_opt_copies_1.value
    audited = sotto.audit(mechanism, pairs=3, draws=3000, seed_not_private=1)
    assert audited.verdict == "pass" and "noise_shortfall" in audited.reach
    free = sotto.VectorMechanism("privemb", dimension_in=20, dimension=5, epsilon=10)
    with pytest.raises(ValueError, match="`model=`"):
        sotto.measure(free)


def test_vectors_refuse(model: sotto.Model) -> None:
    mechanism = sotto.VectorMechanism("privemb", dimension_in=20, dimension=5, epsilon=10)
    with pytest.raises(ValueError, match="20"):
        mechanism.release(numpy.zeros((3, 19)))
    bad = numpy.zeros((600, 20))
    bad[599, 3] = numpy.nan
    with pytest.raises(ValueError, match="row 599"):
        mechanism.release(bad)
    with pytest.raises(ValueError, match="dimension_in"):
        sotto.VectorMechanism("privemb", dimension=5, epsilon=10)
    with pytest.raises(ValueError):
        sotto.VectorMechanism("tem", model=model, epsilon=10)
    with pytest.raises(ValueError):
        sotto.Mechanism("privemb", model, epsilon=10)
