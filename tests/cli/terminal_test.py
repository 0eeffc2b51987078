#!/usr/bin/env python3
"""What depends on what the streams are: the progress bar is for terminals, and never for pipes."""
import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import sys
import tempfile
import termios

SOTTO = sys.argv[1]
COLUMNS = 60
CLEARED = "\r\x1b[K"


def on_terminal(command, columns=COLUMNS, data_too=False):
    """Runs with standard error (and, if data_too, standard output) on a pseudo-terminal; what it showed."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave if data_too else subprocess.DEVNULL,
                             stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # EIO: the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    assert child.wait() == 0, shown.decode()
    return shown.decode()


def bar_lines(shown):
    return [part.split("\x1b[K")[0] for part in shown.split("\r") if "tokens/s" in part and "\x1b[K" in part]


with tempfile.TemporaryDirectory(prefix="sotto-terminal-") as temporary:
    folder = pathlib.Path(temporary)
    (folder / "line.txt").write_text("zero 0\none 1\ntwo 2.5\nfour 4\n", encoding="utf-8")
    model = folder / "line.sotto"
    subprocess.run([SOTTO, "model", "import", folder / "line.txt", "-o", model], check=True, capture_output=True)
    text = folder / "long.txt"
    text.write_text("zero one, two four\n" * 100000, encoding="utf-8")
    command = [SOTTO, "privatize", text, "--model", model, "--epsilon", "1", "--force"]
    to_file = command + ["-o", folder / "out.txt"]

    # On a terminal: a bar with records, speed and a percentage, inside the width, cleared at the end.
    shown = on_terminal(to_file)
    bars = bar_lines(shown)
    assert bars, repr(shown)
    assert all(len(bar) < COLUMNS for bar in bars), bars
    assert "records" in bars[0] and "%" in bars[0], bars
    assert CLEARED in shown and "tokens/s" not in shown.rsplit(CLEARED, 1)[1].replace("tokens/s)", ""), repr(shown)
    wide = bar_lines(on_terminal(to_file, columns=200))
    assert "left" in wide[0], wide

    # In a pipe, with --quiet, or when the data goes to the same terminal: none.
    piped = subprocess.run(to_file, capture_output=True, text=True, check=True)
    assert "\x1b" not in piped.stderr and "\r" not in piped.stderr, repr(piped.stderr)
    assert "100,000 documents" in piped.stderr
    assert "\x1b" not in on_terminal(to_file + ["--quiet"])
    assert "\x1b" not in on_terminal(command, data_too=True)

    # A stream that cannot be written is error 4, for data, answers and help.
    for arguments in (command[1:], ["--help"], ["mechanisms", "--json"], ["explain", "zero", "--model", model, "--epsilon", "1"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([SOTTO, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 4, (arguments, done.returncode, done.stderr)
        assert "standard output" in done.stderr or "space" in done.stderr, done.stderr

    # A reader that goes away is error 4 too, not a death by signal.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        child.stdout.readline()
        child.stdout.close()
        child.stderr.read()
        assert child.wait() == 4, child.returncode
    # A model that shrinks while it is mapped: error 4 and a word about it, no crash.
    doomed = folder / "doomed.sotto"
    doomed.write_bytes(model.read_bytes())
    with subprocess.Popen([SOTTO, "privatize", "--model", doomed, "--epsilon", "1"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        while "expected" not in child.stderr.readline():  # said when all is ready for the first line
            pass
        os.truncate(doomed, 0)
        out, err = child.communicate("zero one two\n")
        assert child.returncode == 4 and "changed or shrank" in err and out == "", (child.returncode, out, err)
print("streams are kept apart")
