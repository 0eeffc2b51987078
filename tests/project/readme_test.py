#!/usr/bin/env python3
"""Runs the shell blocks of a document that follow a `<!-- tested -->` line, each command must succeed.

Usage: readme_test.py DOCUMENT SOTTO MODEL FOLDER. They run in FOLDER, where build/sotto, the vectors
`vectors.txt`, the reviews `reviews.csv` and, as the default model, the small one are at hand.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def blocks(document):
    return re.findall(r"<!-- tested -->\s*```sh\n(.*?)```", document, flags=re.DOTALL)


def main():
    document, sotto, model, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "build").mkdir(parents=True)
    (folder / "cache" / "sotto").mkdir(parents=True)
    (folder / "build" / "sotto").symlink_to(sotto)
    shutil.copy(model, folder / "cache" / "sotto" / "glove-6b-100d-50k.sotto")
    shutil.copy(model.with_suffix(".txt"), folder / "vectors.txt")
    subprocess.run([sys.executable, ROOT / "scripts" / "make_reviews.py", "50", folder / "reviews.csv"], check=True)
    found = blocks(document.read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"{document.name}: no block is marked as tested")
    for block in found:
        # -e and -x: stop at the first failure, and show which command it was.
        done = subprocess.run(["bash", "-exo", "pipefail", "-c", block], cwd=folder, check=False,
                              env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})
        if done.returncode != 0:
            sys.exit(f"{document.name}: a command failed with code {done.returncode}")
    print(f"{document.name}: {len(found)} blocks ran")


if __name__ == "__main__":
    main()
