from __future__ import annotations

import json
import math

import numpy
import pytest

import sotto


def brute_force(mechanism: sotto.Mechanism) -> float:
    """Largest loss per distance over all pairs and outputs, from the laws."""
    model = mechanism.model
    laws = numpy.array([mechanism.log_law(word) for word in model.words])
    vectors = model.vectors.astype(float)
    worst = 0.0
    for i in range(len(model)):
        for j in range(i):
            distance = float(numpy.linalg.norm(vectors[i] - vectors[j]))
            worst = max(worst, float(numpy.abs(laws[i] - laws[j]).max()) / distance)
    return worst


@pytest.mark.parametrize("calibration", ["paper", "exact", "flat"])
def test_certificate_against_the_laws(small_model: sotto.Model, calibration: str) -> None:
    tem = sotto.Mechanism("tem", small_model, epsilon=2, calibration=calibration)
    found = sotto.certify(tem)
    assert math.isclose(found.certified_epsilon, brute_force(tem), rel_tol=1e-6)
    assert found.certified_epsilon <= 2 + 1e-9 and tem.certified_epsilon == found.certified_epsilon
    worst = found.worst_pair
    assert worst is not None and worst.first in small_model and math.isclose(worst.epsilon, found.certified_epsilon)
    assert tem.certificate == found == sotto.certify(tem, again=True)
    assert json.loads(json.dumps(found.to_dict()))["certified_epsilon"] == found.certified_epsilon


def test_what_no_epsilon_bounds(small_model: sotto.Model) -> None:
    assert sotto.certify(sotto.Mechanism("identity", small_model)).certified_epsilon == math.inf


def test_no_certificate_is_no_estimate(model: sotto.Model) -> None:
    with pytest.raises(ValueError, match="audit"):
        sotto.certify(sotto.Mechanism("laplace", model, epsilon=10))


def test_progress(model: sotto.Model) -> None:
    seen: list[tuple[int, int, str]] = []
    sotto.certify(sotto.Mechanism("tem", model, epsilon=2), again=True, progress=lambda *step: seen.append(step))
    assert seen and all(0 <= done <= total and unit for done, total, unit in seen)

    def refuse(*_: object) -> None:
        raise LookupError("stop it")

    with pytest.raises(LookupError):
        sotto.certify(sotto.Mechanism("tem", model, epsilon=2), again=True, progress=refuse)
