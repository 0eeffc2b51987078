#!/usr/bin/env python3
"""The demo: one review at three volumes, then a CSV of 1,000, before and after side by side.

Uses the default model if it is in the cache, else the small built-in one. All text here is invented, so
the demo may pass --allow-weak, which a real release should not.
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import time
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOTTO = ROOT / "build" / "sotto"
OUT = ROOT / "build" / "demo"
EPSILONS = ["1.5", "3", "6"]
CSV_EPSILON = "3"
REVIEW = (
    "My doctor told me to avoid salt, so of course we went straight to the pizza place near the hospital. "
    "The waiter was rude, the music was loud, and the cheese was absolutely perfect. Best night of the year!"
)


def run(*arguments, text=None):
    """Runs build/sotto; its summary and warnings are shown only if it fails."""
    command = [str(SOTTO), *map(str, arguments)]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        sys.exit(f"demo: `sotto {arguments[0]}` ended with code {done.returncode}\n{done.stderr}")
    return done.stdout


def find_model():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    model = cache / "sotto" / "glove-6b-100d-50k.sotto"
    if model.is_file():
        return model, "the default model, 50,000 words of GloVe 6B 100d"
    words = OUT / "tiny.txt"
    model = OUT / "tiny.sotto"
    subprocess.run([sys.executable, ROOT / "scripts" / "make_tiny_model.py", words], check=True)
    run("model", "import", words, "-o", model, "--force")
    return model, "the small built-in model: the default one needs network and Node.js"


def privatize(model, epsilon, *arguments, text=None):
    """The command's output, and its report as a dictionary."""
    report = OUT / f"report-{epsilon}.json"
    output = run("privatize", *arguments, "--model", model, "--mechanism", "tem", "--epsilon", epsilon,
                 "--report", report, "--allow-weak", "--force", text=text)
    return output, json.loads(report.read_text(encoding="utf-8"))


def expected(report):
    """The forecast in words. Above 90% the program would have stopped without --allow-weak."""
    share = report["expected_unchanged"]["share"]
    return f"{100 * share:.1f}% of words expected unchanged" + (", refused without --allow-weak" if share > 0.9 else "")


def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


def side_by_side(columns, total):
    """Prints texts as columns of equal width, each wrapped to its own."""
    each = (total - 3 * (len(columns) - 1)) // len(columns)
    wrapped = [[line for part in column.split("\n") for line in textwrap.wrap(part, each) or [""]]
               for column in columns]
    for row in range(max(map(len, wrapped))):
        cells = [lines[row] if row < len(lines) else "" for lines in wrapped]
        print(" | ".join(cell + " " * (each - width(cell)) for cell in cells).rstrip())


def show_review(model, total):
    heads, texts = ["as written"], [REVIEW]
    for epsilon in EPSILONS:
        after, report = privatize(model, epsilon, "-", text=REVIEW + "\n")
        heads.append(f"epsilon {epsilon}\n{expected(report)}")
        texts.append(after.strip())
    side_by_side(heads, total)
    print("-" * total)
    side_by_side(texts, total)


def show_csv(model, total):
    before, after = OUT / "reviews.csv", OUT / "private.csv"
    subprocess.run([sys.executable, ROOT / "scripts" / "make_reviews.py", "1000", before], check=True)
    start = time.monotonic()
    _, report = privatize(model, CSV_EPSILON, before, "--column", "text", "-o", after)
    seconds = time.monotonic() - start
    print(f"A CSV of 1,000 invented reviews, column `text`, epsilon {CSV_EPSILON}: {seconds:.1f} s, "
          f"{expected(report)}. The first three:\n")
    side_by_side(["as written", "private"], total)
    print("-" * total)
    with before.open(encoding="utf-8", newline="") as old, after.open(encoding="utf-8", newline="") as new:
        for number, (left, right) in enumerate(zip(csv.DictReader(old), csv.DictReader(new))):
            if number == 3:
                break
            side_by_side([f"{row['id']}, {row['stars']} stars: {row['text']}" for row in (left, right)], total)
            print()
    for what, path in [("before", before), ("after", after), ("report", OUT / f"report-{CSV_EPSILON}.json")]:
        print(f"  {what:7}{path.relative_to(ROOT)}")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    model, what = find_model()
    total = min(100, shutil.get_terminal_size((100, 24)).columns)
    print(f"\nSotto. Mechanism tem, {what}.\nEpsilon is the volume: low is private, high is faithful.\n")
    show_review(model, total)
    print()
    show_csv(model, total)
    print("\nNext: build/sotto privatize --help, or the README's section on your own file.")


if __name__ == "__main__":
    main()
