#!/usr/bin/env python3
"""`make check`: runs everything that continuous integration leaves out, and writes docs/quality.md.

Usage: check.py [STEP...]. Without a step: all of them, in the order of STEPS below.

1. A step that passed on the same sources is not repeated; CHECK_AGAIN=1 repeats it. A changed file that is not committed
   always repeats it. docs/quality.md itself does not count as a source.
2. A step whose tools are missing is written as skipped, with the reason. It does not fail the run.
3. A step that fails is written as failed; the other steps still run, and the exit code is 1.

The results and the output of each step are kept in build-check/.
"""
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/quality.md"


def counted(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def ctest_counts(log):
    """Of one ctest run: how many tests ran, failed and were skipped."""
    found = re.search(r"(\d+)% tests passed, (\d+) tests? failed out of (\d+)", log)
    if not found:
        return "no test ran"
    failed, total = int(found.group(2)), int(found.group(3))
    skipped = len(re.findall(r"^\s*\d+ - .*\((?:Skipped|Disabled)\)\s*$", log, re.MULTILINE))
    return f"{counted(total, 'test')}, {failed} failed, {skipped} skipped"


def pytest_counts(log):
    found = re.findall(r"^(?=.*\bin [\d.]+s)=*\s*((?:\d+ \w+(?:, )?)+)", log, re.MULTILINE)
    return found[-1].strip() if found else "no test ran"


def fuzz_runs(log):
    """Executions by target."""
    return {name: int(count) for name, count in re.findall(r"^fuzz: (\w+), (\d+) executions", log, re.MULTILINE)}


def fuzz_counts(log):
    runs = fuzz_runs(log)
    faults = len(re.findall(r"^fuzz: \w+ found a fault", log, re.MULTILINE))
    return f"{counted(len(runs), 'target')} without a fault, {faults} with one, {counted(sum(runs.values()), 'execution')}"


def last_match(pattern, otherwise):
    def counts(log):
        found = re.findall(pattern, log, re.MULTILINE)
        return found[-1] if found else otherwise
    return counts


@dataclasses.dataclass(frozen=True)
class Step:
    name: str
    what: str  # for the reader of docs/quality.md
    command: str
    compiler: str = "c++"  # the program that compiles what the step runs
    counts: Callable[[str], str] = lambda log: ""
    needs: str = "true"  # a command; if it fails, the step is skipped
    reason: str = ""  # why, in that case


STEPS = [
    Step("lint", "clang-format and clang-tidy over every source file, each compiled alone", "make lint", compiler="$(scripts/lint_env.sh)",
         counts=last_match(r"^clang-tidy: (.*)$", "nothing was checked"),
         needs="scripts/lint_env.sh && command -v clang-format && command -v clang++",
         reason="clang-tidy, clang-format or clang++ is not installed"),
    Step("odr", "link every program with -flto: no name has two definitions", "make odr",
         counts=last_match(r"^(linked \d+ programs)$", "nothing was linked")),
    Step("tsan", "all tests but the slow ones under ThreadSanitizer", "make tsan", compiler="clang++", counts=ctest_counts),
    Step("slow", "the slow tests: a 5 GB stream, 100,000 random tables, a quick run of the lab", "make test-slow-cpp",
         counts=ctest_counts),
    Step("spark", "a million rows on a Spark cluster of separate processes", "make test-spark", counts=pytest_counts,
         needs="scripts/python_env.sh reachable", reason="the package index cannot be reached"),
    Step("fuzz", "every fuzz target for ten minutes", "make fuzz SECONDS_EACH=600", compiler="clang++", counts=fuzz_counts,
         needs="command -v clang++", reason="clang++ is not installed"),
]


class Checks:
    """The steps of one source tree: `root` is the top of a git repository."""

    def __init__(self, root, steps, say=print):
        self.root = pathlib.Path(root)
        self.steps = steps
        self.say = say
        self.folder = self.root / "build-check"
        self.folder.mkdir(exist_ok=True)
        self.state_file = self.folder / "state.json"
        self.state = json.loads(self.state_file.read_text()) if self.state_file.exists() else {}

    def output(self, *command):
        return subprocess.run(command, cwd=self.root, capture_output=True, encoding="utf-8", errors="replace").stdout.strip()

    def sources(self):
        """A name for what is checked: the committed files but docs/quality.md. None if files differ from the commit."""
        if self.output("git", "status", "--porcelain", "--", ".", f":!{PAGE}"):
            return None
        files = [line for line in self.output("git", "ls-tree", "-r", "HEAD").splitlines() if not line.endswith(f"\t{PAGE}")]
        return hashlib.sha256("\n".join(files).encode()).hexdigest()

    def version(self, compiler):
        text = self.output("bash", "-c", f"{compiler} --version 2>/dev/null")
        if found := re.search(r"LLVM version \S+", text):
            return f"clang-tidy, {found.group(0)}"
        return text.split("\n")[0]

    def run_step(self, step):
        commit = self.output("git", "rev-parse", "--short=12", "HEAD")
        sources = self.sources()
        result = {"command": step.command, "commit": commit + ("" if sources else " with changes"), "sources": sources,
                  "start": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"), "seconds": 0,
                  "compiler": self.version(step.compiler), "counts": "", "machine": f"{os.cpu_count()} cores"}
        needs = subprocess.run(["bash", "-c", step.needs], cwd=self.root, capture_output=True)
        if needs.returncode != 0:
            self.say(f"check: {step.name} is skipped: {step.reason}")
            return result | {"result": "skipped", "counts": step.reason}
        log = self.folder / f"{step.name}.log"
        self.say(f"check: {step.name}: {step.command} (output in build-check/{log.name})")
        began = time.monotonic()
        with log.open("w") as out:
            code = subprocess.run(["bash", "-c", step.command], cwd=self.root, stdin=subprocess.DEVNULL, stdout=out,
                                  stderr=subprocess.STDOUT).returncode
        text = log.read_text(errors="replace")
        result |= {"result": "passed" if code == 0 else "failed", "seconds": round(time.monotonic() - began),
                   "counts": step.counts(text)}
        if runs := fuzz_runs(text):
            result["fuzz"] = runs
        self.say(f"check: {step.name} {result['result']} after {duration(result['seconds'])}. {result['counts']}")
        if code != 0:
            self.say("\n".join("  | " + line for line in text.splitlines()[-20:]))
        return result

    def run(self, names, again=False):
        """Runs the steps of these names, all if there are none. Returns the exit code."""
        known = [step.name for step in self.steps]
        if unknown := [name for name in names if name not in known]:
            self.say(f"check: there is no step {', '.join(unknown)}; the steps are {', '.join(known)}")
            return 2
        failed = []
        for step in self.steps:
            if names and step.name not in names:
                continue
            kept = self.state.get(step.name)
            sources = self.sources()
            if kept and not again and kept["result"] == "passed" and sources and kept["sources"] == sources:
                self.say(f"check: {step.name} passed on these sources on {kept['start']}; CHECK_AGAIN=1 repeats it")
                continue
            self.state[step.name] = self.run_step(step)
            if self.state[step.name]["result"] == "failed":
                failed.append(step.name)
            # After each step: an interrupted run goes on where it stopped.
            self.state_file.write_text(json.dumps(self.state, indent=1))
            self.write_page()
        self.write_page()
        self.say(f"check: failed: {', '.join(failed)}" if failed else f"check: no step failed; {PAGE} has the results")
        return 1 if failed else 0

    def write_page(self):
        page = self.root / PAGE
        page.parent.mkdir(exist_ok=True)
        page.write_text(quality_page(self.steps, self.state, page.read_text() if page.exists() else ""))


def duration(seconds):
    return f"{seconds} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(header, rows):
    return [row(header), "|" + "---|" * len(header), *rows, ""]


def quality_page(steps, state, before=""):
    """The page. A step that was not run in this clone keeps what the page said of it before."""
    lines = ["# What was checked, and when", "",
             "Continuous integration (`.ci/run`) runs `make test` and `make dev` on every change. `make check` runs the rest and",
             "writes this page; do not edit it by hand. Each row is the latest run of a step. A row holds for the commit that it",
             "names, not for later ones.", ""]
    title = "## Executions of each fuzz target"
    rows = []
    for step in steps:
        kept = state.get(step.name)
        if kept:
            result = {"failed": "**failed**", "skipped": "**skipped**"}.get(kept["result"], kept["result"])
            rows.append(row([step.name, step.what, f"`{kept['command']}`", result, kept["counts"], kept["start"] + " UTC",
                             duration(kept["seconds"]) + f" on {kept['machine']}", kept["commit"], kept["compiler"]]))
        else:
            earlier = [line for line in before.split(title)[0].split("\n") if line.startswith(f"| {step.name} | ")]
            rows += earlier[:1] or [row([step.name, step.what, f"`{step.command}`", "**not run yet**", "", "", "", "", ""])]
    lines += table(["step", "what it does", "command", "result", "counts", "started", "time", "commit", "compiler"], rows)
    runs = next((kept["fuzz"] for kept in state.values() if kept.get("fuzz")), None)
    if runs:
        lines += [title, "", "Several targets share the cores, so that these numbers depend on the machine.", ""]
        lines += table(["target", "executions"], [row([name, f"{count:,}"]) for name, count in sorted(runs.items())])
    elif title in before:
        lines.append(before[before.index(title):])
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.exit(Checks(ROOT, STEPS).run(sys.argv[1:], again=os.environ.get("CHECK_AGAIN") == "1"))
