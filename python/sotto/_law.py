"""The table of a law of one's own, for Mechanism.from_law."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._engine import Model


def table(model: Model, law: Any) -> NDArray[numpy.float64]:
    """A matrix of float64 in C order, one row for each word of the model. The engine judges its numbers."""
    size = len(model)
    if callable(law):
        rows = numpy.zeros((size, size))
        for place, word in enumerate(model.words):
            rows[place] = _row(model, law(word), place)
        return rows
    try:
        rows = numpy.array(law, dtype=numpy.float64, order="C")  # a copy: the caller's may change
    except (TypeError, ValueError):
        raise TypeError(f"law: a matrix of numbers or a function of a word is expected, not {type(law).__name__}") from None
    if rows.shape != (size, size):
        raise ValueError(f"law: a model of {size} words needs a matrix of shape ({size}, {size}), not {rows.shape}")
    return rows


def _row(model: Model, given: Any, place: int) -> NDArray[numpy.float64]:
    if not isinstance(given, Mapping):
        row = numpy.asarray(given, dtype=numpy.float64)
        if row.shape != (len(model),):
            raise ValueError(f"law: the row of word {place} (counted from 0) has shape {row.shape}; {len(model)} "
                             "probabilities are expected, or a mapping of output words to theirs")
        return row
    row = numpy.zeros(len(model))
    for word, probability in given.items():
        found = model.find(word)
        if found is None:
            raise ValueError(f"law: the row of word {place} (counted from 0) names an output that the model does not have")
        row[found] += probability
    return row
