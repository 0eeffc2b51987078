"""The spaCy pipeline component `sotto`: every Doc gets `doc._.private_text`.

    nlp = spacy.load("en_core_web_sm")
    nlp.add_pipe("sotto", config={"mechanism": "tem", "epsilon": 2})
    doc = nlp("The doctor called.")
    doc._.private_text                      # a release; doc.text and every annotation stay in clear
    sotto.spacy.private_doc(doc, nlp)       # a new Doc, made from the private text alone

The text of a Doc cannot be changed, so a Doc that went through the component holds the clear and the private
text: publish the private text or the private Doc, never `doc.to_bytes()`. The configuration is saved with the
pipeline, the model file and random state are not. Each pass of a text through the pipeline is a new release.
"""

# No postponed annotations here: spaCy reads those of the factory to check a pipeline's configuration.
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from sotto._configuration import Configuration

__all__ = ["SottoComponent", "make_component", "private_doc"]

ATTRIBUTE = "private_text"


class SottoComponent:
    """Plain configuration, to be pickled for `nlp.pipe(n_process=2)`; each process opens the model
    once."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self._declare()

    @staticmethod
    def _declare() -> None:
        # An extension belongs to the process, not to the Doc: a spawned worker has to declare it again.
        if not Doc.has_extension(ATTRIBUTE):
            Doc.set_extension(ATTRIBUTE, default=None)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._declare()

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 1000) -> Iterator[Doc]:
        """Privatises a batch in one call of the engine, which is much faster than text by text."""
        privatizer = self.configuration.privatizer()
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            private = privatizer.privatize([doc.text for doc in batch])
            for doc, text in zip(batch, private):
                doc._.set(ATTRIBUTE, text)
                yield doc


@Language.factory("sotto", assigns=[f"doc._.{ATTRIBUTE}"])
def make_component(
    nlp: Language,
    name: str,
    mechanism: str = "tem",
    epsilon: float | None = None,
    model: str | None = None,
    unknown: str = "anchor",
    anchor: str | None = None,
    strip_html: bool = False,
    threads: int = 0,
    parameters: dict[str, Any] | None = None,
) -> SottoComponent:
    """`parameters`: those of the mechanism beside epsilon, by name; model: a path, None: the default model.

    Whatever the engine refuses is refused here, when the pipe is added or the pipeline loaded.
    """
    options = {"unknown": unknown, "anchor": anchor, "strip_html": strip_html, "threads": threads}
    named = {"epsilon": epsilon, **(parameters or {})}
    configuration = Configuration.of(mechanism, model, named, **options)
    configuration.privatizer()
    return SottoComponent(configuration)


def private_doc(doc: Doc, nlp: Language) -> Doc:
    """A Doc made from `doc._.private_text` alone: tokenised by `nlp`, nothing of the clear Doc copied.

    Further components may run on it (`nlp.get_pipe("ner")(...)`): their answers are functions of the release.
    """
    text = doc._.get(ATTRIBUTE)
    if text is None:
        raise ValueError('the Doc has no private text: did it go through the component "sotto"?')
    return nlp.make_doc(text)
