"""A Presidio anonymiser that replaces each span it is given by privatised text.

    engine = presidio_anonymizer.AnonymizerEngine()
    engine.add_anonymizer(sotto.presidio.SottoOperator)
    engine.anonymize(text, found, {"PERSON": OperatorConfig("sotto", {"epsilon": 2})})

Presidio's model is not ours: what its analyser does not find stays in clear, and so do the place, type and
length of what it finds, since the analyser decides by the private text. The mechanism's guarantee holds for
the words of the spans, the status of the whole text is `not_private` (`STATUS`). To protect all words use
`sotto.Privatizer`."""

from __future__ import annotations

from typing import Any

from presidio_anonymizer.entities import InvalidParamError
from presidio_anonymizer.operators import Operator, OperatorType

from sotto._configuration import Configuration

__all__ = ["STATUS", "SottoOperator"]

# Of a text anonymised span by span, whatever the mechanism.
STATUS = "not_private"

OPTIONS = ("unknown", "anchor", "strip_html", "threads")


def _configuration(params: dict[str, Any] | None) -> Configuration:
    named = dict(params or {})
    named.pop("entity_type", None)  # Presidio adds it to every call
    mechanism = named.pop("mechanism", "tem")
    model = named.pop("model", None)
    options = {name: named.pop(name) for name in OPTIONS if name in named}
    return Configuration.of(mechanism, model, named, **options)


class SottoOperator(Operator):
    """Parameters: mechanism (tem), model (a path; the default model), the options of `sotto.Privatizer`
    (unknown, anchor, strip_html, threads), and the mechanism's own, such as epsilon."""

    def operate(self, text: str, params: dict[str, Any] | None = None) -> str:
        """A fresh release of the span at every call, also of the same span."""
        return str(_configuration(params).privatizer().privatize([text])[0])

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """Refuses what the engine refuses, with its message, as Presidio's own error."""
        try:
            _configuration(params).privatizer()
        except (ValueError, KeyError, OSError, TypeError) as error:
            raise InvalidParamError(str(error)) from error

    def operator_name(self) -> str:
        return "sotto"

    def operator_type(self) -> OperatorType:
        return OperatorType.Anonymize
