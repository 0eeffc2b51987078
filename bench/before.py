"""What the second round of work on speed changed: one table of bench/RESULTS.md, ratios first.

"Before" is commit 2e5e1b9 of 17 November 2026, measured on MACHINE while it was idle, with the commands of pipeline.py,
questions.py and the programs of that commit. "Now" is taken from the run of `make bench` that wrote the table. On another
machine the table has no column "times better": it would compare machines.

    XDG_CACHE_HOME=FOLDER python3 bench/before.py BUILD

measures the old program and prints the figures for BEFORE. BUILD is a build folder of 2e5e1b9 with its benchmarks. FOLDER
holds copies of the models, without what a newer program prepared for them. It takes half an hour.
"""
import argparse
import dataclasses
import os
import pathlib
import tempfile
from typing import Callable

import pipeline
import ratios


@dataclasses.dataclass(frozen=True)
class Figure:
    what: str
    key: str | None  # in BEFORE
    unit: str
    before: float | None  # None: not measured
    target: float
    now: Callable  # of the results of run.py; raises KeyError or TypeError where a part was not measured
    more_is_better: bool = False
    note: str = ""


def after_start_by_wc(name):
    wc = "wc -w" if name == "text" else f"wc -w, {name}"
    return lambda results: pipeline.after_start(results["files"], name) / results["files"]["formats"][wc][0]


def by_text(name):
    return lambda results: pipeline.after_start(results["files"], name) / pipeline.after_start(results["files"], "text")


def million_tokens(epsilon):
    return lambda results: results["pipeline"][f"{epsilon}/1"]["tokens_per_second"] / 1e6


def two_threads(epsilon):
    return lambda results: (results["pipeline"][f"{epsilon}/2"]["tokens_per_second"]
                            / results["pipeline"][f"{epsilon}/1"]["tokens_per_second"])


def asked(name, key="clock"):
    return lambda results: results["questions"]["asked"][name][key]


def core_time(name):
    return lambda results: ratios.by_name(results["core"])[name]["real_time"]


def nearest(part, start):
    """Microseconds for the nearest word at epsilon 10."""
    return lambda results: ratios.by_name(results[part])[f"{start}/epsilon:10/k:1/repeats:5_best"]["us_per_vector"]


def times_faiss(part):
    """At epsilon 10, k = 2, which FAISS is asked for."""
    def ratio(results):
        times = ratios.by_name(results[part])
        return (times["faiss_flat/epsilon:10/k:2/repeats:5_best"]["us_per_vector"]
                / times["sotto/epsilon:10/k:2/repeats:5_best"]["us_per_vector"])
    return ratio


def start(name):
    return lambda results: 1000 * results["files"]["starts"][name][1]


def figures():
    def figure(what, unit, key, target, now, more_is_better=False, note=""):
        return Figure(what, key, unit, BEFORE.get(key), target, now, more_is_better, note)

    text = [figure("`identity` on ASCII text", "times `wc -w`", "text", 3, after_start_by_wc("text"))]
    text += [figure(f"`identity` on text with {name}", "times `wc -w`", name, BEFORE[name] / 2, after_start_by_wc(name),
                    note="half of before") for name in pipeline.OTHER]
    text += [figure(f"`identity` on {name}", "times text", name, target, by_text(name), note="text itself became faster")
             for name, target in (("JSONL", 1.3), ("CSV", 1.3), ("gzip", 1.5), ("zstd", 1.5))]
    draws = [figure(f"`tem`, epsilon {epsilon}, one thread", "million tokens a second", f"tem {epsilon}", target, million_tokens(epsilon),
                    True, "60 MB, without the start") for epsilon, target in ((2, 2.0), (10, 6.0))]
    draws += [figure(f"`tem`, epsilon {epsilon}, two threads over one", "times", None, 1.8,
                     two_threads(epsilon), True, "60 MB, without the start") for epsilon in (2, 10)]
    draws += [figure("unprepared over prepared speed, after the first million words", "share", "unprepared", 0.7,
                     lambda results: pipeline.after_first_million(results["files"]), True)]
    questions = [figure(title, "s on the clock", name, target, asked(name), note=note) for title, name, target, note in (
        ("`certify`, 50,000 words", "certify", 6, ISSUE.format("15.7 s")),
        ("`certify --calibration exact`, 50,000 words", "exact", 25, ISSUE.format("64 s")),
        ("`certify --calibration flat`, 50,000 words", "flat", 60, ISSUE.format("203 s")),
        ("`measure --prior uniform`, 50,000 words", "measure", 90, ISSUE.format("6 minutes")),
        ("`tune`, opinion lexicon", "tune", 60, ISSUE.format("151 s")))]
    questions += [figure("memory of `certify --calibration flat`", "MB", "flat memory", 1500, asked("flat", "megabytes"))]
    noise = [figure("a Gaussian", "ns", "gaussian", 8, core_time("gaussian")),
             figure("a direction in 100 dimensions", "ns", "direction", 800, core_time("unit_sphere, 100 dimensions")),
             figure("nearest word of 321,255, epsilon 10", "us", "nearest", BEFORE["nearest"], nearest("nearest", "sotto"),
                    note="never slower than before"),
             figure("nearest word of 50,000, epsilon 10", "us", "nearest 50k", BEFORE["nearest 50k"], nearest("nearest", "sotto_50k"),
                    note="never slower than before"),
             figure("nearest word: FAISS flat over ours, 100 dimensions", "times", "faiss", 10, times_faiss("nearest"), True),
             figure("the same in 300 dimensions", "times", "faiss 300", 10, times_faiss("nearest_300"), True)]
    starts = [figure("open a model of 50,000 words and check it", "ms", None, 100, start("model info")),
              figure("open the model of 321,255 words and check it", "ms", None, 300,
                     start("model info, the full model"))]
    return text + draws + questions + noise + starts


ISSUE = "{} on the machine for which the target was set"
MACHINE = "(family 26, model 2)"  # as run.py names the processor
BEFORE = {  # printed by this program
    "text": 7.193, "accents": 5.868, "emoji": 6.978, "CJK": 8.209, "JSONL": 1.064, "CSV": 1.063, "gzip": 1.111,
    "zstd": 1.045, "tem 2": 1.856, "tem 10": 4.702, "unprepared": 0.7193, "certify": 5.503, "exact": 21.08,
    "flat": 73.25, "measure": 93.27, "tune": 60.73, "flat memory": 2518, "gaussian": 45.05, "direction": 2326,
    "nearest": 94.35, "nearest 50k": 18.66, "faiss": 5.211, "faiss 300": 3.563,
}


def shown(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def report(results):
    """Lines of Markdown; figures that were not measured are left out."""
    same = MACHINE in results["machine"]
    lines = ["## Before and after", "", "Before: commit 2e5e1b9, measured with the same commands. Times better: how many times as much, or as fast. Epsilon 2",
             "where none is named. "
             + ("Both are of one kind of processor." if same else
                f"**Before is of another processor, {MACHINE}: no column compares the two.**"), "",
             "| what | times better | before | now | target | unit | note |", "|---|---|---|---|---|---|---|"]
    for figure in figures():
        try:
            now = figure.now(results)
        except (KeyError, TypeError):
            continue
        better = ""
        if same and figure.before is not None:
            better = f"{now / figure.before if figure.more_is_better else figure.before / now:.2g}"
        reached = now >= figure.target if figure.more_is_better else now <= figure.target
        sign = "at least" if figure.more_is_better else "at most"
        lines.append(f"| {figure.what} | {better} | {shown(figure.before)} | {shown(now)}{'' if reached else ' **(missed)**'} | "
                     f"{sign} {shown(figure.target)} | {figure.unit} | {figure.note} |")
    return lines + [""]


def preloaded():
    """OpenBLAS first: the old bench_nearest leaves it to the system's alternatives what FAISS multiplies with."""
    found = sorted(pathlib.Path("/usr/lib").glob("*/openblas-pthread/libopenblas.so.0"))
    return {"LD_PRELOAD": str(found[0])} if found else {}


def measure(build):
    """What `make bench` measures of the figures that have a before; the starts of the old program are left out."""
    import run
    pipeline.starts = lambda *_: {}
    pipeline.serve_start = lambda *_: None
    sotto, results = build / "sotto", {"machine": run.machine()}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        full = run.CACHE / "glove-6b-100d.sotto"
        environment = {"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "SkylakeX", "SOTTO_BENCH_MODEL": str(full), **preloaded()}
        only = "--benchmark_filter=^(build|(sotto|faiss_flat|sotto_50k)/epsilon:10/.*)$"
        results["core"] = run.google_benchmark(build / "bench" / "bench_core", environment)
        results["nearest"] = run.google_benchmark(build / "bench" / "bench_nearest", environment, only)
        environment["SOTTO_BENCH_MODEL"] = str(run.stand_in_model(sotto, folder))
        results["nearest_300"] = run.google_benchmark(build / "bench" / "bench_nearest", environment, only)
        text = run.reviews(folder)
        results["files"] = pipeline.measure(build, text=text)
        results["pipeline"] = {f"{epsilon}/1": run.privatize(sotto, run.long_text(folder, text), epsilon, 1) for epsilon in (2, 10)}
        results["questions"] = run.questions.measure(build, folder, only=["certify", "exact", "flat", "measure", "tune"])
    return results


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    results = measure(arguments.parse_args().build.resolve())
    print(results["machine"])
    for figure in filter(lambda one: one.key, figures()):
        try:
            print(f'    "{figure.key}": {figure.now(results):.4g},  # {figure.what}, {figure.unit}')
        except (KeyError, TypeError):
            print(f"    # {figure.what}: not measured")


if __name__ == "__main__":
    main()
