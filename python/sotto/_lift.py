"""Features of words, lifted through the law of a mechanism."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _engine
from ._calls import clear

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._answers import Answer
    from ._engine import Mechanism
    from ._types import Prior, Progress


class Lifted(NamedTuple):
    """Row o of `features` is the expected features of the input word, given the output word o. `answer` says how they
    were computed: `closed_law`, and where that is False `draws` and `relative_error`."""

    features: NDArray[Any]
    answer: Answer


def lift(features: NDArray[Any], mechanism: Mechanism, *, prior: Prior = None, draws: int = 0, by_draws: bool = False,
         seed_not_private: int | None = None, progress: Progress = None) -> Lifted:
    """The expected features of the input word, given the output word: post-processing, which costs no privacy.

    features: one row for each word of the model, in its order; the answer has the same shape, and its type if that is
    float32. prior: as in `measure`, or 'release:FILE', estimated from private text. Exact where the law is known and
    the model has up to 50,000 words, else by draws, with the error stated.
    """
    given = numpy.asarray(features)
    if given.ndim != 2:
        raise ValueError(f"features: a matrix with one row for each word is expected, not shape {given.shape}")
    rows = numpy.ascontiguousarray(given, dtype=numpy.float64)
    lifted, answer = clear(_engine._lift)(rows, mechanism, prior, draws, by_draws, seed_not_private, progress)
    return Lifted(lifted.astype(numpy.float32) if given.dtype == numpy.float32 else lifted, answer)
