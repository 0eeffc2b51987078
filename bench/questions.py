#!/usr/bin/env python3
"""The long questions (certify, its calibrations, measure, tune): processor time, time on the clock and memory.

    python3 bench/questions.py build [--quick] [--only NAME ...]

`make bench` runs it as a part of run.py. By itself it prints the section. Every question starts with an empty cache folder,
so that nothing stored helps. Processor time is the figure to compare: other work on the machine changes it little. With
--quick only the questions of seconds are asked, and the growth curves have their smallest sizes.
"""
import argparse
import dataclasses
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import measured

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEXICON = ROOT.parent / "shared" / "data" / "opinion_lexicon"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sotto"
DEFAULT = CACHE / "glove-6b-100d-50k.sotto"
FULL = CACHE / "glove-6b-100d.sotto"
GROWTH_WORDS = (2_000, 5_000, 10_000, 20_000)
GROWTH_DIMENSIONS = (25, 50, 100)
GROWTH_EPSILONS = (1, 2, 5, 10)
GROWTH_SIZE = 10_000  # words, where something else grows


@dataclasses.dataclass
class Question:
    title: str
    arguments: list
    model: pathlib.Path
    quick: bool
    target: str


def questions():
    found = {
        "certify": Question("`certify`", ["certify"], DEFAULT, True, "6 s"),
        "exact": Question("`certify --calibration exact`", ["certify", "--calibration", "exact"], DEFAULT, False, "25 s"),
        "flat": Question("`certify --calibration flat`", ["certify", "--calibration", "flat"], DEFAULT, False, "60 s, 1.5 GB"),
        "measure": Question("`measure --prior uniform`, all words", ["measure", "--prior", "uniform"], DEFAULT, False, "90 s"),
        "certify_full": Question("`certify`", ["certify"], FULL, False, "5 minutes, 6 GB"),
        "exact_full": Question("`certify --calibration exact`", ["certify", "--calibration", "exact"], FULL, False, "20 minutes, 6 GB"),
        "measure_full": Question("`measure`, by exact columns of drawn outputs", ["measure"], FULL, False, ""),
    }
    for question in found.values():
        question.arguments += ["--epsilon", "2"]
    if LEXICON.exists():
        labels = [f"{kind}={LEXICON / (kind + '-words.txt')}" for kind in ("positive", "negative")]
        words = ["--words", "LEXICON", *(part for label in labels for part in ("--labels", label))]
        found["tune"] = Question("`tune --max-loss 0.5`, opinion lexicon", ["tune", "--max-loss", "0.5", *words], DEFAULT, False, "60 s")
    return found


def lexicon(folder):
    """Both lists in one file, as --words takes them."""
    path = folder / "lexicon.txt"
    path.write_bytes(b"".join((LEXICON / f"{kind}-words.txt").read_bytes() for kind in ("positive", "negative")))
    return path


def ask(sotto, arguments, model, threads=None):
    """Of one run with an empty cache: seconds of processor time and on the clock, and megabytes; None if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [str(lexicon(pathlib.Path(folder))) if one == "LEXICON" else one for one in arguments]
        command = [sotto, *arguments, "--model", model, "--json", *(["--threads", str(threads)] if threads else [])]
        found = measured.run(command, {"XDG_CACHE_HOME": folder})
    if found.exit_code != 0:
        print(f"failed with exit code {found.exit_code}: {' '.join(map(str, command))}", file=sys.stderr)
        return None
    return {"cpu": found.processor, "clock": found.clock, "megabytes": found.megabytes}


def part_of_model(sotto, folder, words, dimension):
    """The first words of the default model with the first coordinates, as a model of its own."""
    path = folder / f"part-{words}-{dimension}.sotto"
    if path.exists():
        return path
    data = DEFAULT.read_bytes()  # the layout is that of src/model/model_header.h
    stride = struct.unpack_from("<I", data, 44)[0]
    (ends, _), (text, _), _, (rows, _) = (struct.unpack_from("<QQ", data, 56 + 16 * i) for i in range(1, 5))
    stops = struct.unpack_from(f"<{words}I", data, ends)
    lines = []
    for w, (begin, end) in enumerate(zip((0, *stops), stops)):
        values = struct.unpack_from(f"<{dimension}f", data, rows + 4 * stride * w)
        lines.append(data[text + begin:text + end].decode() + " " + " ".join(f"{value:.9g}" for value in values))
    vectors = folder / "part.txt"
    vectors.write_text("\n".join(lines) + "\n")
    subprocess.run([sotto, "model", "import", vectors, "-o", path, "--force"], check=True, capture_output=True)
    return path


def growth(sotto, folder, quick):
    """{command: {what grows: [(x, seconds of processor time, or on the clock by threads)]}}"""
    curves = {}
    sizes = GROWTH_WORDS[:2] if quick else GROWTH_WORDS
    size = GROWTH_WORDS[0] if quick else GROWTH_SIZE
    middle = part_of_model(sotto, folder, size, 100)
    for name, arguments in (("certify", ["certify"]), ("measure", ["measure", "--prior", "uniform", "--copies", "0"])):
        def seconds(model, epsilon=2, threads=None, key="cpu"):
            return (ask(sotto, [*arguments, "--epsilon", str(epsilon)], model, threads) or {}).get(key)
        curves[name] = {
            "words": [(n, seconds(part_of_model(sotto, folder, n, 100))) for n in sizes],
            "dimension": [(d, seconds(part_of_model(sotto, folder, size, d))) for d in GROWTH_DIMENSIONS],
            "epsilon": [(e, seconds(middle, epsilon=e)) for e in GROWTH_EPSILONS],
            "threads": [(t, seconds(middle, threads=t, key="clock")) for t in range(1, os.cpu_count() + 1)]}
    return curves


def measure(build, folder, quick=False, only=None):
    sotto = build / "sotto"
    results = {"asked": {}, "growth": {}, "growth_words": GROWTH_WORDS[0] if quick else GROWTH_SIZE}
    if not DEFAULT.exists():
        return results
    for name, question in questions().items():
        if question.model.exists() and (name in only if only else question.quick or not quick):
            print(f"asking {name} ...", file=sys.stderr, flush=True)
            answer = ask(sotto, question.arguments, question.model)
            if answer:
                results["asked"][name] = answer
    if not only:
        print("asking certify and measure at several sizes ...", file=sys.stderr, flush=True)
        parts = folder / "parts"
        parts.mkdir(parents=True, exist_ok=True)
        results["growth"] = growth(sotto, parts, quick)
        shutil.rmtree(parts)
    return results


def report(results):
    """The section of RESULTS.md."""
    lines = ["## certify, measure and tune, with nothing stored", ""]
    if not results or not results["asked"]:
        return lines + ["Not measured: the default model is not in the cache.", ""]
    lines += ["Epsilon 2, both cores. The targets are times on the clock of an idle machine.", "",
              "| question | model | processor time | on the clock | memory | target |", "|---|---|---|---|---|---|"]
    known = questions()
    for name, item in results["asked"].items():
        words = "321,255 words" if known[name].model == FULL else "50,000 words"
        lines.append(f"| {known[name].title} | {words} | {item['cpu']:.1f} s | {item['clock']:.1f} s | {item['megabytes']:,.0f} MB | "
                     f"{known[name].target} |")
    lines.append("")
    if results["growth"]:
        lines += [f"Growth, seconds of processor time (by threads: on the clock). {results['growth_words']:,} words x 100 at epsilon 2 "
                  "where something else", "grows:", "", "| question | what grows | seconds |", "|---|---|---|"]
        for name, curves in results["growth"].items():
            for axis, points in curves.items():
                cells = ", ".join(f"{x:,}: {y:.2f}" for x, y in points if y is not None)
                lines.append(f"| `{name}` | {axis} | {cells} |")
        lines.append("")
    return lines


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--quick", action="store_true", help="only what takes seconds")
    arguments.add_argument("--only", nargs="+", metavar="NAME", help=f"of {', '.join(questions())}; without growth curves")
    given = arguments.parse_args()
    build = given.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(report(measure(build, pathlib.Path(folder), given.quick, given.only))))


if __name__ == "__main__":
    main()
