"""What the second round of work on speed changed: one table of bench/RESULTS.md, ratios first.

"Before" is commit 2e5e1b9 of 17 November 2026. Each figure was measured on an idle machine of the same kind (AMD EPYC, 2
cores), with the commands of pipeline.py and questions.py; those marked "issue" are from the text that asked for this work. "Now"
is taken from the run of `make bench` that wrote the table.
"""
import dataclasses
from typing import Callable

import pipeline
import ratios


@dataclasses.dataclass(frozen=True)
class Figure:
    what: str
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
    text = [Figure("`identity` on ASCII text", "times `wc -w`", BEFORE["text"], 3, after_start_by_wc("text"))]
    text += [Figure(f"`identity` on text with {name}", "times `wc -w`", BEFORE[name], BEFORE[name] / 2, after_start_by_wc(name))
             for name in pipeline.OTHER]
    text += [Figure(f"`identity` on {name}", "times text", BEFORE[name], target, by_text(name), note="text itself became faster")
             for name, target in (("JSONL", 1.3), ("CSV", 1.3), ("gzip", 1.5), ("zstd", 1.5))]
    draws = [Figure(f"`tem`, epsilon {epsilon}, one thread", "million tokens a second", before, target, million_tokens(epsilon), True,
                    "issue; 60 MB, without the start") for epsilon, before, target in ((2, 1.1, 2.0), (10, 2.9, 6.0))]
    draws += [Figure(f"`tem`, epsilon {epsilon}, two threads over one", "times", None, 1.8,
                     two_threads(epsilon), True, "60 MB, without the start") for epsilon in (2, 10)]
    draws += [Figure("unprepared over prepared speed, after the first million words", "share", BEFORE["unprepared"], 0.7,
                     lambda results: pipeline.after_first_million(results["files"]), True)]
    questions = [Figure(title, "s on the clock", seconds, target, asked(name), note=note) for title, name, seconds, target, note in (
        ("`certify`, 50,000 words", "certify", 15.7, 6, "issue"),
        ("`certify --calibration exact`, 50,000 words", "exact", 64, 25, "issue"),
        ("`certify --calibration flat`, 50,000 words", "flat", 203, 60, "issue"),
        ("`measure --prior uniform`, 50,000 words", "measure", 360, 90, "issue: 12 minutes of processor time"),
        ("`tune`, opinion lexicon", "tune", 151, 60, "issue"))]
    questions += [Figure("memory of `certify --calibration flat`", "MB", 2600, 1500, asked("flat", "megabytes"), note="issue")]
    noise = [Figure("a Gaussian", "ns", 67, 8, core_time("gaussian"), note="issue"),
             Figure("a direction in 100 dimensions", "ns", 4000, 800, core_time("unit_sphere, 100 dimensions"), note="issue"),
             Figure("nearest word of 321,255, epsilon 10", "us", 175, 175, nearest("nearest", "sotto"), note="issue"),
             Figure("nearest word of 50,000, epsilon 10", "us", 32, 32, nearest("nearest", "sotto_50k"), note="issue"),
             Figure("nearest word: FAISS flat over ours, 100 dimensions", "times", 6.6, 10, times_faiss("nearest"), True, "issue"),
             Figure("the same in 300 dimensions", "times", None, 10, times_faiss("nearest_300"), True)]
    starts = [Figure("open a model of 50,000 words and check it", "ms", None, 100, start("model info")),
              Figure("open the model of 321,255 words and check it", "ms", None, 300,
                     start("model info, the full model"))]
    return text + draws + questions + noise + starts


# Of commit 2e5e1b9, by `bench/pipeline.py build --old OLD`.
BEFORE = {"text": 6.53, "accents": 5.70, "emoji": 6.72, "CJK": 8.50, "JSONL": 1.10, "CSV": 1.06, "gzip": 1.09, "zstd": 1.04,
          "unprepared": 0.55}


def shown(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def report(results):
    """Lines of Markdown; figures that were not measured are left out."""
    lines = ["## Before and after", "", "Before: commit 2e5e1b9, on an idle machine of the same kind, or the figure of the issue. Times better: how many times",
             "as much, or as fast. Epsilon 2 where none is named.", "",
             "| what | times better | before | now | target | unit | note |", "|---|---|---|---|---|---|---|"]
    for figure in figures():
        try:
            now = figure.now(results)
        except (KeyError, TypeError):
            continue
        better = ""
        if figure.before is not None:
            better = f"{now / figure.before if figure.more_is_better else figure.before / now:.2g}"
        reached = now >= figure.target if figure.more_is_better else now <= figure.target
        sign = "at least" if figure.more_is_better else "at most"
        lines.append(f"| {figure.what} | {better} | {shown(figure.before)} | {shown(now)}{'' if reached else ' **(missed)**'} | "
                     f"{sign} {shown(figure.target)} | {figure.unit} | {figure.note} |")
    return lines + [""]
