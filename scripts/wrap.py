#!/usr/bin/env python3
"""Wraps the paragraphs and list items of Markdown files that have a line over 120 columns. Usage: wrap.py FILE...

Code, tables, headings, pictures and HTML comments stay as they are. A line never begins with a sign that Markdown would
read as a list, a heading or a table, and `code` is not broken. A list directly after a paragraph gets an empty line
before it, because the site's Markdown would read the list as text.
"""
import pathlib
import re
import sys

WIDTH = 120
ITEM = re.compile(r"( *)([-*]|\d+\.) +(?=\S)")
STARTS_BLOCK = re.compile(r"([-+*=]|#+|\d+[.)]|>.*|\|.*)$")


def words(text):
    """The words of a text; a piece of `code` of up to 70 characters is one word with what touches it."""
    joined = re.sub(r"`[^`]{1,70}`", lambda code: code[0].replace(" ", "\0"), text)
    return [word.replace("\0", " ") for word in joined.split()]


def wrapped(text, first, rest):
    lines, line = [], []
    for word in words(text):
        line.append(word)
        indent = rest if lines else first
        if len(indent + " ".join(line)) <= WIDTH or len(line) == 1:
            continue
        cut = len(line) - 1
        while cut > 1 and STARTS_BLOCK.match(line[cut]):
            cut -= 1
        lines.append(indent + " ".join(line[:cut]))
        line = line[cut:]
    return lines + [(rest if lines else first) + " ".join(line)]


def wrap(text):
    out, paragraph, first, rest, in_code = [], [], "", "", False

    def end():
        """Wraps the lines of the paragraph, which are there as they were."""
        if any(len(line) > WIDTH for line in paragraph):
            out.extend(wrapped(" ".join(line.strip() for line in paragraph)[len(first.strip()):], first, rest))
        else:
            out.extend(paragraph)
        paragraph.clear()

    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            in_code = not in_code
            end()
            out.append(line)
        elif in_code or not line.strip() or line.startswith(("#", "|", "<", "![", ">")):
            end()
            out.append(line)
        elif item := ITEM.match(line):
            follows_text = bool(paragraph) and not first.strip()
            end()
            if follows_text and not item[1]:
                out.append("")
            first, rest = item[0], " " * len(item[0])
            paragraph.append(line)
        elif line.startswith("    ") and not paragraph:
            out.append(line)
        else:
            if not paragraph:
                first = rest = re.match(" *", line)[0]
            paragraph.append(line)
    end()
    return "\n".join(out)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        before = path.read_text(encoding="utf-8")
        after = wrap(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"wrapped {name}")


if __name__ == "__main__":
    main()
