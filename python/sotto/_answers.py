"""What the engine answers: the JSON of the program's `--json`, as objects. All of it is plain data that can be pickled."""
from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from . import _display

if TYPE_CHECKING:
    import numpy
    import pandas
    from numpy.typing import NDArray
    from typing_extensions import Self

    from ._engine import Mechanism, Model

# Names of earlier versions, which differed from the program's.
_RENAMED = {
    "realised_epsilon": "certified_epsilon", "largest_loss": "largest_word_loss", "bands": "distance_bands",
    "median_nearest": "median_nearest_distance", "loss_meaning": "loss",
}
_WIDTH = 100  # of a repr in one line


class Answer(Mapping[str, Any]):
    """An answer, or an object within one. Keys are attributes and items: `answer.model.name`, `answer["model"]["name"]`.

    The keys are those of the program's `--json`; lists are tuples. A class attribute stands for a key that the program
    leaves out. Immutable.
    """

    # The classes of parts by their key, "*" for all others; plain answers where nothing is said.
    _parts: ClassVar[Mapping[str, type[Answer]]] = {}

    def __init__(self, given: Mapping[str, Any]) -> None:
        for key, value in given.items():
            self.__dict__[key] = _made(value, self._parts.get(key) or self._parts.get("*", Answer))

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(json.loads(text))

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, all the way down."""
        return {key: _plain(value) for key, value in self.__dict__.items()}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def to_pandas(self) -> pandas.DataFrame:
        """The table of the answer: a row for each output, setting, distance band or mechanism."""
        return _display.to_pandas(self)

    def plot(self, axes: Any = None) -> Any:
        """Draws the answer with matplotlib (explain, measure, certify, tune) and returns the axes."""
        return _display.plot(self, axes)

    def __str__(self) -> str:
        return _display.as_text(self)

    def _repr_html_(self) -> str:
        return _display.as_html(self)

    def __getitem__(self, key: str) -> Any:
        return self.__dict__[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)

    def __getattr__(self, name: str) -> Any:
        here = type(self).__name__
        if _RENAMED.get(name) in self:
            raise AttributeError(f"{here} has no {name!r}: it is called {_RENAMED[name]!r}, as in the program's --json")
        raise AttributeError(f"{here} has no {name!r}; it has {', '.join(self)}")

    def __setattr__(self, name: str, value: object = None) -> None:
        raise AttributeError("answers cannot be changed; to_dict() gives a dict that can")

    __delattr__ = __setattr__

    def __hash__(self) -> int:
        return hash(json.dumps(self.to_dict(), sort_keys=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.to_dict(),)

    def __repr__(self) -> str:
        name = type(self).__name__
        line = f"{name}({', '.join(f'{key}={value!r}' for key, value in self.items())})"
        if len(line) <= _WIDTH and "\n" not in line:
            return line
        return "\n".join([f"{name}:", *(f"  {key}: {_short(value)}" for key, value in self.items())])


def _made(value: Any, part: type[Answer]) -> Any:
    if isinstance(value, Mapping):
        return part(value)
    return tuple(_made(one, part) for one in value) if isinstance(value, (list, tuple)) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Answer):
        return value.to_dict()
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _short(value: Any) -> str:
    text = repr(value)
    if len(text) <= _WIDTH and "\n" not in text or isinstance(value, str):
        return text
    return f"{len(value)} items" if isinstance(value, tuple) else f"{{{', '.join(value)}}}"


class Certificate(Answer):
    """The privacy loss on this vocabulary over all pairs of words, as upper bounds: two words at distance d lose at
    most certified_epsilon * d + additive_loss. The additive part covers all rounding."""

    additive_loss: float
    worst_pair: Answer | None

    @property
    def certified_epsilon(self) -> float:
        """JSON has no infinity: its null is one here."""
        found = self["certified_epsilon"]
        return math.inf if found is None else float(found)


class Figure(Answer):
    """One measured quantity. A bracket has no value, only its ends; an unavailable one says why in `meaning`."""

    kind: str
    value: float | None = None
    interval: tuple[float, float] | None = None
    bracket: tuple[float, float] | None = None
    meaning: str | None = None


class _Figures(Answer):
    _parts = {"*": Figure}


class Band(Answer):
    """All words, or those of one band of frequency."""

    _parts = {"figures": _Figures}
    figures: Mapping[str, Figure]


class Measurement(Answer):
    """What an adversary learns and what use is left. The figures of all words are attributes too: `.e_opt`."""

    _parts = {"bands": Band}
    bands: tuple[Band, ...]
    draws: int = 0

    @property
    def figures(self) -> Mapping[str, Figure]:
        return self.bands[0].figures

    def __getattr__(self, name: str) -> Figure:
        found: Figure | None = None if name.startswith("_") else self.figures.get(name)
        if found is None:
            raise AttributeError(f"there is no figure {name!r}; there are {', '.join(self.figures)}")
        return found

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.figures]


class TunePoint(Answer):
    """One setting with what was measured of it. `parameters` are texts, as they would be typed."""

    _parts = {"figures": _Figures}
    mechanism: str
    parameters: Mapping[str, str]
    certified_epsilon: float | None
    figures: Mapping[str, Figure]

    def build(self, model: Model) -> Mechanism:
        from . import _engine

        return _engine._rebuild(self.mechanism, model, dict(self.parameters), 0)


class TuneAnswer(Answer):
    """`recommended` is None if nothing keeps the bounds; `nearest` then violates them least."""

    _parts = {key: TunePoint for key in ("points", "recommended", "nearest", "may_be_better")}
    points: tuple[TunePoint, ...]
    recommended: TunePoint | None
    nearest: TunePoint | None
    may_be_better: tuple[TunePoint, ...]

    @property
    def frontier(self) -> tuple[TunePoint, ...]:
        return tuple(point for point in self.points if point.on_frontier)


class ParameterEntry(Answer):
    """A parameter of a mechanism. `default` is the text of it, or None: required, or derived by the mechanism."""

    name: str
    help: str
    required: bool
    default: str | None
    choices: tuple[str, ...] = ()


class MechanismEntry(Answer):
    """`kind` is "words" (sotto.Mechanism) or "vectors" (sotto.VectorMechanism)."""

    _parts = {"parameters": ParameterEntry}
    name: str
    kind: str
    parameters: tuple[ParameterEntry, ...]


class Registry(Answer):
    _parts = {"mechanisms": MechanismEntry}


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
