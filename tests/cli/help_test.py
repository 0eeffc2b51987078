#!/usr/bin/env python3
"""Every row of the table of commands is in the help, in the messages, and answers --help with its usage.

The rows are read from the source of the table: a command that is missing from the help must fail here.
"""
import pathlib
import re
import subprocess
import sys

TABLE = pathlib.Path(__file__).resolve().parents[2] / "apps" / "cli" / "commands.cpp"


def run(*words):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def entry(name, summary, example):
    """How the help shows a row: name, summary and example, with any white space between the words."""
    return re.compile(r"^  " + r"\s+".join(re.escape(word) for word in f"{name} {summary} {example}".split()) + "$", re.M)


source = TABLE.read_text(encoding="utf-8")
names = re.findall(r'\.name = "([^"]+)"', source)
rows = re.findall(r'\.name = "([^"]+)",\s*\.summary =\s*"([^"]+)",\s*\.example = "([^"]+)"', source)
assert len(names) > 10 and len(set(names)) == len(names) == len(rows), (names, rows)

code, main_help, _ = run("--help")
assert code == 0
code, _, no_command = run()
assert code == 2 and no_command in main_help
for row in rows:
    assert entry(*row).search(main_help), row
    assert row[2].startswith(f"sotto {row[0]}"), row
    for word in ("--help", "-h"):
        code, text, said = run(*row[0].split(), word)
        assert (code, said) == (0, ""), (row, code, said)
        assert re.search(rf"^Usage: sotto {row[0]}\b", text, re.M), (row, text)

# Every help has one shape: one sentence, usage, three examples or more, options in groups, what to read next.
GROUPS = ["Options", "Reading the input", "Model and mechanism", "Mechanism parameters", "Ledger", "Running"]
ROOT = TABLE.parents[2]
for name, summary, _ in rows:
    text = run(*name.split(), "--help")[1]
    sentence, usage, examples = text.split("\n\n")[:3]
    assert " ".join(sentence.split()) == summary, (name, sentence)
    assert usage.startswith(f"Usage: sotto {name}"), (name, usage)
    lines = examples.split("\n")
    assert len(lines) >= 3 and all(line.startswith("  ") and "sotto " in line for line in lines), (name, examples)
    headings = re.findall(r"^(\w[\w ]*)$(?=\n  -)", text, re.M)
    assert headings == [group for group in GROUPS if group in headings] and headings[-1] == "Running", (name, headings)
    # Parameters of other mechanisms than the default one are understood, but not listed.
    own = [line for line in lines if f"sotto {name} " in line and "--mechanism" not in line]
    for flag in re.findall(r"(?<= )--[a-z-]+", "\n".join(own)):
        assert re.search(rf"^  (-\w,)?{flag}\b", text, re.M), (name, f"{flag} stands in an example and not among the options")
    page = re.search(r"^Read next: (docs/\S+\.md)\n\Z", text, re.M)
    assert page and (ROOT / page[1]).is_file(), (name, text[-200:])

code, _, said = run("no-such-command")
assert code == 2 and "does not exist (`sotto --help` lists the commands)" in said, said

groups = {name.split()[0] for name in names if " " in name} - set(names)  # `serve key create` is part of `serve`
assert groups == {"lm", "model", "ledger"}, groups
for group in groups:
    code, text, _ = run(group, "--help")
    assert code == 0 and text.startswith(f"Usage: sotto {group} COMMAND"), text
    members = [row for row in rows if row[0].startswith(group + " ")]
    assert all(entry(*row).search(text) for row in members), text
    verbs = ", ".join(row[0].split()[1] for row in members)
    for words in ([group], [group, "no-such-command"]):
        code, _, said = run(*words)
        assert code == 2 and said.endswith(f": {verbs}\n"), said

assert run("privatise", "--help") == run("privatize", "--help")
print(f"{len(rows)} commands")
