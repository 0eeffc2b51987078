"""Answers for people: a short table on `print`, HTML in notebooks, a pandas DataFrame, and plots."""
from __future__ import annotations

import decimal
import html
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

    from ._answers import Answer

_MOST_ROWS = 12  # of a printed table
_MOST_COLUMNS = 8
_WIDEST_CELL = 40
# The lists that an answer is about, the first that it has.
_TABLES = ("outputs", "points", "distance_bands", "worst_pairs", "pairs", "guesses", "checks", "mechanisms", "attackers",
           "models", "bands", "accounts", "problems")
_BOUNDS = ("certified_epsilon", "additive_loss", "largest_word_loss", "loss", "epsilon")
# The columns of a short table; all for the others.
_CHOSEN = {"points": ("mechanism", "parameters", "strength", "certified_epsilon", "e_opt", "loss_changed", "loss_distance",
                      "loss_labels", "on_frontier"),
           "accounts": ("account", "kind", "metric", "spent", "limit", "remaining", "debits", "last_debit")}
_FACTS = ("word", "mechanism", "parameters", "metric", "model", "certified_epsilon", "status", "strength", "verdict", "holds")


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_figure(value: Any) -> bool:
    return _is_object(value) and "kind" in value and ("value" in value or "bracket" in value or "meaning" in value)


def _settings(value: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={text}" for key, text in value.items())


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values only: objects within an object become columns of their own, lists are left out."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if key == "parameters" and _is_object(value):
            out[key] = _settings(value)
        elif _is_figure(value):
            ends = value.get("interval") or value.get("bracket") or (None, None)
            out[key] = value.get("value")
            out[f"{key}_low"], out[f"{key}_high"] = ends
        elif key == "figures":
            out.update(_flat(value))
        elif _is_object(value):
            out.update({f"{key}.{inner}": plain for inner, plain in _flat(value).items()})
        elif not isinstance(value, tuple):
            out[key] = value
    return out


def rows(answer: Answer) -> list[dict[str, Any]]:
    """The table of an answer: a row for each entry of the list that it is about, or one row."""
    for key in _TABLES:
        found = answer.get(key)
        if isinstance(found, tuple) and found and all(_is_object(one) for one in found):
            return [_flat(one) for one in found]
    return [_flat(answer)]


def to_pandas(answer: Answer) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("to_pandas() needs pandas: pip install pandas") from missing
    return pandas.DataFrame(rows(answer))


def _rounded_up(value: float) -> str:
    """Four digits. What is printed is still an upper bound."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    exact = decimal.Decimal(repr(value))
    return f"{float(exact.quantize(decimal.Decimal((0, (1,), exact.adjusted() - 3)), decimal.ROUND_CEILING)):.4g}"


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    number = _rounded_up if name.rsplit(".", 1)[-1] in _BOUNDS else "{:.4g}".format
    text = number(value) if isinstance(value, float) else str(value)
    return text if len(text) <= _WIDEST_CELL else text[: _WIDEST_CELL - 3] + "..."


def _facts(answer: Answer) -> str:
    found = []
    for key in _FACTS:
        value = answer.get(key)
        if value is None or key not in answer:
            continue
        if _is_object(value):
            value = _settings(value) if key == "parameters" else value.get("name", "")
        if value == "":
            continue
        found.append(f"{key} {_cell(key, value) if not isinstance(value, str) else value}")
    if answer.get("recommended") is not None:
        found.append(f"recommended {answer['recommended']['mechanism']} {_settings(answer['recommended']['parameters'])}")
    return "; ".join(found)


def _shown(answer: Answer) -> tuple[list[str], list[list[str]], int]:
    """Column names, cells, and how many rows were left out."""
    table = rows(answer)
    if "points" in answer:
        table = [row for row in table if row.get("on_frontier")] or table
    names: list[str] = []
    for row in table:
        names += [name for name in row if name not in names]
    chosen = next((_CHOSEN[key] for key in _TABLES if key in answer and key in _CHOSEN), names)
    names = [name for name in chosen if name in names]
    # A column without a value, or an interval's end, tells little in a short table.
    names = [name for name in names if any(row.get(name) is not None for row in table)
             and not name.endswith(("_low", "_high"))][:_MOST_COLUMNS]
    shown = table[:_MOST_ROWS]
    return names, [[_cell(name, row.get(name)) for name in names] for row in shown], len(rows(answer)) - len(shown)


def _is_wide(answer: Answer) -> bool:
    return any(isinstance(answer.get(key), tuple) and answer.get(key) for key in _TABLES)


def as_text(answer: Answer) -> str:
    if not _is_wide(answer):
        return _facts(answer) if "verdict" in answer else repr(answer)
    names, cells, left = _shown(answer)
    widths = [max(len(name), *(len(row[i]) for row in cells)) for i, name in enumerate(names)]
    lines = [_facts(answer)] if _facts(answer) else []
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [names, *cells]]
    if left:
        lines.append(f"... {left} more rows; to_pandas() has all rows and columns")
    return "\n".join(lines)


def as_html(answer: Answer) -> str:
    names, cells, left = _shown(answer)

    def row(tag: str, texts: Sequence[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"

    note = f"<p>... {left} more rows; to_pandas() has all rows and columns</p>" if left else ""
    return (f"<p>{html.escape(_facts(answer))}</p><table><thead>{row('th', names)}</thead><tbody>"
            f"{''.join(row('td', one) for one in cells)}</tbody></table>{note}")


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plot() needs matplotlib: pip install matplotlib") from missing
    return pyplot.subplots()[1]


def plot(answer: Answer, axes: Any = None) -> Any:
    """Draws the answer and returns the matplotlib axes."""
    table = rows(answer)
    if "outputs" in answer:
        axes = _axes(axes)
        shown = table[::-1]
        axes.barh([row["word"] for row in shown], [row["p"] for row in shown])
        axes.set_xlabel("probability of the output")
        axes.set_title(f"{answer['word']}: {answer['mechanism']}, epsilon {answer['parameters'].get('epsilon', 'none')}")
    elif "points" in answer:
        axes = _axes(axes)
        loss = answer["loss"]["figure"]
        for family in dict.fromkeys(row["family"] for row in table):
            own = [row for row in table if row["family"] == family and row.get("e_opt") is not None and row.get(loss) is not None]
            axes.plot([row["e_opt"] for row in own], [row[loss] for row in own], "o", label=family, markersize=3)
        axes.set_xlabel("E_opt: how often the best attacker is wrong")
        axes.set_ylabel(f"L: {answer['loss']['meaning']}")
        axes.legend()
    elif answer.get("bands"):
        axes = _axes(axes)
        shown = [row for row in table if row.get("e_opt") is not None]
        axes.barh([row["name"] for row in shown][::-1], [row["e_opt"] for row in shown][::-1])
        axes.set_xlabel("E_opt: how often the best attacker is wrong")
    elif answer.get("distance_bands"):
        axes = _axes(axes)
        axes.plot([row["distance"] for row in table], [row["epsilon"] for row in table], "o-", markersize=3)
        axes.axhline(answer["nominal_epsilon"], linestyle="--", label="nominal epsilon")
        axes.set_xlabel("distance of two words")
        axes.set_ylabel("largest loss divided by distance")
        axes.legend()
    else:
        raise TypeError(f"{type(answer).__name__} has no plot; those of explain, measure, certify (with distance bands) and tune do")
    return axes
