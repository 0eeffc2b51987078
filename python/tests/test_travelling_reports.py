"""What travels with released texts, into files and other processes: the public report at most, never a count that
was taken from the texts."""
from __future__ import annotations

import copy
import json
import pathlib
import pickle
from typing import Any

import pytest

import sotto

# One of three words is unknown to the model: the count would tell.
TEXTS = ["the zqxcanaryword doctor", "tea"]
COUNTED = ("counts", "unknown_tokens", "inserted_spaces", "longest_document", "worst_case_longest_document")


@pytest.fixture()
def private(tem: sotto.Mechanism) -> sotto.Privatizer:
    return sotto.Privatizer(tem)


def counts_in(carried: Any) -> list[str]:
    """Keys of the data holder's report that stand anywhere in an object, its pickle or its text."""
    texts = [carried if isinstance(carried, bytes) else pickle.dumps(carried)]
    if isinstance(carried, dict):
        texts.append(json.dumps(carried).encode())
    return [name for name in (*COUNTED, "zqxcanaryword") if any(name.encode() in text for text in texts)]


def test_the_search_finds_a_count(private: sotto.Privatizer) -> None:
    out = private.privatize(TEXTS)
    assert "unknown_tokens" in counts_in(out.report) and "longest_document" in counts_in({"inner": private.report})


def test_a_series_carries_the_public_report(private: sotto.Privatizer) -> None:
    pandas = pytest.importorskip("pandas")
    given = pandas.Series(TEXTS, name="text")
    given.attrs["source"] = "a note of the user about the clear texts"
    out = private.privatize(given)
    assert out.attrs == {"sotto_report": private.public_report} and counts_in(out.attrs["sotto_report"]) == []
    for made in (out, out.copy(), out.to_frame(), out.str.upper(), copy.deepcopy(out), pickle.loads(pickle.dumps(out))):
        assert counts_in(made) == [] and counts_in(dict(made.attrs)) == []
    # The data holder still has the full report.
    assert private.report["counts"]["documents"] == 2 and private.report["counts"]["unknown_tokens"] == 1


def test_parquet_files_hold_no_counts(private: sotto.Privatizer, tmp_path: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "released.parquet"
    private.privatize(pandas.Series(TEXTS, name="text")).to_frame().to_parquet(path)
    metadata = b" ".join(part for pair in (parquet.read_metadata(path).metadata or {}).items() for part in pair)
    assert b"sotto_report" in metadata  # pandas does write attrs; else this test shows nothing
    assert counts_in(metadata) == [] and counts_in(path.read_bytes()) == []
    frame = pandas.DataFrame({"id": [1, 2], "text": TEXTS})
    frame = frame.assign(text=private.privatize(frame["text"]))
    frame.to_parquet(path)
    assert counts_in(path.read_bytes()) == []


def test_other_containers_carry_nothing(private: sotto.Privatizer) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    numpy = pytest.importorskip("numpy")
    for given in (pyarrow.array(TEXTS), pyarrow.chunked_array([TEXTS]), numpy.array(TEXTS, dtype=object)):
        assert counts_in(private.privatize(given)) == []
    listed = private.privatize(TEXTS)
    for made in (listed, listed[:], copy.copy(listed), copy.deepcopy(listed)):
        assert counts_in(pickle.dumps(made)) == []
    assert counts_in(pickle.dumps(private)) == [] and counts_in(json.dumps(listed).encode()) == []


def test_estimators_carry_no_counts(model_path: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    estimator = sotto.TextPrivatizer(model=model_path, epsilon=2)
    series = estimator.fit_transform(pandas.Series(TEXTS))
    assert counts_in(series) == [] and counts_in(dict(series.attrs)) == []
    assert counts_in(pickle.dumps(estimator)) == []


def test_spacy_docs_carry_no_counts(model_path: pathlib.Path) -> None:
    spacy = pytest.importorskip("spacy")
    import sotto.spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sotto", config={"model": str(model_path), "epsilon": 2})
    doc = nlp(TEXTS[0])
    released = sotto.spacy.private_doc(doc, nlp)
    assert counts_in(released.to_bytes()) == [] and not released.user_data
    assert counts_in(nlp.config.to_str().encode()) == []
    # The Doc that went through the pipe holds the clear text beside the private one, and no report.
    assert counts_in(doc.to_bytes()) == ["zqxcanaryword"]


def test_presidio_results_carry_no_counts(model_path: pathlib.Path) -> None:
    anonymizer = pytest.importorskip("presidio_anonymizer")
    from presidio_anonymizer.entities import OperatorConfig, RecognizerResult

    from sotto.presidio import SottoOperator

    engine = anonymizer.AnonymizerEngine()
    engine.add_anonymizer(SottoOperator)
    found = [RecognizerResult("PERSON", 0, len(TEXTS[0]), 1.0)]
    operators = {"PERSON": OperatorConfig("sotto", {"model": str(model_path), "epsilon": 2})}
    result = engine.anonymize(TEXTS[0], found, operators)
    assert counts_in(result.to_json().encode()) == []


def test_spark_rows_carry_no_report(model_path: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    from sotto.spark import privatize_partitions

    work = privatize_partitions("text", model=model_path, epsilon=2)
    frame = next(iter(work(iter([pandas.DataFrame({"text": TEXTS})]))))
    assert dict(frame.attrs) == {} and dict(frame["text"].attrs) == {}
