#!/usr/bin/env python3
"""Pipes generated text through `sotto privatize -` and checks lines out and peak memory.

Usage: stream_test.py SOTTO MODEL BYTES. The text is never on disk, in or out. The peak is the kernel's
own (ru_maxrss), less the model's file, and must stay under 500 MB whatever BYTES is.
"""
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

LIMIT = 500 * 10**6
BLOCK = 4 * 2**20


def make_block(words):
    """About BLOCK bytes of whole lines: short ones, long ones, some unknown words and numbers."""
    rng = random.Random(7)
    parts, size = [], 0
    while size < BLOCK:
        count = rng.choice([0, 3, 12, 12, 40, 400])
        line = " ".join(rng.choice(words) if rng.random() < 0.95 else f"zq{rng.randrange(10**6)}" for _ in range(count))
        parts.append(line + ".\n")
        size += len(parts[-1])
    return "".join(parts).encode()


def main():
    sotto, model, total = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    words = model.with_suffix(".txt").read_text(encoding="utf-8").split("\n")
    block = make_block([row.split(" ")[0] for row in words if row])
    blocks = -(-total // len(block))
    start = time.monotonic()
    child = subprocess.Popen([sotto, "privatize", "-", "--model", model, "--mechanism", "tem", "--epsilon", "3"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lines_out = 0

    def drain():
        nonlocal lines_out
        while chunk := os.read(child.stdout.fileno(), 2**20):
            lines_out += chunk.count(b"\n")

    reader = threading.Thread(target=drain)
    reader.start()
    try:
        for _ in range(blocks):
            child.stdin.write(block)
        child.stdin.close()
    except BrokenPipeError:
        pass  # the exit code below tells why
    reader.join()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)

    lines_in = blocks * block.count(b"\n")
    peak = usage.ru_maxrss * 1024 - model.stat().st_size
    seconds = time.monotonic() - start
    print(f"{blocks * len(block):,} bytes in {seconds:.0f} s, {lines_in:,} lines in, {lines_out:,} out, "
          f"peak {peak / 1e6:.0f} MB above the model, exit code {child.returncode}")
    sys.exit(0 if child.returncode == 0 and lines_in == lines_out and peak < LIMIT else 1)


if __name__ == "__main__":
    main()
