#!/usr/bin/env python3
"""The transcript runner finds what it is there to find: a wrong line, a wrong code, a canary that came out."""
import pathlib
import subprocess
import sys
import tempfile

RUNNER = pathlib.Path(__file__).resolve().parent / "run_transcripts.py"
PASSES = "$ echo one; echo two >&2\no...\n! two\n"
CASES = [
    (PASSES, 0),
    ("$ printf '1\\n2\\n3\\n'\n1\n...\n", 0),
    ("$ echo one\ntwo\n", 1),
    ("$ echo one\n", 1),
    ("$ echo one >&2\none\n", 1),
    ("$ exit 3\n", 1),
    ("$ exit 3\n[exit 3]\n", 0),
    ("$ echo zanzibarcanary\n...\n", 1),
    ("$ echo Zanzibar'Canary' > made\n", 1),
    ("$ echo zanzibarcanary | gzip > made\n", 1),
    ("#inputs: given\n$ echo zanzibarcanary > given\n", 0),
    ("#inputs: given\n$ echo nothing > given\n", 1),
    ("#requires: no-such-program\n$ exit 3\n", 77),
]

with tempfile.TemporaryDirectory(prefix="sotto-runner-") as folder:
    for text, expected in CASES:
        transcript = pathlib.Path(folder) / "case.transcript"
        transcript.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, RUNNER, "--sotto", sys.argv[1], transcript], capture_output=True)
        assert done.returncode == expected, (text, done.returncode, done.stdout.decode())
print(f"{len(CASES)} cases")
