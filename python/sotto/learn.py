"""Learning from private text: scikit-learn estimators over the engine's lifted features.

A learner that takes private words for the true ones loses much of what the text says. The law of the mechanism is
public, so each private word can be replaced by the expected features of the word that was there before. All of it is
post-processing of the release and of public data: it costs no privacy (docs/learning.md).

`public_texts` are public texts of the same kind, without labels: 10,000 or more are good. They must not be the private
texts: whatever they contain may show in the features.
"""
from __future__ import annotations

import json
import os
import pathlib
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

import sotto
from sotto import _engine
from sotto._calls import clear as _clear
from sotto._texts import listed, one_column
from sotto.estimators import TextPrivatizer

__all__ = ["PrivateTextClassifier", "PrivateTextFeatures", "evaluate"]

_SPACES: OrderedDict[Any, dict[str, Any]] = OrderedDict()  # of public data alone, the last few
_KEPT_SPACES = 2


def _texts(given: Any, what: str) -> list[str]:
    return listed(one_column(given, f"{what} takes"), f"{what} takes")


class _Reader:
    """The mechanism of a release, and how its texts were read."""

    def __init__(self, given: Any) -> None:
        if isinstance(given, TextPrivatizer):
            given = given._privatizer()
        if isinstance(given, sotto.Privatizer):
            self.mechanism = given.mechanism
            self.anchor = given.anchor
            self.strip_html = bool(given.options.get("strip_html", False))
        elif isinstance(given, sotto.Mechanism):
            self.mechanism, self.anchor, self.strip_html = given, "", False
        else:
            raise TypeError(
                "mechanism: a sotto.Mechanism, sotto.Privatizer or sotto.TextPrivatizer is expected, the one that "
                f"made the private texts, not {type(given).__name__}"
            )

    def key(self) -> tuple[Any, ...]:
        made = self.mechanism
        settings = tuple(sorted(made.parameters.items())), tuple(sorted(made.facts.items()))
        return (made.name, made.model.identity, *settings, self.anchor, self.strip_html)

    def check(self, report: Any) -> None:
        """Refuses a release that was made with other settings, if its report says so."""
        if report is None:
            return
        if isinstance(report, (str, os.PathLike)):
            report = json.loads(pathlib.Path(report).read_text(encoding="utf-8"))
        if not isinstance(report, Mapping):
            raise TypeError("report: the report of the release is expected, as a dict or the path of its file")
        made = self.mechanism
        model = report.get("model", {})
        for name, said, own in (
            ("mechanism", report.get("mechanism"), made.name),
            ("setting of the parameters", report.get("parameters"), dict(made.parameters)),
            ("model", model.get("identity") if isinstance(model, Mapping) else None, made.model.identity),
        ):
            if said is not None and said != own:
                raise ValueError(
                    f"the texts were released with another {name} than that of this learner ({said!r}, not {own!r}): "
                    "build the learner with the mechanism of the release"
                )

    def means(self, texts: list[str], words: Any) -> Any:
        return _clear(_engine._text_means)(self.mechanism, texts, words, self.anchor, self.strip_html)


def _space(reader: _Reader, public: list[str], released: list[str], features: int, smoothing: float,
           seed: int | None) -> dict[str, Any]:
    """The features of words. Those of a public corpus are kept for the next fit: they are public."""
    key = (reader.key(), tuple(public), features, smoothing, seed) if public else None
    if key is not None and key in _SPACES:
        _SPACES.move_to_end(key)
        return _SPACES[key]
    made = _clear(_engine._text_space)(reader.mechanism, public, [] if public else released, features, smoothing,
                               reader.anchor, reader.strip_html, 0, seed, None)
    for sentence in made["warnings"]:
        warnings.warn(sentence, UserWarning, stacklevel=3)
    if key is not None:
        _SPACES[key] = made
        while len(_SPACES) > _KEPT_SPACES:
            _SPACES.popitem(last=False)
    return made


class _PrivateTextEstimator(BaseEstimator):
    """What both estimators share: their public part."""

    mechanism: Any
    public_texts: Any
    n_features: int
    smoothing: float
    private: bool
    seed_not_private: int | None

    def _fit_space(self, X: Any, report: Any) -> tuple[_Reader, list[str]]:
        reader = _Reader(self.mechanism)
        reader.check(report if report is not None else getattr(X, "report", None))
        texts = _texts(X, "X")
        if not texts:
            raise ValueError("X: there are no texts to learn from")
        public = [] if self.public_texts is None else _texts(self.public_texts, "public_texts")
        if self.public_texts is not None and not public:
            raise ValueError("public_texts: there are none; give some, or None to use the model's vectors alone")
        made = _space(reader, public, texts, int(self.n_features), float(self.smoothing), self.seed_not_private)
        self.clean_words_, self.private_words_ = made["clean"], made["released"]
        self.space_ = {key: made[key] for key in ("public_texts", "exact", "lift_error", "known_share")}
        self._n_features_out = self.clean_words_.shape[1]
        return reader, texts

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags


class PrivateTextFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _PrivateTextEstimator):
    """Features of documents that mean the same for clear and for private text: for any scikit-learn model.

    `fit_transform(private_texts)` is for training. `transform(texts)` takes clear texts, or private ones with
    `private=True`, here or in the constructor. For regression put any regressor behind it.

    mechanism: the sotto.Mechanism, Privatizer or TextPrivatizer that made the private texts. public_texts: public
    texts of the same kind; None: the vectors of the model are the features. n_features, smoothing: as in
    docs/learning.md. seed_not_private: repeatable noise on the public texts, for tests.
    """

    def __init__(self, mechanism: Any = None, public_texts: Sequence[str] | None = None, *, n_features: int = 100,
                 smoothing: float = 3e-5, private: bool = False, seed_not_private: int | None = None) -> None:
        self.mechanism = mechanism
        self.public_texts = public_texts
        self.n_features = n_features
        self.smoothing = smoothing
        self.private = private
        self.seed_not_private = seed_not_private

    def fit(self, X: Any, y: Any = None, *, report: Any = None) -> PrivateTextFeatures:
        """X: private texts. They are used only where there are no public texts, to estimate word frequencies."""
        self._fit_space(X, report)
        return self

    def fit_transform(self, X: Any, y: Any = None, **parameters: Any) -> Any:
        """The features of the private texts X."""
        return self.fit(X, y, **parameters).transform(X, private=True)

    def transform(self, X: Any, private: bool | None = None) -> Any:
        check_is_fitted(self)
        chosen = self.private if private is None else private
        return _Reader(self.mechanism).means(_texts(X, "X"), self.private_words_ if chosen else self.clean_words_)


class PrivateTextClassifier(ClassifierMixin, _PrivateTextEstimator):
    """Learns from private texts, and classifies clear or private ones.

    `fit(private_texts, labels)`, then `predict(texts)` for clear texts or `predict(texts, private=True)` for private
    ones; `private=True` in the constructor makes that the default, as a pipeline behind a TextPrivatizer needs it.

    settings: "default" takes n_features, smoothing and penalty as they are; "rehearsal" chooses features and penalty
    on public text alone (see `rehearse`). Other parameters: as in PrivateTextFeatures. penalty: weight of L2.

    public_labels: labels of `public_texts`, if there are any, of the same classes as those of the private texts; the
    rehearsal then uses them. fusion: above 0, a second classifier learns from the public texts and these labels, and
    its standardised scores are added, multiplied by `fusion`. Fix it before you see results; 0.25 is usual.
    """

    clean_scores_: Any
    private_scores_: Any
    intercept_: Any

    def __init__(self, mechanism: Any = None, public_texts: Sequence[str] | None = None, *, public_labels: Any = None,
                 fusion: float = 0.0, n_features: int = 100, smoothing: float = 3e-5, penalty: float = 1e-3,
                 settings: str = "default", private: bool = False, seed_not_private: int | None = None) -> None:
        self.mechanism = mechanism
        self.public_texts = public_texts
        self.public_labels = public_labels
        self.fusion = fusion
        self.n_features = n_features
        self.smoothing = smoothing
        self.penalty = penalty
        self.settings = settings
        self.private = private
        self.seed_not_private = seed_not_private

    def fit(self, X: Any, y: Any, *, report: Any = None) -> PrivateTextClassifier:
        """X: private texts. report: of their release, if X does not carry one; other settings are refused."""
        if self.settings not in ("default", "rehearsal"):
            raise ValueError(f"settings: {self.settings!r} is neither 'default' nor 'rehearsal'")
        if not 0 <= self.fusion < float("inf"):
            raise ValueError(f"fusion: {self.fusion!r} must be 0 (none) or above; 0.25 is usual")
        if self.fusion > 0 and (self.public_texts is None or self.public_labels is None):
            raise ValueError("fusion needs public_texts and public_labels: a second classifier learns from them")
        labels = _labels(y)
        known: Any = None if self.public_labels is None else _labels(self.public_labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if known is not None and set(np.unique(known).tolist()) != set(self.classes_.tolist()):
            raise ValueError("public_labels: they must have the same classes as the labels of the private texts")
        reader, texts = self._fit_space(X, report)
        self.texts_fitted_ = len(texts)
        self.used_ = {"n_features": int(self._n_features_out), "penalty": float(self.penalty)}
        self._learn(reader, texts, numbers)
        self.rehearsal_: sotto.Answer | None = None
        if self.settings == "rehearsal":
            best = self.rehearse().best
            made = _space(reader, _texts(self.public_texts, "public_texts"), texts, int(best.features),
                          float(best.smoothing), self.seed_not_private)
            self.clean_words_, self.private_words_ = made["clean"], made["released"]
            self.used_ = {"n_features": int(best.features), "penalty": float(best.penalty)}
            self._learn(reader, texts, numbers)
        if self.fusion > 0:
            self.clean_scores_, self.private_scores_, self.intercept_ = _clear(_engine._fuse_texts)(
                reader.mechanism, self.clean_words_, self.private_words_, self.clean_scores_, self.private_scores_,
                self.intercept_.tolist(), _texts(self.public_texts, "public_texts"),
                np.searchsorted(self.classes_, known).astype(np.uint32), len(self.classes_), self.used_["penalty"],
                float(self.fusion), reader.anchor, reader.strip_html, None)
        return self

    def _learn(self, reader: _Reader, texts: list[str], numbers: Any) -> None:
        self.clean_scores_, self.private_scores_, self.intercept_ = _clear(_engine._fit_texts)(
            reader.mechanism, self.clean_words_, self.private_words_, texts, numbers.astype(np.uint32),
            len(self.classes_), self.used_["penalty"], reader.anchor, reader.strip_html, None)

    def decision_function(self, X: Any, private: bool | None = None) -> Any:
        """Scores: one for each text if there are two classes, else a column for each class."""
        check_is_fitted(self)
        chosen = self.private if private is None else private
        words = self.private_scores_ if chosen else self.clean_scores_
        scores = _Reader(self.mechanism).means(_texts(X, "X"), words) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any, private: bool | None = None) -> Any:
        scores = self.decision_function(X, private)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_proba(self, X: Any, private: bool | None = None) -> Any:
        scores = self.decision_function(X, private)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def rehearse(self, public_labels: Any = None, settings: Sequence[Mapping[str, Any]] = ()) -> sotto.Answer:
        """Tries settings on public text: half of it is privatised and learnt from, the other half is tested on.

        It learns from no more public texts than there were private ones.

        public_labels: those of `public_texts`, if they were not given to the constructor. Without any the fitted
        classifier labels the public texts itself, which tells settings apart but flatters every learner. settings:
        dicts of features, smoothing and penalty; without them 50, 100 and 200 features with penalties 1e-4, 1e-3 and
        1e-2 are tried.
        """
        check_is_fitted(self)
        if self.public_texts is None:
            raise ValueError("a rehearsal needs public_texts: without them there is nothing to rehearse on")
        public = _texts(self.public_texts, "public_texts")
        given = self.public_labels if public_labels is None else public_labels
        numbers: Any
        if given is None:
            # Drawn with their probabilities: most likely labels would be told without error by the features on trial.
            scores = self.decision_function(public, private=False)
            numbers = _clear(_engine._drawn_labels)(np.ascontiguousarray(scores.reshape(len(public), -1)))
            classes = self.classes_
        else:
            classes, numbers = np.unique(_labels(given), return_inverse=True)
        tried = [(int(one.get("features", self.n_features)), float(one.get("smoothing", self.smoothing)),
                  float(one.get("penalty", self.penalty))) for one in settings]
        reader = _Reader(self.mechanism)
        found = _clear(_engine._rehearse)(reader.mechanism, public, numbers.astype(np.uint32), len(classes), tried,
                                          self.texts_fitted_, reader.anchor, reader.strip_html, 0, self.seed_not_private, None)
        self.rehearsal_, self.rehearsal_labels_ = found, "the classifier's own" if given is None else "given"
        return found

    def report(self) -> str:
        """What was assumed, and what was gained over direct training in the rehearsal, in plain sentences."""
        check_is_fitted(self)
        made = _Reader(self.mechanism).mechanism
        public = self.space_["public_texts"]
        lines = [
            f"mechanism: {made.name}, " + ", ".join(f"{name} {value}" for name, value in made.parameters.items()),
            f"features: {self.used_['n_features']} from {public:,} public texts, "
            f"{self.space_['known_share']:.0%} of whose words the model knows" if public else
            "features: the model's vectors and its frequent words; word frequencies estimated from the release",
            "lift: exact, by the law of the mechanism" if self.space_["exact"] else
            f"lift: by draws, with a standard error of {self.space_['lift_error']:.3f} of a feature's deviation",
            f"classifier: logistic regression, L2 weight {self.used_['penalty']:g}, {len(self.classes_)} classes",
            "assumed: the private texts come from this mechanism and model; the public texts are of the same kind",
            "privacy: the release and public data are all that was used; nothing was spent besides the release",
        ]
        if self.fusion > 0:
            lines.append(f"fusion: {self.fusion:g} of the standardised scores of a classifier of the public texts and "
                         "their labels")
        found = self.rehearsal_
        if found is None:
            lines.append("rehearsal: none yet; rehearse() compares with direct training on public text")
        else:
            lines.append(
                f"rehearsal on {found.tested:,} public texts ({self.rehearsal_labels_} labels): accuracy "
                f"{found.best.clean_accuracy:.3f} with {found.best.features} features and L2 weight "
                f"{found.best.penalty:g}, {found.direct.clean_accuracy:.3f} by direct training, "
                f"{found.majority:.3f} for the most frequent class")
        return "\n".join(lines)


def _labels(y: Any) -> Any:
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"labels: one column is expected, not shape {labels.shape}")
    missing = [place for place, one in enumerate(labels.tolist()) if one is None or one != one]
    if missing:
        raise ValueError(f"labels: {len(missing)} are missing, the first at {missing[0]} (counted from 0): leave "
                         "texts without a label out")
    check_classification_targets(labels)
    return labels


def evaluate(texts: Any, labels: Any, *, epsilon: Any, mechanism: str = "tem", model: Any = None,
             public_texts: Any = None, draws: int = 3, test_share: float = 0.25, max_drop: float = 0.05,
             anchor: str = "", strip_html: bool = False, threads: int = 0, seed_not_private: int | None = None,
             progress: Any = None, **parameters: Any) -> sotto.Answer:
    """What accuracy a classifier loses when it is trained on private text: `sotto evaluate`, on texts in memory.

    Uses the texts and labels in clear: the answer is for the data holder. epsilon: one value or several, a row each.
    model: a path, a Model, or None for the default model. Other keywords are parameters of the mechanism. `rows` have
    `direct` and `lifted`, each with `clear` and `private`: means and deviations over the draws.
    """
    opened = model if isinstance(model, sotto.Model) else sotto.Model.open(model) if model else sotto.Model.default()
    values = epsilon if isinstance(epsilon, (list, tuple, np.ndarray)) else [epsilon]
    settings = [{**parameters, "epsilon": one.item() if hasattr(one, "item") else one} for one in values]
    classes, numbers = np.unique(_labels(labels), return_inverse=True)
    found: sotto.Answer = _clear(_engine._evaluate)(
        opened, mechanism, settings, _texts(texts, "texts"), [str(one) for one in numbers],
        [] if public_texts is None else _texts(public_texts, "public_texts"), draws, test_share, max_drop, anchor,
        strip_html, threads, seed_not_private, progress)
    for sentence in found.warnings:
        warnings.warn(sentence, UserWarning, stacklevel=2)
    return found
