"""scikit-learn transformers over the engine: TextPrivatizer for texts, VectorPrivatizer and PrivEmb for
vectors.

Every `transform` is a release: it draws fresh noise, so transforming the same data twice gives two answers,
and whoever sees both has twice the privacy loss. There is no `random_state`: a seed would let its holder take
the noise away. Cross-validation and grid search transform the same rows in every fold and for every setting.
TextPrivatizer counts that and warns (RepeatedReleaseWarning); examples/python/grid_search.py privatises once,
outside. To hand data out, transform it once and keep the answer.

`fit` learns nothing from the values (VectorPrivatizer: the number of columns). Anything learnt from private
data, a scale or a projection, would itself be a release that the guarantee does not cover.

The mechanisms' parameters are keywords of the constructors, made from the registry, so that `clone`,
`set_params` and a grid search know them by name. None, the default of each, leaves the value to the engine,
which also judges it, in `fit`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

import sotto
from sotto import _released
from sotto._configuration import Configuration, ModelPlace, given, keyword_of, vector_mechanism
from sotto._texts import one_column

__all__ = ["PrivEmb", "TextPrivatizer", "VectorPrivatizer"]


def _named(init: Callable[..., None], words: list[str], fixed: dict[str, Any]) -> Callable[..., None]:
    """`init` with `words` in its signature instead of **parameters, and without what is fixed.

    scikit-learn reads the signature to find the parameters of an estimator, as help() and editors do.
    """

    @functools.wraps(init)
    def __init__(self: object, *values: Any, **parameters: Any) -> None:
        init(self, *values, **fixed, **parameters)

    signature = inspect.signature(init)
    kept = [
        each
        for each in signature.parameters.values()
        if each.kind is not each.VAR_KEYWORD and each.name not in {*fixed, *words}
    ]
    if fixed:  # what stood behind a fixed parameter would change its position
        kept = [each if each.name == "self" else each.replace(kind=each.KEYWORD_ONLY) for each in kept]
    added = [inspect.Parameter(word, inspect.Parameter.KEYWORD_ONLY, default=None) for word in words]
    __init__.__signature__ = signature.replace(parameters=kept + added)  # type: ignore[attr-defined]
    return __init__


class _FromRegistry(BaseEstimator):
    """An estimator whose keywords include the parameters of all mechanisms of a kind, or of one mechanism."""

    _words: ClassVar[list[str]] = []

    def __init_subclass__(cls, *, kind: str = "", mechanism: str = "", **others: Any) -> None:
        super().__init_subclass__(**others)
        entries = [each for each in sotto.mechanisms() if (mechanism or kind) in (each.name, each.kind)]
        # One help text may serve several mechanisms, and one parameter may mean something else in each.
        helps: dict[str, dict[str, list[str]]] = {}
        for entry in entries:
            for parameter in entry.parameters:
                helps.setdefault(keyword_of(parameter.name), {}).setdefault(parameter.help, []).append(entry.name)
        cls._words = list(helps)
        fixed = {"mechanism": mechanism} if mechanism else {}
        cls.__init__ = _named(cls.__init__, cls._words, fixed)  # type: ignore[method-assign]
        about = "\n".join(
            f"    {word}: [{', '.join(names)}] {text}" for word, each in helps.items() for text, names in each.items()
        )
        cls.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}\n\nParameters of the mechanisms:\n\n{about}\n"

    def _keep(self, parameters: dict[str, Any]) -> None:
        foreign = sorted(set(parameters) - set(self._words))
        if foreign:
            name = type(self).__name__
            raise TypeError(
                f"{name} has no parameter {foreign[0]!r}; mechanisms have: {', '.join(self._words)}"
            )
        for word in self._words:
            setattr(self, word, parameters.get(word))

    def _given(self) -> dict[str, Any]:
        return {word: getattr(self, word) for word in self._words}


def _checked_texts(texts: Any) -> Any:
    one_column(texts, "TextPrivatizer takes")
    return texts.astype(object) if isinstance(texts, np.ndarray) and texts.dtype.kind == "U" else texts


class TextPrivatizer(TransformerMixin, _FromRegistry, kind="words", auto_wrap_output_keys=None):
    """Texts in, private texts out, of the same kind: list, Series, Arrow or NumPy array. Needs no `fit`.

    mechanism: a word mechanism of `sotto.mechanisms()`; model: a path, a Model, or None for the default
    model; unknown, anchor, strip_html, threads, ledger, subject: as in `sotto.Privatizer`. Lists and Series
    carry the report of the release. With a ledger `transform` debits, and `fit` does not. Each call of `transform` is a
    new release of the texts (see the module's text).

    queries: what a fitted pipeline does with the texts of `predict`, `score` and `transform`. "private", the default,
    releases them. "clear_not_private" hands them on as they are: for a model that was trained on private texts and is
    asked inside the building. `fit_transform`, which is what `Pipeline.fit` calls, always releases.
    releases: "once", the default, warns (RepeatedReleaseWarning) if more than half of the texts of a call were
    released before in this process; "many" says that this is meant. The count is in memory only, as keyed hashes.

    >>> sotto.TextPrivatizer(mechanism="tem", epsilon=2).get_params()["epsilon"]
    2
    """

    def __init__(
        self,
        mechanism: str = "tem",
        model: ModelPlace = None,
        *,
        unknown: str = "anchor",
        anchor: str | None = None,
        strip_html: bool = False,
        threads: int = 0,
        ledger: sotto.Ledger | None = None,
        subject: str | None = None,
        queries: str = "private",
        releases: str = "once",
        **parameters: Any,
    ) -> None:
        self.mechanism = mechanism
        self.model = model
        self.unknown = unknown
        self.anchor = anchor
        self.strip_html = strip_html
        self.threads = threads
        self.ledger = ledger
        self.subject = subject
        self.queries = queries
        self.releases = releases
        self._keep(parameters)

    def _privatizer(self) -> sotto.Privatizer:
        names = ("unknown", "anchor", "strip_html", "threads", "ledger", "subject")
        options = {name: getattr(self, name) for name in names}
        return Configuration.of(self.mechanism, self.model, self._given(), **options).privatizer()

    def fit(self, X: Any, y: Any = None) -> TextPrivatizer:
        """Learns nothing: has the engine judge the parameters and build the mechanism."""
        _checked_texts(X)
        self._check_choices()
        self._privatizer()
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """A fresh release of X, whatever `queries` says: the texts to learn from."""
        return self.fit(X, y)._release(X)

    def transform(self, X: Any) -> Any:
        """A fresh release of X; X itself with queries="clear_not_private"."""
        self._check_choices()
        return X if self.queries == "clear_not_private" else self._release(X)

    def _release(self, X: Any) -> Any:
        texts = _checked_texts(X)
        if hasattr(texts, "__next__"):
            texts = list(texts)
        released = self._privatizer().privatize(texts)
        if self.releases == "once":
            counts = _released.note(texts.to_pylist() if hasattr(texts, "to_pylist") else texts)
            _released.warn_if_repeated(*counts, stacklevel=4)
        return released

    def _check_choices(self) -> None:
        for name, allowed in (("queries", ("private", "clear_not_private")), ("releases", ("once", "many"))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}={getattr(self, name)!r}: it must be {allowed[0]!r} or {allowed[1]!r}")

    @property
    def guarantee(self) -> str:
        """The mechanism's sentence."""
        return str(self._privatizer().mechanism.guarantee)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.non_deterministic = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags


class VectorPrivatizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _FromRegistry, kind="vectors"):
    """Vectors in, private vectors out: one release for each row of a 2-d array or of a scipy.sparse matrix.

    mechanism: a vector mechanism of `sotto.mechanisms()`; model: a path or a Model whose public vectors may
    shape the projection, or None. `fit` takes the number of columns and nothing else from X. The promise is
    per row: of a person with several rows the losses add up, and so they do over calls of `transform` (see
    the module's text)."""

    def __init__(self, mechanism: str = "privemb", model: ModelPlace = None, **parameters: Any) -> None:
        self.mechanism = mechanism
        self.model = model
        self._keep(parameters)

    def _engine(self, columns: int) -> sotto.VectorMechanism:
        # Configuration names the model only; an empty mechanism, since dimension_in belongs to the key.
        model = None if self.model is None else Configuration.of("", self.model, {})
        return vector_mechanism(self.mechanism, model, columns, given(self._given()))

    def fit(self, X: Any, y: Any = None) -> VectorPrivatizer:
        """Takes the number of columns, and has the engine judge the parameters."""
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr")
        self._n_features_out = self._engine(X.shape[1]).output_dim
        return self

    def transform(self, X: Any) -> Any:
        """A fresh release of every row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse="csr", reset=False)
        return self._engine(X.shape[1]).release(X)

    @property
    def guarantee(self) -> str:
        """The mechanism's sentence, which depends on the number of columns: after `fit`."""
        check_is_fitted(self)
        return str(self._engine(self.n_features_in_).guarantee)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.sparse = True
        return tags


class PrivEmb(VectorPrivatizer, mechanism="privemb"):
    """VectorPrivatizer of the mechanism `privemb`: `PrivEmb(dimension=50, epsilon=10).fit_transform(X)`."""
