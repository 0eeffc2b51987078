"""certify, measure and tune: the questions of the program's commands of these names."""
from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _engine
from ._answers import Answer, Certificate, Measurement, TuneAnswer

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

    from ._engine import AnyMechanism, Mechanism, Model
    from ._types import Parameter, Progress

# "rank", "uniform", "counts:FILE", "corpus:FILE", or weights of words.
Prior: TypeAlias = Union[None, str, Mapping[str, float]]
# Labels of words, or a file with two columns, word and label.
Labels: TypeAlias = Union[None, Mapping[str, str], str, "os.PathLike[str]"]


def certify(mechanism: AnyMechanism, *, again: bool = False, progress: Progress = None) -> Certificate:
    """The loss over all pairs of words of the model; afterwards also `mechanism.certificate`.

    Takes the one that is known already unless `again`. ValueError where it cannot be computed, never an estimate.
    """
    return _engine.certify(mechanism, again=again, progress=progress)


def measure(mechanism: Mechanism, *, prior: Prior = None, words: Iterable[str] | None = None, labels: Labels = None,
            copies: int = 8, draws: int = 0, by_draws: bool = False, seed_not_private: int | None = None,
            progress: Progress = None) -> Measurement:
    """What the best adversary who knows `prior` learns, and what use is left (docs/measure.md).

    prior: "rank" (the default), "uniform" (the default with `words`), "counts:FILE", "corpus:FILE", or a mapping of
    words to weights. words: the only words that occur. copies: releases of the same text, 0 for no averaging attack.
    """
    return Measurement(_engine.measure(mechanism, prior=prior, words=words, labels=_labels(labels), copies=copies,
                                       draws=draws, by_draws=by_draws, seed=seed_not_private, progress=progress))


def tune(model: Model, *, max_loss: float | None = None, min_inference_error: float | None = None,
         max_certified_epsilon: float | None = None, prior: Prior = None, words: Iterable[str] | None = None,
         labels: Labels = None, loss: str = "", mechanisms: Sequence[str] = (), calibrations: Sequence[str] = ("paper",),
         candidates: Iterable[tuple[str, Mapping[str, Parameter]]] = (), draws: int = 0, seed: int = 1,
         resume: str | os.PathLike[str] = "", threads: int = 0, progress: Progress = None) -> TuneAnswer:
    """Which mechanism at which epsilon serves best within the bounds (docs/tune.md).

    candidates: exactly these settings, each a name and its parameters; else all proven mechanisms, or `mechanisms`.
    resume: a file that keeps finished settings; it depends on the prior, so treat it as you treat that.
    """
    options: dict[str, Any] = {
        "max_loss": max_loss, "min_inference_error": min_inference_error, "max_certified_epsilon": max_certified_epsilon,
        "prior": prior, "words": words, "labels": _labels(labels), "loss": loss, "mechanisms": list(mechanisms),
        "calibrations": list(calibrations), "candidates": list(candidates), "draws": draws, "seed": seed,
        "resume": os.fspath(resume), "threads": threads,
    }
    return TuneAnswer(_engine.tune(model, options, progress=progress))


def verify(report: Mapping[str, Any] | str | os.PathLike[str], model: Model, *,
           released: Sequence[str | os.PathLike[str]] = (), progress: Progress = None) -> Answer:
    """Whether a report says what follows from the model and the parameters that it names: everything is built again.

    report: as `Privatizer.report` or `public_report` gives it, its JSON text, or the path of a file (os.PathLike).
    released: files that the report should be about; their SHA-256 must be in it.
    """
    if isinstance(report, os.PathLike):
        with open(report, encoding="utf-8") as file:
            report = file.read()
    text = report if isinstance(report, str) else json.dumps(report)
    return _engine.verify(text, model, released=released, progress=progress)


def _labels(given: Labels) -> Mapping[str, str] | str | None:
    return os.fspath(given) if isinstance(given, os.PathLike) else given
