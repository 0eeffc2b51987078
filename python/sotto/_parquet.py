"""A Parquet file in, a Parquet file with one private column out: `python -m sotto privatize`.

The output is whole or absent: it is written to a temporary file in the same folder that only its owner can read, and
gets its name when everything, the report included, is done. Messages never quote a cell, and no fault of pyarrow is
shown as it is, because it may.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sotto

DONE, IS_NO = 0, 1
_MANY_UNKNOWN = 0.1


class BadData(Exception):
    """The file cannot be read, or the column holds no text."""


class Stopped(Exception):
    """Ran, and the answer is no: the setting hides next to nothing."""


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from None
    return parquet


def _say(line: str) -> None:
    print(f"sotto: {line}", file=sys.stderr)


def _opened(path: str) -> Any:
    parquet = _parquet()
    with open(path, "rb"):  # an OSError of our own words
        pass
    with _without_quotes(f"{path} is not a Parquet file that pyarrow reads; the program `sotto privatize` takes text, "
                         "CSV, TSV and JSON lines"):
        return parquet.ParquetFile(path)


@contextlib.contextmanager
def _without_quotes(message: str) -> Iterator[None]:
    """pyarrow's messages may quote the file."""
    import pyarrow

    failed = False
    try:
        yield
    except (pyarrow.ArrowException, OSError):  # a damaged page is an OSError
        failed = True
    if failed:
        raise BadData(message)


def columns(path: str) -> int:
    schema = _opened(path).schema_arrow
    for number, field in enumerate(schema, start=1):
        print(f"{number}\t{field.name}\t{field.type}")
    return DONE


def _is_text(kind: Any) -> bool:
    import pyarrow

    inner = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    return bool(pyarrow.types.is_string(inner) or pyarrow.types.is_large_string(inner))


def _chosen(schema: Any, wanted: list[str], path: str) -> int:
    """The number of the column, from 0."""
    if len(wanted) > 1:
        raise ValueError("one `column=` at a time: run it again on the output for another one, since the losses of the "
                         "columns of a row add up")
    name = wanted[0]
    found = [place for place, field in enumerate(schema) if field.name == name]
    if len(found) > 1:
        raise ValueError(f"--column: {len(found)} columns have this name; choose by number, 1 to {len(schema)}")
    if not found and name.isdecimal() and 1 <= int(name) <= len(schema):
        found = [int(name) - 1]
    if not found:
        raise ValueError(f"--column {name}: there is no such column; the file has {len(schema)}, and `python -m sotto "
                         f"columns {path}` shows them")
    kind = schema.field(found[0]).type
    if not _is_text(kind):
        raise BadData(f"column {found[0] + 1} holds {kind}, not text; choose another column")
    return found[0]


def _check_outputs(arguments: Any) -> None:
    if arguments.public_report and not arguments.report:
        raise ValueError("--public-report needs a report: add --report FILE")
    places = [Path(place).resolve() for place in (arguments.output, arguments.report) if place]
    if Path(arguments.file).resolve() in places or len(set(places)) < len(places):
        raise ValueError("the input, the output and the report are three files; choose another name for one of them")
    for place in (arguments.output, arguments.report):
        if place and os.path.exists(place) and not arguments.force:
            raise ValueError(f"{place} exists; use --force to replace it, or another name")


def _announce(privatizer: sotto.Privatizer, arguments: Any) -> None:
    made, share = privatizer.mechanism, privatizer.expected_unchanged
    if not arguments.quiet:
        _say(f"{made.name} with {', '.join(f'{name} {text}' for name, text in made.parameters.items())} on "
             f"{len(made.model):,} words of {made.model.name or 'the model'}")
        _say(f"guarantee: {made.guarantee}")
        _say(f"expected: {share:.1%} of the words stay as they are")
    if privatizer.status != "proven":
        _say(f"warning: the status of this release is {privatizer.status}")
    if privatizer.strength == "none" and not arguments.allow_weak:
        raise Stopped(f"stopped, nothing was written: {share:.1%} of the words would stay as they are, which hides next to "
                      "nothing; try a smaller --epsilon, or go on with --allow-weak")
    if privatizer.strength != "ok":
        _say("warning: weak: most words are expected to stay as they are; a smaller --epsilon changes more")


class _WholeFile:
    """A file that appears under its name at the end, or not at all."""

    def __init__(self, path: str, replace: bool) -> None:
        self._path, self._replace = Path(path), replace
        handle, self.name = tempfile.mkstemp(prefix=f".{self._path.name}.", suffix=".part", dir=self._path.parent or ".")
        os.close(handle)  # made with mode 0600

    def commit(self) -> None:
        with open(self.name, "rb") as written:
            os.fsync(written.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(self.name, 0o666 & ~mask)
        if self._replace:
            os.replace(self.name, self._path)
        else:
            os.link(self.name, self._path)  # refuses a file that appeared meanwhile
            os.unlink(self.name)

    def remove(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.name)


@contextlib.contextmanager
def _whole_files(arguments: Any) -> Iterator[tuple[_WholeFile, _WholeFile | None]]:
    data = _WholeFile(arguments.output, arguments.force)
    report = None
    try:
        report = _WholeFile(arguments.report, arguments.force) if arguments.report else None
        yield data, report
    finally:
        data.remove()
        if report is not None:
            report.remove()


def _private_column(privatizer: sotto.Privatizer, column: Any, number: int) -> Any:
    import pyarrow

    # The column is named by its number: it is not the text that pyarrow would quote.
    with _without_quotes(f"column {number + 1} cannot be written again in its type {column.type}"):
        plain = column.cast(column.type.value_type) if pyarrow.types.is_dictionary(column.type) else column
        released = privatizer.privatize(plain)
        return released.dictionary_encode().cast(column.type) if pyarrow.types.is_dictionary(column.type) else released


def _copy(source: Any, target: str, number: int, privatizer: sotto.Privatizer, path: str) -> None:
    parquet = _parquet()
    schema = source.schema_arrow
    compression = _compression(source)
    with parquet.ParquetWriter(target, schema, compression=compression) as writer:
        for group in range(source.num_row_groups):
            with _without_quotes(f"{path}: row group {group + 1} is damaged"):
                table = source.read_row_group(group)
            try:
                made = _private_column(privatizer, table.column(number), number)
            except (TypeError, ValueError) as fault:  # the engine's: a place in the row group, never a text
                raise BadData(f"row group {group + 1}: {fault}") from None
            table = table.set_column(number, schema.field(number), made)
            writer.write_table(table.cast(schema), row_group_size=max(1, table.num_rows))


def _compression(source: Any) -> str:
    if source.num_row_groups == 0 or source.metadata.num_columns == 0:
        return "snappy"
    found = source.metadata.row_group(0).column(0).compression.lower()
    return "none" if found == "uncompressed" else found


def _sha256(path: str) -> str:
    hashed = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            hashed.update(block)
    return hashed.hexdigest()


def privatize(arguments: Any, parameters: dict[str, Any]) -> int:
    source = _opened(arguments.file)
    number = _chosen(source.schema_arrow, arguments.column, arguments.file)
    model = sotto.Model.open(arguments.model) if arguments.model else sotto.Model.default()
    mechanism = sotto.Mechanism(arguments.mechanism, model, threads=arguments.threads, **parameters)
    privatizer = sotto.Privatizer(mechanism, unknown=arguments.unknown, anchor=arguments.unknown_word,
                                  strip_html=arguments.strip_html, threads=arguments.threads, warn_weak=False,
                                  certify=arguments.certify)
    _check_outputs(arguments)
    _announce(privatizer, arguments)
    started = time.monotonic()
    with _whole_files(arguments) as (data, report):
        _copy(source, data.name, number, privatizer, arguments.file)
        if report is not None:
            others = [place for place in range(len(source.schema_arrow)) if place != number]
            facts = {
                "format": "parquet",
                "column": source.schema_arrow.field(number).name,
                "passed_through": [str(place + 1) for place in others],
                "passed_names": [source.schema_arrow.field(place).name for place in others],
                "released": (Path(arguments.output).name, _sha256(data.name)),
            }
            Path(report.name).write_text(privatizer._file_report(facts, arguments.public_report), encoding="utf-8")
            report.commit()  # first: data under its name means that all went well
        data.commit()
    _summarise(privatizer, arguments, time.monotonic() - started)
    return DONE


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _summarise(privatizer: sotto.Privatizer, arguments: Any, seconds: float) -> None:
    counts = privatizer.report["counts"]
    tokens, unknown = counts["tokens"], counts["unknown_tokens"]
    if arguments.quiet:
        return
    share = unknown / tokens if tokens else 0.0
    _say(f"{_counted(counts['documents'], 'document')}, {_counted(tokens, 'token')} ({share:.1%} unknown) in {seconds:.1f} s")
    if share > _MANY_UNKNOWN:
        _say(f"{share:.0%} of the tokens are unknown to the model and became the anchor word \"{privatizer.anchor}\": a model "
             "with more words keeps more of the meaning (for you alone: the share tells of the text)")
    _say(f"status: {privatizer.status}; strength: {privatizer.strength}"
         + (f"; report in {arguments.report}" if arguments.report else ""))
