#!/usr/bin/env python3
"""Runs commands and draws them with their real output as a picture of a terminal (SVG, text stays text).

    terminal_svg.py OUT.svg COMMAND...       each COMMAND is one shell line; `COMMAND ::: SHOWN` shows another text for it

Lines longer than 100 characters are folded. Standard error is part of the picture, as on a terminal. `make pictures`
makes docs/images/terminal.svg with it.
"""
import html
import os
import subprocess
import sys
import textwrap

COLUMNS, LINE, CHAR, LEFT, TOP = 100, 19, 8.05, 16, 46


def folded(text):
    for line in text.splitlines():
        yield from textwrap.wrap(line, COLUMNS, subsequent_indent="  ", drop_whitespace=False) or [""]


def recorded(commands):
    """(kind, line): `input` for what is typed, `output` for the rest."""
    lines = []
    for command in commands:
        typed, _, shown = command.partition(" ::: ")
        done = subprocess.run(["bash", "-o", "pipefail", "-c", typed], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, env={**os.environ, "COLUMNS": str(COLUMNS)})
        if done.returncode != 0:
            sys.exit(f"terminal_svg: exit code {done.returncode} of: {typed}\n{done.stdout}")
        lines += [("input", line) for line in folded("$ " + (shown or typed))]
        lines += [("output", line) for line in folded(done.stdout)] + [("output", "")]
    return lines[:-1]


def drawing(lines):
    width, height = int(2 * LEFT + COLUMNS * CHAR), TOP + len(lines) * LINE + 14
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'role="img" aria-label="a terminal with commands of sotto and their output">',
           f'<rect width="{width}" height="{height}" rx="8" fill="#1f2430"/>']
    out += [f'<circle cx="{20 + 20 * i}" cy="18" r="6" fill="{fill}"/>'
            for i, fill in enumerate(("#e06c75", "#e5c07b", "#98c379"))]
    out.append('<g font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="13.4" '
               'xml:space="preserve" style="white-space: pre">')
    for row, (kind, line) in enumerate(lines):
        fill = "#98c379" if kind == "input" else "#d7dae0"
        out.append(f'<text x="{LEFT}" y="{TOP + row * LINE}" fill="{fill}">{html.escape(line)}</text>')
    return "\n".join(out + ["</g>", "</svg>"]) + "\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    picture = drawing(recorded(sys.argv[2:]))
    os.makedirs(os.path.dirname(sys.argv[1]) or ".", exist_ok=True)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(picture)


if __name__ == "__main__":
    main()
