#!/usr/bin/env python3
"""`sotto privatize` from file to file, and the start of each command; two sections of bench/RESULTS.md.

    python3 bench/pipeline.py build [--text FILE] [--bytes 33000000] [--turns 5] [--old PROGRAM]

`make bench` runs it as a part of run.py. By itself it prints the sections. Without --text it takes the IMDB reviews beside
the project, or synthetic lines where these are missing. With --old it also times another build on the same files: both
programs take turns, so that a busy machine slows both.

Times are processor time (user + system) of whole processes, the best of some turns. The time of a start, which is that of a
one-line text, is subtracted where a row says so. What counts are the ratios.
"""
import argparse
import csv
import itertools
import json
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import measured

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from service import Server  # noqa: E402

IMDB = ROOT.parent / "shared" / "data" / "imdb" / "imdb_train.tsv.xz"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sotto"
DEFAULT = CACHE / "glove-6b-100d-50k.sotto"
FULL = CACHE / "glove-6b-100d.sotto"
BYTES = 33_000_000
HEAD_WORDS = 1_000_000  # of the text, after which an unprepared run is compared with a prepared one
OTHER_LINES = 4_000  # of the text, for what is not ASCII
ACCENTS = str.maketrans("aeoucn", "\u00e4\u00e9\u00f6\u00fc\u00e7\u00f1")
OTHER = ("accents", "emoji", "CJK")  # other_scripts() makes them
EMOJI = ("\U0001f600", "\u2764\ufe0f", "\U0001f44d\U0001f3fd", "\U0001f680")
SENTENCES = ("\u4eca\u5929\u7684\u7535\u5f71\u5f88\u597d\u770b\uff0c\u6211\u4eec\u90fd\u559c\u6b22\u3002",
             "\u6628\u65e5\u306e\u6620\u753b\u306f\u3068\u3066\u3082\u9762\u767d\u304b\u3063\u305f\u3067\u3059\u3002",
             "\u5317\u4eac\u548c\u4e0a\u6d77\u7684\u5929\u6c14\u4e0d\u4e00\u6837\u3002",
             "\u79c1\u306f\u53cb\u9054\u3068\u4e00\u7dd2\u306b\u6771\u4eac\u3078\u884c\u304d\u307e\u3057\u305f\u3002")


def run(command, environment=None):
    """(processor seconds, seconds, resident MB) of one run of a program."""
    found = measured.run(command, environment)
    if found.exit_code != 0:
        raise RuntimeError(f"{command} ended with {found.exit_code}: {found.said}")
    return found.processor, found.clock, found.megabytes


def best_of_turns(commands, turns):
    """{name: [least processor seconds, least seconds, most MB]}. `commands`: name to (command, environment)."""
    best = {}
    for _ in range(turns):
        for name, (command, environment) in commands.items():
            processor, seconds, memory = run(command, environment)
            old = best.get(name, [processor, seconds, memory])
            best[name] = [min(old[0], processor), min(old[1], seconds), max(old[2], memory)]
    return best


def other_scripts(lines):
    """Texts that are not ASCII, made from lines of English: {name: lines}."""
    words = [line.split(" ") for line in lines]
    accents = [" ".join(word.translate(ACCENTS) if place % 3 == 0 else word for place, word in enumerate(line)) for line in words]

    def after_every_tenth(additions):
        count = itertools.count()
        return [" ".join(word + " " + additions[next(count) % len(additions)] if place % 10 == 9 else word
                         for place, word in enumerate(line)) for line in words]
    return {"accents": accents, "emoji": after_every_tenth(EMOJI), "CJK": after_every_tenth(SENTENCES)}


def make_files(folder, text, size):
    """The same text in every format, its first million words, and a line: {name: path}."""
    if text:
        raw = pathlib.Path(text).read_bytes()[:size]
    elif IMDB.exists():
        with lzma.open(IMDB, "rt", encoding="utf-8", newline="\n") as source:
            next(source)
            raw = "".join(line.split("\t", 4)[4] for line in source).encode()[:size]
    else:
        raw = b"The soup was cold, but the waiter was kind; we did not come again.\n" * (size // 67)
    raw = raw[:raw.rindex(b"\n") + 1]
    lines = raw.decode().split("\n")[:-1]
    words, head = 0, 0
    while head < len(lines) and words < HEAD_WORDS:
        words += len(lines[head].split())
        head += 1
    files = {name: folder / name for name in ("text.txt", "head.txt", "one.txt", "text.jsonl", "text.csv")}
    files["text.txt"].write_bytes(raw)
    files["head.txt"].write_text("".join(line + "\n" for line in lines[:head]), encoding="utf-8")
    files["one.txt"].write_text("a good film\n")
    for name, other in other_scripts(lines[:OTHER_LINES]).items():
        (folder / f"{name}.txt").write_text("".join(line + "\n" for line in other), encoding="utf-8")
    with open(files["text.jsonl"], "w", encoding="utf-8") as target:
        for number, line in enumerate(lines):
            target.write(json.dumps({"id": number, "text": line, "label": number % 2}, ensure_ascii=False) + "\n")
    with open(files["text.csv"], "w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(["id", "text", "label"])
        writer.writerows([number, line, number % 2] for number, line in enumerate(lines))
    subprocess.run(["gzip", "-kf", files["text.txt"]], check=True)
    subprocess.run(["zstd", "-qkf", files["text.txt"]], check=True)
    return {path.name.replace("text.txt.", "text."): path for path in folder.iterdir()}


def formats(sotto, files, prefix=""):
    """Without a mechanism: what reading, splitting, looking up and writing cost."""
    command = [sotto, "privatize", "--mechanism", "identity", "--allow-weak", "-q", "--threads", "1", "-o", "/dev/null"]
    options = {"one line": ["one.txt"], "text": ["text.txt"], "JSONL": ["text.jsonl", "--field", "text"],
               "CSV": ["text.csv", "--column", "text"], "gzip": ["text.gz"], "zstd": ["text.zst"],
               **{name: [f"{name}.txt"] for name in OTHER}}
    return {prefix + name: ([*command, files[file], *more], None) for name, (file, *more) in options.items()}


def draws(sotto, files, unprepared, prefix=""):
    command = [sotto, "privatize", "--allow-weak", "-q", "-o", "/dev/null"]
    commands = {}
    for epsilon in (2, 10):
        for threads in (1, 2):
            commands[f"{prefix}epsilon {epsilon}, {threads} threads"] = (
                [*command, files["text.txt"], "--epsilon", epsilon, "--threads", threads], None)
    commands[prefix + "prepared, the first million words"] = (
        [*command, files["head.txt"], "--epsilon", 2, "--threads", 1], None)
    for name, file in (("the first million words", "head.txt"), ("all", "text.txt")):
        commands[f"{prefix}unprepared, {name}"] = (
            [*command, files[file], "--epsilon", 2, "--threads", 1, "--model", unprepared / DEFAULT.name],
            {"XDG_CACHE_HOME": str(unprepared)})
    return commands


def starts(sotto, files, folder):
    """Each command on the least input that it takes. The last three use a model of 808 words: their work grows with it."""
    tiny, words = folder / "tiny.sotto", folder / "tiny.txt"
    subprocess.run([sys.executable, ROOT / "scripts" / "make_tiny_model.py", words], check=True)
    run([sotto, "model", "import", words, "-o", tiny, "--force"])
    one = ["-q", "-o", "/dev/null", files["one.txt"]]
    commands = {"mechanisms": ["mechanisms"], "model list": ["model", "list"], "model info": ["model", "info"],
                "model info, the full model": ["model", "info", FULL], "columns": ["columns", files["text.csv"]],
                "explain": ["explain", "doctor", "--epsilon", "3"],
                "privatize, identity": ["privatize", "--mechanism", "identity", "--allow-weak", *one],
                "privatize, tem": ["privatize", "--epsilon", "2", *one],
                "privatize, tem, the full model": ["privatize", "--epsilon", "2", "--model", FULL, *one],
                "privatize, laplace": ["privatize", "--mechanism", "laplace", "--epsilon", "5", *one],
                "certify, 808 words": ["certify", "--epsilon", "2", "--model", tiny],
                "measure, 808 words": ["measure", "--epsilon", "2", "--copies", "0", "--model", tiny],
                "audit, 808 words": ["audit", "--epsilon", "2", "--model", tiny, "--draws", "1000"]}
    return {name: ([sotto, *command], None) for name, command in commands.items() if FULL.exists() or FULL not in command}


def serve_start(sotto, folder):
    """Until `sotto serve` answers; with the model prepared."""
    started = time.perf_counter()
    with Server(sotto, DEFAULT, folder, "--ledger", "none", "--no-log") as server:
        seconds = time.perf_counter() - started
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        memory = int(status.split("VmHWM:")[1].split()[0]) / 1024
        ticks = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        return [sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), seconds, memory]


def measure(build, turns=3, text=None, size=BYTES, old=None):
    """None if the default model is missing."""
    if not DEFAULT.exists():
        return None
    sotto = build.resolve() / "sotto"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = make_files(folder, text, size)
        unprepared = folder / "unprepared"
        unprepared.mkdir()
        shutil.copyfile(DEFAULT, unprepared / DEFAULT.name)
        run([sotto, "model", "prepare", "-q"])
        counted = subprocess.run([sotto, "privatize", "--mechanism", "identity", "--allow-weak", "-q", "--json", "-o", "/dev/null",
                                  files["text.txt"]], capture_output=True, check=True).stdout
        results = {"bytes": files["text.txt"].stat().st_size, "head_bytes": files["head.txt"].stat().st_size, "tokens": json.loads(counted)["counts"]["tokens"]}
        wc = {("wc -w" if file == "text" else f"wc -w, {file}"): (["wc", "-w", files[f"{file}.txt"]], {"LC_ALL": "C.UTF-8"})
              for file in ("text", *OTHER)}
        both = {**formats(sotto, files), **(formats(old, files, "old: ") if old else {})}
        results["formats"] = best_of_turns({**wc, **both}, turns)
        both = {**draws(sotto, files, unprepared), **(draws(old, files, unprepared, "old: ") if old else {})}
        results["draws"] = best_of_turns(both, max(1, turns // 2))
        results["starts"] = best_of_turns(starts(sotto, files, folder), turns)
        results["starts"]["serve"] = serve_start(sotto, folder / "serve")
        return results


def after_start(results, name, prefix=""):
    return results["formats"][prefix + name][0] - results["formats"][prefix + "one line"][0]


def after_first_million(results, prefix=""):
    """The speed of an unprepared run as a share of that of a prepared one, both after the first million words."""
    of = lambda name: results["draws"][prefix + name][0]
    return ((of("epsilon 2, 1 threads") - of("prepared, the first million words"))
            / (of("unprepared, all") - of("unprepared, the first million words")))


def ratios(results):
    """For bench/ratios.py: larger is better, and our code cannot slow the base."""
    wc = results["formats"]["wc -w"][0]
    found = {f"identity, {name}, after the start: wc -w / ours": wc / after_start(results, name)
             for name in ("text", "JSONL", "CSV", "gzip", "zstd")}
    found |= {f"identity, {name}, after the start: wc -w / ours": results["formats"][f"wc -w, {name}"][0] / after_start(results, name)
              for name in OTHER if name in results["formats"]}
    found |= {f"tem, {name}, processor time: wc -w / ours": wc / results["draws"][name][0]
              for name in ("epsilon 2, 1 threads", "epsilon 10, 1 threads", "unprepared, all")}
    return found


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def report(results):
    """Lines of Markdown."""
    if not results:
        return []
    programs = {"": "", "old: ": ", old program"} if "old: text" in results["formats"] else {"": ""}
    wc = results["formats"]["wc -w"][0]
    rows, draw_rows = [], []
    for prefix, title in programs.items():
        text = after_start(results, "text", prefix)
        rows += [[f"text{title}", f"{text:.3f} s", f"{text / wc:.2f} times `wc -w`"]]
        rows += [[name + title, f"{after_start(results, name, prefix):.3f} s",
                  f"{after_start(results, name, prefix) / text:.2f} times text"] for name in ("JSONL", "CSV", "gzip", "zstd")]
        rows += [[name + title, f"{after_start(results, name, prefix):.3f} s",
                  f"{after_start(results, name, prefix) / results['formats'][f'wc -w, {name}'][0]:.2f} times `wc -w`"]
                 for name in OTHER if name in results["formats"]]
        for epsilon in (2, 10):
            one, two = (results["draws"][f"{prefix}epsilon {epsilon}, {threads} threads"] for threads in (1, 2))
            draw_rows.append([f"{epsilon}{title}", f"{one[0]:.2f} s", f"{results['tokens'] / one[0] / 1e6:.2f} million",
                              f"{one[1] / two[1]:.2f}", f"{one[2]:.0f} MB"])
    lines = ["## Text, from file to file, by processor time", "",
             f"{results['bytes'] / 1e6:.0f} MB, {results['tokens'] / 1e6:.1f} million tokens, default model, one thread, best of some",
             f"turns. `wc -w` (C.UTF-8) takes {wc:.3f} s. Mechanism `identity`, the time of a start subtracted:", ""]
    lines += table(["format", "processor time", "ratio"], rows)
    lines += [f"The last three are the first {OTHER_LINES:,} reviews: with accents in every third word, with an emoji and with a",
              "short Chinese or Japanese sentence after every tenth word.", ""]
    lines += ["`tem`, the model prepared, the start included:", ""]
    lines += table(["epsilon", "processor time", "tokens a second and core", "time of one thread / of two, by the clock", "memory"], draw_rows)
    if results["bytes"] > 1.5 * results["head_bytes"]:  # else too little follows the first million words
        lines += [f"Without preparation, after the first million words: {after_first_million(results, prefix):.0%} of the "
                  f"prepared speed{title}.\n" for prefix, title in programs.items()]
    lines += ["## The start of each command", "",
              "On the least input; a start that reads a model checks it. The default model has 50,000 words, the full one 321,255.",
              "Less than 10 MB of memory is not told apart.", ""]
    lines += table(["command", "by the clock", "processor time", "resident memory"],
                   [[f"`{name.split(',')[0]}`" + name[len(name.split(',')[0]):], f"{1000 * clock:.0f} ms", f"{1000 * used:.0f} ms",
                     f"{memory:.0f} MB"] for name, (used, clock, memory) in results["starts"].items()])
    return lines


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--text", type=pathlib.Path)
    arguments.add_argument("--bytes", type=int, default=BYTES)
    arguments.add_argument("--turns", type=int, default=5)
    arguments.add_argument("--old", type=pathlib.Path, help="another program to compare with")
    given = arguments.parse_args()
    results = measure(given.build, given.turns, given.text, given.bytes, given.old and given.old.resolve())
    print("\n".join(report(results)) if results else f"there is no {DEFAULT}: run `sotto model fetch`")


if __name__ == "__main__":
    main()
