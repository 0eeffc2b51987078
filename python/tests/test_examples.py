"""The examples run as they stand, on a small model."""

import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/python"


def run(name, *words):
    for needed in ("sklearn", "pandas"):
        pytest.importorskip(needed)
    command = [sys.executable, str(EXAMPLES / name), *map(str, words)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "promise" in ran.stdout
    return {
        float(row[0]): [float(cell) for cell in row[1:]]
        for row in (
            line.split() for line in ran.stdout.splitlines() if re.match(r"\s*[\d.]+ +[\d.]+ +[\d.]+$", line)
        )
    }


def test_classify(model_path):
    table = run("classify.py", "--model", model_path, "--rows", 1500, "--epsilon", 0.1, 50)
    # Between chance and clear text; the margins are wide, since the noise is fresh at every run.
    assert table[0.1][1] < 0.85 and table[50][1] > 0.9


def test_sentence_vectors(model_path):
    words = ["--model", model_path, "--rows", 1500, "--dimension", 20, "--epsilon", 0.1, 100000]
    table = run("sentence_vectors.py", *words)
    # The larger class is 0.72 of the texts, and clear vectors of this model reach 0.80.
    assert table[0.1][1] < 0.76 and table[100000][1] > 0.77


def test_learn_private(model_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    command = [sys.executable, str(EXAMPLES / "learn_private.py"), "--model", str(model_path), "--rows", "1500"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    shown = dict(re.findall(r"(direct|lifted|class) +([\d.]+)$", ran.stdout, re.MULTILINE))
    assert set(shown) == {"direct", "lifted", "class"} and float(shown["lifted"]) > 0.5
    assert "promise" in ran.stdout


def test_grid_search(model_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    command = [sys.executable, "-W", "error", str(EXAMPLES / "grid_search.py"), "--model", str(model_path), "--rows", "1000"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr  # also a RepeatedReleaseWarning
    assert "releases of each text: 1;" in ran.stdout and "promise" in ran.stdout
