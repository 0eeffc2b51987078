#!/usr/bin/env python3
"""Puts a run of `sotto-lab gumbel` on its results page: scripts/results_gumbel.py RUN

Copies the CSV files, figures and run.json of the folder RUN to docs/results/truncated-gumbel, and replaces the table
below each heading of docs/results/truncated-gumbel.md that the run's own tables have too. The text between the tables stays.
For a run that was stopped, `sotto-lab gumbel --data DATA -o RUN --part table1` writes the tables with all rows so far.
"""
import pathlib
import re
import shutil
import sys
import textwrap

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results"
PAGE = DOCS / "truncated-gumbel.md"
TABLE = re.compile(r"(^\|.*\n)+", re.MULTILINE)
PARAGRAPH = re.compile(r"(^\S.*\n)+", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """Heading -> what stands below it, of the tables of a run."""
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    return {part.split("\n", 1)[0].strip(): part.split("\n", 1)[1].strip() for part in parts}


def replaced(page: str, heading: str, body: str) -> str:
    found = re.search(rf"^###? {re.escape(heading)}.*\n", page, flags=re.MULTILINE)
    if found is None:
        sys.exit(f"the page has no heading {heading!r}")
    is_table = body.startswith("|")
    next_heading = re.compile(r"^##", re.MULTILINE).search(page, found.end())
    end = next_heading.start() if next_heading else len(page)
    old = (TABLE if is_table else PARAGRAPH).search(page, found.end(), end)
    if old is None:
        sys.exit(f"nothing to replace below {heading!r}")
    new = body if is_table else textwrap.fill(body, 120)
    return page[: old.start()] + new + "\n" + page[old.end() :]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    run = pathlib.Path(sys.argv[1])
    page = PAGE.read_text(encoding="utf-8")
    for heading, body in sections((run / "tables.md").read_text(encoding="utf-8")).items():
        page = replaced(page, heading, body)
    PAGE.write_text(page, encoding="utf-8")
    for pattern in ("*.csv", "*.svg", "run.json"):
        for file in sorted(run.glob(pattern)):
            shutil.copy(file, DOCS / "truncated-gumbel" / file.name)


if __name__ == "__main__":
    main()
