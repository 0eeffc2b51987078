#!/usr/bin/env python3
"""Runs the shell blocks of a document that follow a `<!-- tested -->` line, each command must succeed. A text block
after an `<!-- output -->` line that follows is what they must print on standard output.

Usage: readme_test.py DOCUMENT SOTTO MODEL FOLDER. They run in FOLDER, where build/sotto, the vectors
`vectors.txt`, the reviews `reviews.csv` and, as the default model, the small one are at hand.
"""
import atexit
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def blocks(document):
    """(commands, expected standard output or "" for any)"""
    return re.findall(r"<!-- tested -->\s*```sh\n(.*?)```(?:\s*<!-- output -->\s*```text\n(.*?)```)?", document,
                      flags=re.DOTALL)


def is_like(output, expected):
    """`...` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("..."))
    return re.fullmatch(pattern, output.strip(), flags=re.DOTALL) is not None


def end_server(pid_file):
    """A document may start a server and write its process id there; a failed block must not leave it behind."""
    if not pid_file.exists():
        return
    try:
        os.kill(int(pid_file.read_text(encoding="utf-8")), signal.SIGTERM)
    except ProcessLookupError:
        pass  # the document has ended it


def main():
    document, sotto, model, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "build").mkdir(parents=True)
    (folder / "cache" / "sotto").mkdir(parents=True)
    (folder / "build" / "sotto").symlink_to(sotto)
    (folder / "scripts").symlink_to(ROOT / "scripts")
    shutil.copy(model, folder / "cache" / "sotto" / "glove-6b-100d-50k.sotto")
    shutil.copy(model.with_suffix(".txt"), folder / "vectors.txt")
    subprocess.run([sys.executable, ROOT / "scripts" / "make_reviews.py", "50", folder / "reviews.csv"], check=True)
    found = blocks(document.read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"{document.name}: no block is marked as tested")
    if "curl " in "".join(block for block, _ in found) and shutil.which("curl") is None:
        print(f"{document.name}: skipped, there is no curl")
        sys.exit(77)
    atexit.register(end_server, folder / "server.pid")
    for block, expected in found:
        # -e and -x: stop at the first failure, and show which command it was.
        done = subprocess.run(["bash", "-exo", "pipefail", "-c", block], cwd=folder, check=False,
                              stdout=subprocess.PIPE if expected else None, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})
        if done.returncode != 0:
            sys.exit(f"{document.name}: a command failed with code {done.returncode}")
        if expected and not is_like(done.stdout, expected):
            sys.exit(f"{document.name}: expected\n{expected}\ngot\n{done.stdout}")
    print(f"{document.name}: {len(found)} blocks ran")


if __name__ == "__main__":
    main()
