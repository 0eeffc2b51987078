"""Privatising a column of a Spark DataFrame where its partitions are.

    private = frame.withColumn("text", sotto.spark.privatize_udf(epsilon=2)("text"))
    private = frame.mapInPandas(sotto.spark.privatize_partitions(column="text", epsilon=2), frame.schema)

The configuration travels with the tasks, the model does not: each Python worker opens its file once (mapped,
so the workers of a machine share it) and keeps it for later tasks. The file must be at the same path on every
machine, or sent by `SparkContext.addFile`; one with another content is refused. Noise is drawn afresh in
every call from the operating system's randomness, so no two workers, tasks or attempts share it.

Spark evaluates a plan as often as it is asked to: `count()` and then `write` are two releases, unless the
answer is written or persisted once and read from there. A task that is done again, after a lost executor or
by speculation, draws again; only what reaches the output is released. A ledger debits every batch of every
attempt before a row of it leaves, so redone tasks count twice (docs/spark.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sotto
from sotto._configuration import Configuration, ModelPlace

if TYPE_CHECKING:
    import pandas

__all__ = ["privatize_partitions", "privatize_udf"]

OPTIONS = ("unknown", "anchor", "strip_html", "ledger", "subject")


def _find(path: str) -> str:
    """The path itself, or where Spark put a file of that name that was sent by addFile."""
    if os.path.exists(path):
        return path
    try:
        from pyspark import SparkFiles
    except ImportError:  # nothing can have been sent; the engine says what is wrong with the path
        return path
    sent = str(SparkFiles.get(os.path.basename(path)))
    return sent if os.path.exists(sent) else path


def _configured(mechanism: str, model: ModelPlace, parameters: dict[str, Any]) -> Configuration:
    options = {name: parameters.pop(name) for name in OPTIONS if name in parameters}
    # Spark gives a task one core and runs as many tasks as there are cores.
    configuration = Configuration.of(mechanism, model, parameters, threads=1, warn_weak=False, **options)
    # What the engine refuses is refused on the driver, before a job starts; what it warns of is said once, here.
    sotto.Privatizer(configuration.privatizer(_find).mechanism).warn_if_weak()
    return configuration


def _release(
    privatizer: sotto.Privatizer, texts: pandas.Series[Any], documents: Sequence[str] | None = None
) -> pandas.Series[Any]:
    """By way of a list: a Series would get a report, which nobody reads here."""
    import pandas

    released = privatizer.privatize(texts.tolist(), documents=documents)
    return pandas.Series(list(released), index=texts.index, name=texts.name, dtype=object)


def privatize_udf(mechanism: str = "tem", model: ModelPlace = None, **parameters: Any) -> Any:
    """A pandas UDF from a string column to a string column; nulls stay null.

    Parameters are the mechanism's and the options unknown, anchor, strip_html, ledger and subject of
    `sotto.Privatizer`.
    Declared nondeterministic, so that the optimiser neither repeats nor moves it."""
    import pandas
    from pyspark.sql.functions import pandas_udf
    from pyspark.sql.types import StringType

    configuration = _configured(mechanism, model, parameters)

    def privatize(texts):  # type: ignore[no-untyped-def]
        return _release(configuration.privatizer(_find), texts)

    # By hand: Spark resolves type hints at run time, and this module does not import pandas.
    privatize.__annotations__ = {"texts": pandas.Series, "return": pandas.Series}
    return pandas_udf(privatize, StringType()).asNondeterministic()


def privatize_partitions(
    column: str | Sequence[str],
    mechanism: str = "tem",
    model: ModelPlace = None,
    *,
    document_column: str | None = None,
    **parameters: Any,
) -> Callable[[Iterator[pandas.DataFrame]], Iterator[pandas.DataFrame]]:
    """A function for `DataFrame.mapInPandas(..., frame.schema)`: replaces the column or columns, keeps rows,
    order and the rest.

    Every other column passes in clear. Parameters as for `privatize_udf`. document_column: the ledger's
    identifier of each row's text; it passes in clear like the others.
    """
    columns = [column] if isinstance(column, str) else list(column)
    if document_column is not None and parameters.get("ledger") is None:
        raise ValueError("`document_column` needs a `ledger`")
    if document_column is not None and len(columns) != 1:
        raise ValueError(
            "`document_column` goes with one column of texts: each would count as a release of the document"
        )
    configuration = _configured(mechanism, model, parameters)

    def privatize(frames: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        privatizer = configuration.privatizer(_find)
        for frame in frames:
            # A new frame: Spark may hand out views on its buffers.
            documents = None if document_column is None else frame[document_column].tolist()
            yield frame.assign(**{name: _release(privatizer, frame[name], documents) for name in columns})

    return privatize
