#!/usr/bin/env python3
"""kill -9 at random moments: the output is absent (or the old one) or whole, and nothing is left over.

Usage: kill_test.py SOTTO MODEL FOLDER. Rounds alternate between a new target and an existing one
with --force. The moments are seeded; what they hit depends on the machine, what must hold does not.
"""
import errno
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

ROUNDS = 30
LINES = 60000
OLD = b"old\n"


def has_unnamed_files(folder):
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
        return True
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            return False
        raise


def main():
    sotto, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "out").mkdir(parents=True)
    source, target = folder / "in.txt", folder / "out" / "private.txt"
    source.write_text("the waiter was rude but the soup was perfect, really\n" * LINES, encoding="utf-8")
    command = [sotto, "privatize", source, "-o", target, "--model", model, "--mechanism", "tem", "--epsilon", "3"]

    def is_whole():
        return target.read_bytes().count(b"\n") == LINES

    start = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    full = time.monotonic() - start
    if not is_whole():
        sys.exit("a run that was not killed lost lines")

    rng = random.Random(9)
    killed = 0
    for number in range(ROUNDS):
        replaces = number % 2 == 1
        target.unlink(missing_ok=True)
        if replaces:
            target.write_bytes(OLD)
        child = subprocess.Popen(command + ["--force"] * replaces, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Half of the moments fall in the last tenth, where the file gets its name.
        time.sleep(full * (rng.random() if number % 4 < 2 else rng.uniform(0.9, 1.1)))
        child.kill()
        killed += child.wait() == -9
        left = [path.name for path in target.parent.iterdir() if path != target]
        if target.exists():
            if not is_whole() and not (replaces and target.read_bytes() == OLD):
                sys.exit(f"round {number}: half a file of {target.stat().st_size} bytes")
        elif replaces:
            sys.exit(f"round {number}: the old file is gone")
        # Replacing needs a name for an instant (link, then rename): only a new target can promise none.
        if left and not replaces and has_unnamed_files(target.parent):
            sys.exit(f"round {number}: left over: {left}")
        for name in left:
            (target.parent / name).unlink()
    print(f"{killed} of {ROUNDS} rounds killed in time; a full run takes {full:.2f} s")
    shutil.rmtree(folder)
    sys.exit(0 if killed else 1)


if __name__ == "__main__":
    main()
