"""The layout of Markdown pages: short lines and paragraphs, and lists that every Markdown reads as lists.

Code, tables and HTML comments are not prose. scripts/wrap.py repairs lines; a long paragraph needs an author.
"""
import re

LONGEST_LINE = 120
LONGEST_PARAGRAPH = 5
ITEM = re.compile(r"( *)([-*]|\d+\.) +\S")


def faults(text):
    """(line number, what is wrong) for each fault of a page."""
    found = []
    in_code = False
    start, count, in_list = 0, 0, False

    def end():
        nonlocal count
        if count > LONGEST_PARAGRAPH:
            found.append((start, f"a paragraph of {count} lines, {LONGEST_PARAGRAPH} at most"))
        count = 0

    for number, line in enumerate(text.splitlines(), 1):
        is_fence = line.lstrip().startswith("```")
        if is_fence or in_code:
            in_code ^= is_fence
            end()
            continue
        item = ITEM.match(line)
        is_prose = bool(line.strip()) and not line.startswith(("|", "<!--"))
        if is_prose and not item and not count and not in_list and line.startswith("    "):
            continue  # code by its indent
        if is_prose and len(line) > LONGEST_LINE and " " in line.strip():
            found.append((number, f"{len(line)} columns, {LONGEST_LINE} at most"))
        if item and count and not in_list:
            found.append((number, "a list directly after a paragraph: put an empty line before it"))
        if item and len(item[1]) % 4:
            found.append((number, "an inner list is indented by 4"))
        if item or not is_prose or line.startswith(("#", "![")):
            end()
        if item:
            in_list = True
        elif line.strip() and not line.startswith(" ") and not count:
            in_list = False
        if is_prose and not line.startswith(("#", "![")):
            start = start if count else number
            count += 1
    end()
    return sorted(found)
