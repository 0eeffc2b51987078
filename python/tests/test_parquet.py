"""`python -m sotto privatize`: a Parquet file in, a Parquet file out, whole or absent."""
from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import sotto
from conftest import CANARY

pyarrow = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402


def table(rows: int = 60) -> object:
    texts = [None if i % 7 == 3 else f"The doctor number {i} drank tea, slowly." for i in range(rows)]
    schema = pyarrow.schema(
        [pyarrow.field("id", pyarrow.int32(), nullable=False), pyarrow.field("text", pyarrow.large_string()),
         pyarrow.field("kind", pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
         pyarrow.field("tags", pyarrow.list_(pyarrow.string()))],
        metadata={b"owner": b"clinic"})
    kinds = pyarrow.array(["visit", "call"] * (rows // 2)).dictionary_encode().cast(schema.field("kind").type)
    return pyarrow.table([pyarrow.array(range(rows), pyarrow.int32()), pyarrow.array(texts, pyarrow.large_string()), kinds,
                          pyarrow.array([["a", "b"]] * rows)], schema=schema)


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    parquet.write_table(table(), tmp_path / "in.parquet", row_group_size=25, compression="zstd")
    return tmp_path / "in.parquet"


def run(*words: object, folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "sotto", *map(str, words)], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})


def privatize(file: pathlib.Path, model_path: pathlib.Path, *words: object) -> subprocess.CompletedProcess[str]:
    return run("privatize", file, "--model", model_path, "-o", file.parent / "out.parquet", *words, folder=file.parent)


def test_everything_else_is_kept(file: pathlib.Path, model_path: pathlib.Path) -> None:
    done = privatize(file, model_path, "--column", "text", "--epsilon", "2", "--report", file.parent / "r.json")
    assert done.returncode == 0 and done.stdout == "", done.stderr
    assert "expected: " in done.stderr and "51 documents, " in done.stderr
    source, made = parquet.ParquetFile(file), parquet.ParquetFile(file.parent / "out.parquet")
    assert made.schema_arrow.equals(source.schema_arrow, check_metadata=True)
    assert [made.metadata.row_group(i).num_rows for i in range(3)] == [25, 25, 10]
    assert made.metadata.row_group(0).column(0).compression == "ZSTD"
    before, after = source.read(), made.read()
    for name in ("id", "kind", "tags"):
        assert after.column(name).equals(before.column(name))
    old, new = before.column("text").to_pylist(), after.column("text").to_pylist()
    assert [text is None for text in old] == [text is None for text in new] and old != new
    vocabulary = set(sotto.Model.open(model_path, cache=False).words)
    assert all(set(text.rstrip(".").replace(",", "").split()) <= vocabulary for text in new if text)
    report = json.loads((file.parent / "r.json").read_text())
    assert report["counts"]["documents"] == 51 and report["settings"]["columns"] == "text"
    assert "Passed through in clear: columns id, kind, tags." in report["leaks"]
    digest = subprocess.run(["sha256sum", file.parent / "out.parquet"], capture_output=True, text=True).stdout.split()[0]
    assert report["released"] == [{"name": "out.parquet", "sha256": digest}]
    follows = sotto.verify(report, sotto.Model.open(model_path, cache=False), released=[file.parent / "out.parquet"])
    assert follows.follows, follows
    assert sorted(path.name for path in file.parent.iterdir() if path.is_file()) == ["in.parquet", "out.parquet", "r.json"]
    assert (file.parent / "out.parquet").stat().st_mode & 0o777 == 0o666 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_public_report_has_numbers_of_columns(file: pathlib.Path, model_path: pathlib.Path) -> None:
    done = privatize(file, model_path, "--column", 2, "--epsilon", "2", "--report", file.parent / "r.json", "--public-report")
    assert done.returncode == 0, done.stderr
    text = (file.parent / "r.json").read_text()
    assert "Passed through in clear: columns 1, 3, 4." in text and "counts" not in text and "tags" not in text


def test_a_dictionary_column(file: pathlib.Path, model_path: pathlib.Path) -> None:
    done = privatize(file, model_path, "--column", "kind", "--epsilon", "2", "--quiet")
    assert done.returncode == 0, done.stderr
    assert parquet.read_schema(file.parent / "out.parquet").field("kind").type == table().schema.field("kind").type  # type: ignore[attr-defined]


@pytest.mark.parametrize("words, code, message", [
    (["--column", "txt", "--epsilon", 2], 2, "--column txt: there is no such column; the file has 4"),
    (["--column", "id", "--epsilon", 2], 3, "column 1 holds int32, not text"),
    (["--column", "text"], 2, "tem needs --epsilon"),
    (["--column", "text", "--epsilon", -1], 2, "--epsilon must be a finite number above 0"),
    (["--column", "text", "--column", "kind", "--epsilon", 2], 2, "one --column at a time"),
    (["--column", "text", "--mechanism", "tim", "--epsilon", 2], 2, "did you mean"),
    (["--column", "text", "--epsilon", 900], 1, "stopped, nothing was written"),
])
def test_refused(file: pathlib.Path, model_path: pathlib.Path, words: list[object], code: int, message: str) -> None:
    done = privatize(file, model_path, *words)
    assert done.returncode == code and message in done.stderr, done.stderr
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == ["in.parquet"]


def test_an_existing_file_needs_force(file: pathlib.Path, model_path: pathlib.Path) -> None:
    (file.parent / "out.parquet").write_text("mine")
    words = ("--column", "text", "--epsilon", 2)
    assert "exists; use --force" in privatize(file, model_path, *words).stderr
    assert (file.parent / "out.parquet").read_text() == "mine"
    wrong = privatize(file, model_path, "--column", "txt", "--epsilon", 2)
    assert "there is no such column" in wrong.stderr, "a bad column is found first"
    assert privatize(file, model_path, *words, "--force").returncode == 0


def test_damage_is_told_without_the_text(tmp_path: pathlib.Path, model_path: pathlib.Path) -> None:
    bad = tmp_path / "in.parquet"
    parquet.write_table(pyarrow.table({"text": [CANARY * 50] * 2000}), bad, compression="none", use_dictionary=False)
    held = bytearray(bad.read_bytes())
    held[40:4000] = b"\xff" * 3960
    bad.write_bytes(held)
    done = privatize(bad, model_path, "--column", "text", "--epsilon", 2)
    assert done.returncode == 3 and CANARY not in done.stderr, done.stderr
    bad.write_text(f"{CANARY}\n")
    done = privatize(bad, model_path, "--column", "text", "--epsilon", 2)
    assert done.returncode == 3 and "is not a Parquet file" in done.stderr and CANARY not in done.stderr
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["in.parquet"]


def test_stopped_halfway_nothing_is_left(tmp_path: pathlib.Path, model_path: pathlib.Path) -> None:
    parquet.write_table(table(400_000), tmp_path / "in.parquet", row_group_size=2000)
    running = subprocess.Popen([sys.executable, "-m", "sotto", "privatize", "in.parquet", "--column", "text", "--epsilon", "2",
                                "--model", str(model_path), "-o", "out.parquet"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    while running.poll() is None and not list(tmp_path.glob(".out.parquet.*.part")):
        time.sleep(0.01)
    for part in tmp_path.glob(".out.parquet.*.part"):
        assert part.stat().st_mode & 0o777 == 0o600
    running.send_signal(signal.SIGTERM)
    assert running.wait() == 128 + signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_columns_are_shown_on_request(file: pathlib.Path) -> None:
    done = run("columns", file, folder=file.parent)
    assert done.returncode == 0 and done.stdout.splitlines()[:2] == ["1\tid\tint32", "2\ttext\tlarge_string"]
