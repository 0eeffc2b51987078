"""What the engine answers, with names. All of it is plain data and can be pickled."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._engine import Mechanism, Model


class Law(NamedTuple):
    """The outputs of one word and their probabilities, in the model's order."""

    words: tuple[str, ...]
    probabilities: NDArray[numpy.float64]

    def top(self, k: int = 10) -> list[tuple[str, float]]:
        """The k most likely outputs, the most likely first; of equal ones the more frequent word first."""
        import numpy

        values = self.probabilities
        k = min(k, len(values))
        if k <= 0:
            return []
        floor = numpy.partition(values, len(values) - k)[len(values) - k]
        chosen = numpy.flatnonzero(values >= floor)
        order = chosen[numpy.argsort(-values[chosen], kind="stable")][:k]
        return [(self.words[i], float(values[i])) for i in order]


class PairLoss(NamedTuple):
    """The largest |ln P(y|first) - ln P(y|second)| over all outputs y."""

    first: str
    second: str
    distance: float
    loss: float
    epsilon: float


class Certificate(NamedTuple):
    """The privacy loss on this vocabulary over all pairs of words, as upper bounds: two words at distance d lose at
    most realised_epsilon * d + additive_loss. The additive part covers all rounding."""

    realised_epsilon: float
    additive_loss: float
    largest_loss: float
    worst_pairs: tuple[PairLoss, ...]
    bands: tuple[PairLoss, ...]
    smallest_distance: float
    largest_distance: float
    median_nearest: float
    mean_unchanged: float | None

    @property
    def worst_pair(self) -> PairLoss | None:
        return self.worst_pairs[0] if self.worst_pairs else None

    def to_dict(self) -> dict[str, Any]:
        return {name: _plain(part) for name, part in zip(self._fields, self)}


def certificate(given: dict[str, Any]) -> Certificate:
    pairs = {key: tuple(PairLoss(**row) for row in given[key]) for key in ("worst_pairs", "bands")}
    return Certificate(**{**given, **pairs})


class Figure(NamedTuple):
    """One measured quantity. A bracket has no value, only its ends; an unavailable one says why in `meaning`."""

    name: str
    kind: str
    value: float | None
    interval: tuple[float, float] | None
    bracket: tuple[float, float] | None
    meaning: str


class RankShare(NamedTuple):
    first: int
    last: int
    share: float
    interval: tuple[float, float]


class Band(NamedTuple):
    """All words, or those of one band of frequency."""

    name: str
    words: int
    prior: float
    figures: Mapping[str, Figure]
    ranks: tuple[RankShare, ...]


class Measurement(NamedTuple):
    """What an adversary learns and what use is left. The figures of all words are attributes too: `.e_opt`."""

    closed_law: bool
    draws: int
    prior: Mapping[str, Any]
    bands: tuple[Band, ...]

    @property
    def figures(self) -> Mapping[str, Figure]:
        return self.bands[0].figures

    def __getattr__(self, name: str) -> Figure:
        if not name.startswith("_"):
            found = self.figures.get(name)
            if found is not None:
                return found
        raise AttributeError(f"there is no figure {name!r}; .figures has those that there are")

    def to_dict(self) -> dict[str, Any]:
        return {name: _plain(part) for name, part in zip(self._fields, self)}


def measurement(given: dict[str, Any]) -> Measurement:
    bands = tuple(
        Band(row["name"], row["words"], row["prior"], _figures(row["figures"]),
             tuple(RankShare(**rank) for rank in row["ranks"]))
        for row in given["bands"])
    return Measurement(given["closed_law"], given["draws"], given["prior"], bands)


class TunePoint(NamedTuple):
    """One setting with what was measured of it. `parameters` are texts, as they would be typed."""

    mechanism: str
    parameters: Mapping[str, str]
    family: str
    status: str
    strength: str
    nominal_epsilon: float
    certified_epsilon: float | None
    certified_by: str
    metric: str
    draws: int
    stopped_early: bool
    figures: Mapping[str, Figure]

    def build(self, model: Model) -> Mechanism:
        from . import _engine

        return _engine._rebuild(self.mechanism, model, dict(self.parameters), 0)


class TuneAnswer(NamedTuple):
    """`recommended` is None if nothing keeps the bounds; `nearest` then violates them least."""

    points: tuple[TunePoint, ...]
    frontier: tuple[TunePoint, ...]
    recommended: TunePoint | None
    nearest: TunePoint | None
    may_be_better: tuple[TunePoint, ...]
    skipped: tuple[tuple[str, Mapping[str, str], str], ...]
    loss: str
    loss_meaning: str
    prior: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {name: _plain(part) for name, part in zip(self._fields, self)}


def tune_answer(given: dict[str, Any]) -> TuneAnswer:
    points = tuple(TunePoint(**{**row, "figures": _figures(row["figures"])}) for row in given["points"])

    def one(index: int | None) -> TunePoint | None:
        return None if index is None else points[index]

    return TuneAnswer(points, tuple(points[i] for i in given["frontier"]), one(given["recommended"]),
                      one(given["nearest"]), tuple(points[i] for i in given["may_be_better"]),
                      tuple(given["skipped"]), given["loss"], given["loss_meaning"], given["prior"])


def _figures(rows: list[dict[str, Any]]) -> dict[str, Figure]:
    return {row["name"]: Figure(**row) for row in rows}


def _plain(value: Any) -> Any:
    """Named tuples as dicts, all the way down: ready for json.dumps."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: _plain(part) for name, part in zip(value._fields, value)}
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return value
