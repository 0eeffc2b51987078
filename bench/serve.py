#!/usr/bin/env python3
"""The service under load: processor time of a request, throughput, latencies; a section of bench/RESULTS.md.

    python3 bench/serve.py build [--seconds 10] [--write]

`make bench` runs it as a part of run.py. By itself it prints the section, so that it can be tried in a minute with
`--seconds 1`; `--write` puts the section into RESULTS.md and leaves the others as they are. Figures count only from an idle machine: stop everything else, leave --seconds at 10 or more, and look at the
share of the cores that other programs used, which is printed first.

How: texts of 100 tokens, tem, epsilon 2, prepared default model, server and load generator on the same machine.
1. The library in a loop on these texts (bench_release): processor time of a release.
2. `wrk` sends as fast as it is answered: throughput, and processor time of the server (from /proc) by request.
3. `open_loop` sends at 25, 50 and 80% of that throughput at times drawn before; latencies count from these times.
Needs `wrk` (`scripts/deps.sh bench`); PostgreSQL (`make deps-ledger`) and Presidio (PyPI) are left out if they are missing.
"""
import argparse
import datetime
import json
import lzma
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from service import Postgres, Server  # noqa: E402

IMDB = ROOT.parent / "shared" / "data" / "imdb" / "imdb_train.tsv.xz"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sotto"
MODEL = CACHE / "glove-6b-100d-50k.sotto"
TOKENS = 100
TEXTS = 500
EPSILON = 2
SHARES = (25, 50, 80)
CONNECTIONS = 32
CONNECTIONS_PADDED = 256  # a padded answer waits, so more of them are under way


def say(text):
    print(text, file=sys.stderr, flush=True)


def make_texts():
    """500 texts of 100 words: of the IMDB reviews, or drawn from a few common words where these are missing."""
    if IMDB.exists():
        words = []
        with lzma.open(IMDB, "rt", encoding="utf-8") as source:
            next(source)
            while len(words) < TOKENS * TEXTS:
                words += re.findall("[a-z]+", source.readline().split("\t", 4)[4].lower())
    else:
        rng = random.Random(1)
        words = [rng.choice("the a good bad film story actor scene was is very not never again".split()) for _ in range(TOKENS * TEXTS)]
    return [" ".join(words[i * TOKENS:(i + 1) * TOKENS]) for i in range(TEXTS)]


class Bodies:
    """The texts as a file of JSON bodies, and a script with which wrk sends them in turn."""

    def __init__(self, folder, name, bodies):
        self.path = folder / f"{name}.jsonl"
        self.path.write_text("".join(json.dumps(body) + "\n" for body in bodies))
        self.script = folder / f"{name}.lua"
        self.script.write_text(f"""local bodies = {{}}
for line in io.lines("{self.path}") do bodies[#bodies + 1] = line end
local next = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
  next = next % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[next])
end
""")


def run_wrk(port, path, bodies, seconds, connections):
    """Requests a second, answers that were errors."""
    output = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", bodies.script,
                             f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True, check=True).stdout
    errors = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    return {"rate": float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1)),
            "requests": int(re.search(r"(\d+) requests in", output).group(1)), "errors": int(errors.group(1)) if errors else 0}


def run_open_loop(build, port, path, bodies, rate, seconds, connections):
    return json.loads(subprocess.run([build / "bench" / "open_loop", str(port), f"{rate:.1f}", str(seconds), str(connections),
                                      bodies.path, path], capture_output=True, text=True, check=True).stdout)


def library(build, texts_path):
    """Microseconds of processor time of a release."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([build / "bench" / "bench_release", f"--benchmark_out={out.name}", "--benchmark_out_format=json"],
                       env={**os.environ, "SOTTO_BENCH_TEXTS": str(texts_path), "SOTTO_BENCH_MODEL": str(MODEL),
                            "SOTTO_BENCH_CACHE": str(CACHE)}, check=True, stdout=subprocess.DEVNULL)
        return json.load(open(out.name))["benchmarks"][0]["cpu_time"]


def one_setting(build, folder, ledger, padding, bodies, seconds):
    connections = CONNECTIONS_PADDED if padding == "on" else CONNECTIONS
    with Server(build / "sotto", MODEL, folder / "servers", "--ledger", *ledger, "--padding", padding, "--no-log") as server:
        run_wrk(server.port, "/v1/privatize", bodies, max(1, seconds // 3), connections)  # rows of words are built
        before = server.processor_seconds()
        peak = run_wrk(server.port, "/v1/privatize", bodies, seconds, connections)
        result = {**peak, "server_us": 1e6 * (server.processor_seconds() - before) / peak["requests"], "open": {}}
        for share in SHARES:
            result["open"][str(share)] = run_open_loop(build, server.port, "/v1/privatize", bodies, peak["rate"] * share / 100,
                                                       seconds, 4 * connections)
    return result


def presidio(folder, texts, seconds):
    """Presidio's anonymizer behind its HTTP interface, under gunicorn with a worker for each core; None without it."""
    python = folder / "presidio" / "bin" / "python"
    if not python.exists():
        say("installing presidio-anonymizer, flask and gunicorn into a virtual environment ...")
        subprocess.run([sys.executable, "-m", "venv", folder / "presidio"], check=False)
        if subprocess.run([python, "-m", "pip", "install", "-q", "presidio-anonymizer", "flask", "gunicorn"],
                          check=False).returncode != 0:
            shutil.rmtree(folder / "presidio", ignore_errors=True)
            return None
    # Where an analyzer would have found names: one word in ten.
    bodies = []
    for text in texts:
        found, at = [], 0
        for number, word in enumerate(text.split(" ")):
            if number % 10 == 0:
                found.append({"start": at, "end": at + len(word), "score": 0.9, "entity_type": "PERSON"})
            at += len(word) + 1
        bodies.append({"text": text, "analyzer_results": found})
    port = 7499
    process = subprocess.Popen([python, "-m", "gunicorn", "-w", str(os.cpu_count()), "-b", f"127.0.0.1:{port}", "--chdir",
                                ROOT / "bench", "--log-level", "error", "presidio_service:app"])
    try:
        sent = Bodies(folder, "presidio", bodies)
        for _ in range(100):
            time.sleep(0.2)
            try:
                run_wrk(port, "/anonymize", sent, 1, 2)
                break
            except (subprocess.CalledProcessError, AttributeError):
                continue
        return run_wrk(port, "/anonymize", sent, seconds, CONNECTIONS)
    finally:
        process.terminate()
        process.wait()


def measure(build, folder, seconds=10):
    """Everything as one object, or an object with the reason why nothing was measured."""
    if shutil.which("wrk") is None:
        return {"missing": "wrk is not installed (`scripts/deps.sh bench`)"}
    if not MODEL.exists():
        return {"missing": "the default model is not in the cache (`make model`)"}
    folder = folder / "serve"
    shutil.rmtree(folder / "servers", ignore_errors=True)
    (folder / "servers").mkdir(parents=True)
    texts = make_texts()
    (folder / "texts.txt").write_text("".join(text + "\n" for text in texts))
    uncounted = Bodies(folder, "uncounted", [{"text": text, "epsilon": EPSILON, "allow_weak": True} for text in texts])
    counted = Bodies(folder, "counted", [{"text": text, "epsilon": EPSILON, "allow_weak": True, "subject": f"s{i}"}
                                         for i, text in enumerate(texts)])
    say("the library in a loop ...")
    results = {"seconds": seconds, "library_us": library(build, folder / "texts.txt"), "settings": {}}
    database = Postgres() if Postgres.programs() else None
    try:
        ledgers = {"none": ["none"], "SQLite": [folder / "servers" / "ledger.db"]}
        if database:
            ledgers["PostgreSQL"] = [database.url, "--ledger-key", folder / "servers" / "postgres.key"]
        for name, ledger in ledgers.items():
            for padding in ("off", "on"):
                say(f"ledger {name}, padding {padding} ...")
                bodies = uncounted if name == "none" else counted
                results["settings"][f"{name}/{padding}"] = one_setting(build, folder, ledger, padding, bodies, seconds)
    finally:
        if database:
            database.__exit__()
    say("Presidio ...")
    results["presidio"] = presidio(folder, texts, seconds)
    return results


def report(results):
    """Lines of Markdown."""
    lines = [f"## The service: requests of {TOKENS} tokens, tem, epsilon {EPSILON}, default model", ""]
    if results is None or "missing" in results:
        return lines + [f"Not measured: {(results or {}).get('missing', 'no results')}.", ""]
    own = results["settings"]["none/off"]["server_us"]
    lines += [f"Server and load generator share the cores; each figure is of {results['seconds']} s. `wrk` sends on {CONNECTIONS} "
              f"connections ({CONNECTIONS_PADDED} with padding), `open_loop` at times drawn before; latencies count from these times.", "",
              f"The library in a loop takes {results['library_us']:.0f} us of processor time for such a text, the server {own:.0f} us: "
              f"{own - results['library_us']:+.0f} us (target: at most +60).", "",
              "| ledger | padding | requests a second (wrk) | processor time of a request | load | fastest | p50 | p99 | p99.9 | errors |",
              "|" + "---|" * 10]
    for name, result in results["settings"].items():
        ledger, padding = name.split("/")
        for number, (share, run) in enumerate(result["open"].items()):
            first = [ledger, padding, f"{result['rate']:,.0f}", f"{result['server_us']:.0f} us"] if number == 0 else [""] * 4
            errors = run["other_status"] + run["broken"] + (result["errors"] if number == 0 else 0)
            cells = [*first, f"{share}%", *(f"{run[key] / 1000:.2f} ms" for key in ("min", "p50", "p99", "p999")), str(errors)]
            lines.append("| " + " | ".join(cells) + " |")
    if "PostgreSQL/off" not in results["settings"]:
        lines += ["", "PostgreSQL was not installed."]
    lines += ["", "With padding the fastest answer shows the quantum."]
    if results["presidio"]:
        rate, ours = results["presidio"]["rate"], results["settings"]["none/off"]["rate"]
        lines += ["", f"Presidio's anonymizer (replacing one word in ten whose places it is told; Flask, gunicorn, one worker for each core) "
                  f"answers {rate:,.0f} requests a second with the same texts; the service {ours:,.0f}, {ours / rate:.1f} times as many. "
                  f"The two do different work: Presidio replaces marked words, without a guarantee for the rest."]
    else:
        lines += ["", "Presidio could not be installed (no PyPI?)."]
    # Paragraphs end at 120 columns, as on every page; tables do not.
    return [part for line in lines for part in (textwrap.wrap(line, 120) if line and not line.startswith("|") else [line])] + [""]


def write_section(lines, results=ROOT / "bench" / "RESULTS.md"):
    """Puts the section into RESULTS.md, in place of the one that is there, or before the comparison with mldp-text."""
    section = "\n".join(lines).rstrip("\n") + "\n\n"
    text = re.sub(r"^## The service.*?(?=^## )", "", results.read_text(), flags=re.MULTILINE | re.DOTALL)
    results.write_text(re.sub(r"^(?=## mldp-text)", lambda _: section, text, count=1, flags=re.MULTILINE))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path, help="a build folder with the benchmarks (-DSOTTO_BUILD_BENCH=ON)")
    arguments.add_argument("--seconds", type=int, default=10, help="of each measurement")
    arguments.add_argument("--write", action="store_true", help="put the section into bench/RESULTS.md")
    given = arguments.parse_args()
    build = given.build.resolve()
    from run import busy_share, command_output
    say(f"other programs use {100 * busy_share():.0f}% of the cores")
    lines = report(measure(build, build / "bench", given.seconds))
    lines[1:1] = ["", f"Made by `bench/serve.py`: {datetime.date.today().isoformat()}, commit "
                  f"{command_output('git', '-C', ROOT, 'rev-parse', '--short', 'HEAD')}."]
    print("\n".join(lines))
    if given.write:
        write_section(lines)


if __name__ == "__main__":
    main()
