#!/usr/bin/env python3
"""Closed standard streams: no message may land in a released file, and no data may be lost silently.

A process that starts with descriptor 0, 1 or 2 closed gets that number for the next file that it opens. What the
program then writes to "standard error" goes into that file. Every subset of the three is closed here, for every
place that the data and the answers can go to, and the files are compared byte by byte with those of a run whose
streams are open.
"""
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

SOTTO = os.path.abspath(sys.argv[1])
TEXT = "zero one, two four\n" * 2000
LINES = '{"id": 1, "text": "zero one, two four"}\n' * 2000
# A weak setting, a seed and an unknown-word policy: the program has much to say on standard error.
SETTINGS = ["--epsilon", "1", "--seed-not-private", "7", "--unknown", "mask"]


def run(words, closed, folder):
    """Exit code and both streams (None if closed). Every subset of {0, 1, 2} may be closed."""

    def close():
        for descriptor in closed:
            os.close(descriptor)

    with open(folder / "text.txt", "rb") as given, open(folder / "said.out", "wb") as out, \
            open(folder / "said.err", "wb") as err:
        child = subprocess.Popen([SOTTO, *map(str, words)], cwd=folder, stdin=given, stdout=out, stderr=err,
                                 env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}, preexec_fn=close)
        code = child.wait(timeout=60)
    return (code, None if 1 in closed else (folder / "said.out").read_bytes(),
            None if 2 in closed else (folder / "said.err").read_bytes())


def made(folder):
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name.startswith("made.")}
    for name in files:
        (folder / name).unlink()
    return files


def without_times(text):
    """A report or an answer says how long the run took and when it was made."""
    return [line for line in (text or b"").splitlines() if b'"seconds"' not in line and b'"created' not in line
            and b" tokens/s)" not in line and b'"when' not in line and b'"date' not in line
            and b'"released_at"' not in line]


with tempfile.TemporaryDirectory(prefix="sotto-closed-") as temporary:
    folder = pathlib.Path(temporary)
    (folder / "line.txt").write_text("zero 0\none 1\ntwo 2.5\nfour 4\n", encoding="utf-8")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    (folder / "lines.jsonl").write_text(LINES, encoding="utf-8")
    subprocess.run([SOTTO, "model", "import", folder / "line.txt", "-o", folder / "line.sotto"], check=True,
                   capture_output=True)
    base = ["privatize", "--model", "line.sotto", *SETTINGS]
    # The command, and which streams it reads or writes as data.
    cases = {
        "file to file": (base + ["text.txt", "-o", "made.txt"], set()),
        "file to file with a report": (base + ["text.txt", "-o", "made.txt", "--report", "made.json"], set()),
        # Fields that pass in clear are named while the files are open.
        "records to file": (base + ["lines.jsonl", "--field", "text", "-o", "made.jsonl"], set()),
        "records with a report": (base + ["lines.jsonl", "--field", "text", "-o", "made.jsonl", "--report",
                                          "made.json"], set()),
        "gzip with a report": (base + ["text.txt", "-o", "made.gz", "--report", "made.json"], set()),
        "file to file with an answer": (base + ["text.txt", "-o", "made.txt", "--json"], {1}),
        "stream to file": (base + ["-o", "made.txt", "--report", "made.json"], {0}),
        "file to stream": (base + ["text.txt", "-o", "-", "--report", "made.json"], {1}),
        "stream to stream": (base, {0, 1}),
        "device to device": (base + ["/dev/stdin", "-o", "/dev/stdout", "--force"], {0, 1}),
        "import": (["model", "import", "line.txt", "-o", "made.sotto"], set()),
        "page": (["certify", "--model", "line.sotto", "--epsilon", "1", "--html", "made.html"], {1}),
        "help": (["--help"], {1}),
        "an error": (base + ["missing.txt", "-o", "made.txt"], set()),
        "a weak run that stops": (["privatize", "text.txt", "--model", "line.sotto", "--epsilon", "90", "-o",
                                   "made.txt"], set()),
    }
    checked = 0
    for name, (words, needed) in cases.items():
        # Twice: the first run fills the cache, and messages may depend on what is cached.
        for _ in range(2):
            made(folder)
            open_code, open_out, open_err = run(words, [], folder)
        expected = made(folder)
        wanted = {"an error": 4, "a weak run that stops": 1}.get(name, 0)
        assert open_code == wanted, f"{name}: exit {open_code} with open streams: {open_err.decode()}"
        assert open_err or "help" in name or "page" in name, f"{name}: said nothing, so the test shows nothing"
        for count in range(1, 4):
            for closed in itertools.combinations(range(3), count):
                where = f"{name}, closed {closed}"
                code, out, err = run(words, closed, folder)
                files = made(folder)
                checked += 1
                if needed & set(closed):
                    # The data could not be read or written: an error, and nothing under the output's name but
                    # what was complete before.
                    assert code in (2, 3, 4), f"{where}: exit {code}"
                    assert err is None or err, f"{where}: no message"
                    if 1 not in needed:
                        assert not files, f"{where}: {sorted(files)}"
                    for made_name in files:
                        assert without_times(files[made_name]) == without_times(expected[made_name]), where
                    continue
                assert code == open_code, f"{where}: exit {code}, not {open_code}: {err}"
                assert sorted(files) == sorted(expected), f"{where}: {sorted(files)}"
                for made_name, content in files.items():
                    same = content == expected[made_name] or (
                        made_name.endswith((".json", ".html")) and
                        without_times(content) == without_times(expected[made_name]))
                    assert same, f"{where}: {made_name} differs: {content[-300:]!r}"
                assert out is None or without_times(out) == without_times(open_out), f"{where}: standard output"
                assert err is None or without_times(err) == without_times(open_err), f"{where}: standard error"
    print(f"{checked} runs with closed streams: no message in a file, no data lost silently")
