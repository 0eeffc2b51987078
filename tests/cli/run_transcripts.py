#!/usr/bin/env python3
"""Runs one transcript: shell commands with the output that they must have.

    # a comment
    #inputs: bad.csv          files of private text; each must hold the canary word
    #requires: mount          skipped (77) where that is not possible
    $ sotto privatize bad.csv --epsilon 2
    > (more lines of the same command)
    a line of standard output
    ! a line of standard error
    [exit 3]

`...` alone stands for any number of lines, inside a line for any characters. Both streams must match
whole; the exit code is 0 unless said. Everything runs in a folder of its own, which is HOME. At the end all
output, and every file made except the inputs, is searched for the canary: text that was given to the
program to hide must not come out of it anywhere.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

CANARY = "zanzibarcanary"
SKIPPED = 77


class Step:
    def __init__(self, line, command):
        self.line = line
        self.command = command
        self.stdout = []
        self.stderr = []
        self.exit = 0


def parse(path):
    steps, inputs, requires = [], [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#inputs:"):
            inputs += line.split(":", 1)[1].split()
        elif line.startswith("#requires:"):
            requires += line.split(":", 1)[1].split()
        elif line.startswith("#"):
            continue
        elif line.startswith("$ "):
            steps.append(Step(number, line[2:]))
        elif not steps:
            if line.strip():
                sys.exit(f"{path}:{number}: expected a command")
        elif line.startswith("> ") or line == ">":
            steps[-1].command += "\n" + line[2:]
        elif line.startswith("! ") or line == "!":
            steps[-1].stderr.append(line[2:])
        elif match := re.fullmatch(r"\[exit (\d+)\]", line):
            steps[-1].exit = int(match.group(1))
        else:
            steps[-1].stdout.append(line)
    for step in steps:
        while step.stdout and not step.stdout[-1].strip():
            step.stdout.pop()
    return steps, inputs, requires


def matches(expected, actual):
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.split("...")) + r"\n"
    if actual and not actual.endswith("\n"):
        actual += "\n"
    return re.fullmatch(pattern, actual) is not None


def can_mount(folder):
    target = folder / "mount-probe"
    target.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", target], capture_output=True)
    if done.returncode == 0:
        subprocess.run(["umount", target], check=True)
    target.rmdir()
    return done.returncode == 0


def is_possible(requirement, folder):
    if requirement == "mount":
        return os.geteuid() == 0 and shutil.which("mount") is not None and can_mount(folder)
    return shutil.which(requirement) is not None


def plain(path):
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        return data + zlib.decompressobj(31).decompress(data)  # as far as it goes: it may be cut
    if data.startswith(b"\x28\xb5\x2f\xfd") and shutil.which("zstd"):
        return subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=True).stdout
    return data


def holds_canary(data):
    return CANARY.encode() in data.lower()


def leaks(folder, inputs, said):
    """Where the canary came out."""
    found = ["output of a command"] if holds_canary(said) else []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if holds_canary(name.encode()):
            found.append("the name " + name)
        if name not in inputs and path.is_file() and not path.is_symlink() and holds_canary(plain(path)):
            found.append(name)
    return found


def run(transcript, sotto, fixtures, folder):
    steps, inputs, requires = parse(transcript)
    for requirement in requires:
        if not is_possible(requirement, folder):
            print(f"skipped: {requirement} is not possible here")
            return SKIPPED
    environment = {
        "PATH": f"{sotto.parent}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8",
        "XDG_CACHE_HOME": str(folder / "cache"), "FIXTURES": str(fixtures), "CANARY": CANARY,
        "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""), "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", ""),
    }
    said = b""
    failures = 0
    for step in steps:
        done = subprocess.run(["bash", "-c", step.command], cwd=folder, env=environment, capture_output=True,
                              stdin=subprocess.DEVNULL)
        said += done.stdout + done.stderr
        out = done.stdout.decode("utf-8", "backslashreplace")
        err = done.stderr.decode("utf-8", "backslashreplace")
        if done.returncode == step.exit and matches(step.stdout, out) and matches(step.stderr, err):
            continue
        failures += 1
        print(f"{transcript.name}:{step.line}: $ {step.command}")
        print(f"  exit {done.returncode}, expected {step.exit}")
        for label, expected, actual in (("stdout", step.stdout, out), ("stderr", step.stderr, err)):
            if not matches(expected, actual):
                print(f"  {label} expected:", *expected, sep="\n    ")
                print(f"  {label} was:", *actual.splitlines(), sep="\n    ")
    for name in inputs:
        if not holds_canary(plain(folder / name)):
            failures += 1
            print(f"{transcript.name}: the input {name} does not hold the canary: the test is void")
    for place in leaks(folder, inputs, said):
        failures += 1
        print(f"{transcript.name}: the canary came out in {place}")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sotto", required=True, type=pathlib.Path)
    parser.add_argument("transcript", type=pathlib.Path)
    arguments = parser.parse_args()
    fixtures = pathlib.Path(__file__).resolve().parent / "fixtures"
    with tempfile.TemporaryDirectory(prefix="sotto-cli-") as folder:
        return run(arguments.transcript, arguments.sotto.resolve(), fixtures, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
