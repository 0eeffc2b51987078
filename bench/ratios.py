#!/usr/bin/env python3
"""The ratios of a run of the benchmarks, and which of them fell.

A ratio compares our code with a base that our code cannot slow down: a plain implementation, another library, `wc -w`, the
random bits of OpenSSL. Both are measured in the same run, so that the machine's speed cancels. Larger is better.
bench/ratios.json holds the committed ratios; `make bench` writes it, `make bench-check` compares a new run with it.
"""
import pipeline

ALLOWED = 0.20  # a ratio may fall by this share before it is named: two runs on an idle machine differ by about 10%


def by_name(benchmarks):
    """The rows of a Google Benchmark run by their names, without the number of iterations."""
    return {item["name"].replace("/iterations:1", "").replace("/iterations:2", ""): item for item in benchmarks}


def of_tem(items):
    whole = items["tem/whole_row"]["us_per_draw"]
    for name, item in items.items():
        kind, _, epsilon = name.removeprefix("tem/").partition("/")
        if kind in ("words", "text"):
            yield f"tem, {kind}, epsilon {int(epsilon) / 10:g}: the whole row / a draw", whole / item["us_per_draw"]


def of_nearest(items):
    times = {tuple(name.split("/")[:3]): item["us_per_vector"] for name, item in items.items() if name.endswith("_best")}
    for (kind, epsilon, k), ours in times.items():
        for base, title in (("faiss_flat", "FAISS flat"), ("plain_scan", "a plain scan")):
            if kind == "sotto" and (base, epsilon, k) in times:
                yield (f"nearest word, {epsilon.replace(':', ' ')}, {k.replace(':', ' ')}: {title} / ours",
                       times[base, epsilon, k] / ours)


def of_core(items):
    base = next(item["cpu_time"] for name, item in items.items() if name.startswith("bits"))
    for name, item in items.items():
        if not name.startswith("bits"):
            yield f"{name}: 64 random bits / one", base / item["cpu_time"]


def of_text(items):
    base = "split into tokens, ICU alone"
    for name, item in items.items():
        _, colon, kind = name.partition(":")  # what was done to the text
        if not name.startswith(base):
            yield f"{name}: ICU's split / ours", items[base + colon + kind]["ns_per_token"] / item["ns_per_token"]


def of_questions(results):
    """Against a bare SGEMM of the inner products of all pairs, scaled from that of the nearest-word search."""
    products = next((item["us_per_vector"] for name, item in by_name(results["nearest"]).items()
                     if name.startswith("bare_sgemm/epsilon:10/") and name.endswith("_best")), None)
    for name, item in results["questions"]["asked"].items():
        words = results["words"] if name.endswith("_full") else 50_000
        if products and name != "tune":
            yield f"{name}: all inner products / ours", 1e-6 * products * words * words / results["words"] / item["cpu"]


def ratios(results):
    """Of the results of bench/run.py; parts that were not measured are left out."""
    found = {}
    for part, compute in (("tem", of_tem), ("nearest", of_nearest), ("core", of_core), ("text", of_text)):
        if results.get(part):
            found |= compute(by_name(results[part]))
    if results.get("nearest_300"):
        found |= {f"300 dimensions, {name}": ratio for name, ratio in of_nearest(by_name(results["nearest_300"]))}
    if results.get("questions") and results.get("nearest"):
        found |= of_questions(results)
    if results.get("pipeline") and results.get("wc_seconds"):
        for key, run in results["pipeline"].items():
            epsilon, threads = key.split("/")
            found[f"privatize, epsilon {epsilon}, {threads} threads: wc -w / ours"] = results["wc_seconds"] / run["seconds"]
    if results.get("files"):
        found |= pipeline.ratios(results["files"])
    return {name: float(f"{ratio:.3g}") for name, ratio in found.items()}


def compare(committed, measured):
    """Sentences: (what fell by more than ALLOWED, what was committed and is not measured here)."""
    fallen = [f"{name}: {committed[name]:g} before, {ratio:g} now ({ratio / committed[name] - 1:+.0%})"
              for name, ratio in measured.items() if name in committed and ratio < (1 - ALLOWED) * committed[name]]
    return fallen, [name for name in committed if name not in measured]
