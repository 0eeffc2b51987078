#!/usr/bin/env python3
"""The Python package against the program: the same 100,000 short texts, in turn, in the same run.

    build/venv/bin/python bench/python_bench.py build/sotto [--rounds 5] [--mechanism tem] [--epsilon 2]

Tokens a second of `Privatizer.privatize` (list of str in, list of str out) over those of `sotto privatize` (its own `seconds`,
without start and model). Both begin with a mechanism that has drawn nothing yet; `again` is a second call in Python, which the
program cannot have. The best of each over the rounds, so that other load on the machine counts little; read the ratios.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

import sotto


def make_texts(model: sotto.Model, count: int) -> list[str]:
    """4 to 20 words each, with the public frequencies of ranks; a comma and a full stop."""
    rng = numpy.random.default_rng(1)
    weights = 1 / (numpy.arange(len(model)) + 2.7)
    lengths = rng.integers(4, 21, size=count)
    ids = iter(rng.choice(len(model), size=int(lengths.sum()), p=weights / weights.sum()).tolist())
    texts = []
    for length in lengths.tolist():
        words = [model.word(next(ids)) for _ in range(length)]
        texts.append(" ".join(words[:2]).capitalize() + ", " + " ".join(words[2:]) + ".")
    return texts


def program_rate(program: str, model: sotto.Model, given: argparse.Namespace, texts: list[str], folder: pathlib.Path) -> float:
    source = folder / "texts.txt"
    if not source.exists():
        source.write_text("\n".join(texts) + "\n")
    done = subprocess.run([program, "privatize", source, "--model", str(model.path), "--mechanism", given.mechanism, "--epsilon",
                           str(given.epsilon), "-o", folder / "out.txt", "--force", "--json", "--quiet", "--allow-weak"],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    answer = json.loads(done.stdout)
    counted = answer.get("counts", answer)
    return float(counted["tokens"]) / float(answer["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--model")
    parser.add_argument("--mechanism", default="tem")
    parser.add_argument("--epsilon", type=float, default=2)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    model = sotto.Model.open(given.model) if given.model else sotto.Model.default()
    texts = make_texts(model, given.texts)
    best = {"program": 0.0, "first": 0.0, "again": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(given.rounds):
            best["program"] = max(best["program"], program_rate(given.program, model, given, texts, pathlib.Path(folder)))
            private = sotto.Privatizer(sotto.Mechanism(given.mechanism, model, epsilon=given.epsilon))
            for kind in ("first", "again"):
                started = time.perf_counter()
                out = private.privatize(texts)
                seconds = time.perf_counter() - started
                best[kind] = max(best[kind], out.report["counts"]["tokens"] / seconds)
    imports = min(import_seconds() for _ in range(given.rounds))
    print(json.dumps({"mechanism": given.mechanism, "epsilon": given.epsilon, "texts": given.texts,
                      "tokens_per_second": {kind: round(rate) for kind, rate in best.items()},
                      "first_over_program": round(best["first"] / best["program"], 3),
                      "again_over_program": round(best["again"] / best["program"], 3),
                      "import_seconds": round(imports, 3)}, indent=2))


def import_seconds() -> float:
    """`import sotto` alone, as -X importtime has it."""
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", "import sotto"], check=True, capture_output=True, text=True)
    return int(done.stderr.splitlines()[-1].split("|")[1]) / 1e6


if __name__ == "__main__":
    main()
