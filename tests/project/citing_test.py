#!/usr/bin/env python3
"""CITATION.cff has the fields that its format requires, BibTeX of docs/papers.md is whole, and versions agree.

Usage: citing_test.py ROOT
"""
import pathlib
import re
import sys

# https://github.com/citation-file-format: the schema of 1.2.0 requires these; the rest is what we want to be there.
REQUIRED = {"cff-version", "message", "title", "authors"}
WANTED = {"type", "version", "license", "keywords"}
ALLOWED = REQUIRED | WANTED | {"abstract", "commit", "contact", "date-released", "doi", "identifiers", "license-url",
                               "preferred-citation", "references", "repository", "repository-artifact",
                               "repository-code", "url"}
# Fields without which a bibliography style warns.
NEEDED = {"software": {"author", "title", "version", "year"}, "misc": {"author", "title", "year", "eprint", "archivePrefix"},
          "inproceedings": {"author", "title", "booktitle", "year"}, "article": {"author", "title", "journal", "year"}}


def read_cff(text):
    """The YAML of this file: `key: value` lines, and lists of values or of one-key mappings. Anything else is refused."""
    fields, key = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.fullmatch(r"([a-z][a-z-]*):(?: (\S.*))?", line):
            key, value = match.groups()
            assert key not in fields, f"line {number}: {key} is there twice"
            fields[key] = [] if value is None else value.strip('"')
        else:
            match = re.fullmatch(r"  - (\S.*)", line)
            assert match and isinstance(fields.get(key), list), f"line {number}: {line!r}"
            fields[key].append(match[1])
    return fields


def check_cff(text, version):
    fields = read_cff(text)
    assert REQUIRED | WANTED <= fields.keys() <= ALLOWED, sorted(fields)
    assert fields["cff-version"] == "1.2.0" and fields["type"] == "software" and fields["license"] == "MIT", fields
    assert fields["version"] == version, f"CITATION.cff has {fields['version']}, the project {version}"
    assert fields["authors"] and all(re.match(r"(name|family-names|given-names): \S", each) for each in fields["authors"])
    return fields


def read_bibtex(text):
    """Entries by key: the kind and the fields. Refuses unbalanced braces, a field twice, a missing comma."""
    entries, at = {}, 0
    while match := re.compile(r"\s*@([a-z]+)\{([a-z0-9-]+),\n").match(text, at):
        kind, key = match.groups()
        fields, at = {}, match.end()
        while field := re.compile(r"  ([A-Za-z]+) *= \{").match(text, at):
            depth, end = 1, field.end()
            while depth:
                assert end < len(text), f"{key}: {field[1]} does not end"
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            assert field[1] not in fields, f"{key}: {field[1]} is there twice"
            fields[field[1]] = text[field.end():end - 1]
            comma = re.compile(r",\n(?=  )|\n(?=\})").match(text, end)
            assert comma, f"{key}: no comma or end after {field[1]}"
            at = comma.end()
        assert text[at:at + 1] == "}" and key not in entries, key
        entries[key], at = (kind, fields), at + 1
    assert not text[at:].strip(), f"not read: {text[at:at + 60]!r}"
    return entries


def check_bibtex(page, version):
    entries = read_bibtex(re.search(r"```bibtex\n(.*?)```", page, re.DOTALL)[1])
    for key, (kind, fields) in entries.items():
        assert NEEDED[kind] <= fields.keys(), f"{key}: {sorted(NEEDED[kind] - fields.keys())} missing"
        assert re.fullmatch(r"(19|20)\d\d", fields["year"]) and all(fields.values()), key
        assert re.fullmatch(r"\{.*\}|[^,]+, [^,]+( and [^,]+, [^,]+)*", fields["author"]), f"{key}: {fields['author']}"
        if "eprint" in fields:  # the page's table names the same number
            assert f"arXiv {fields['eprint']}" in page, f"{key}: arXiv {fields['eprint']} is not in the tables"
    # Every short name of the first table can be cited, and Sotto itself.
    names = re.findall(r"^\| ([a-z-]+-20\d\d) \|", page, re.MULTILINE)
    assert len(names) == 5 and {"sotto", *names} <= entries.keys(), names
    assert entries["sotto"][1]["version"] == version, entries["sotto"]
    return entries


def refused(function, *arguments):
    try:
        function(*arguments)
    except AssertionError:
        return True
    return False


def main():
    root = pathlib.Path(sys.argv[1])
    version = re.search(r"project\(sotto VERSION (\S+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    cff = (root / "CITATION.cff").read_text(encoding="utf-8")
    page = (root / "docs/papers.md").read_text(encoding="utf-8")
    fields = check_cff(cff, version)
    entries = check_bibtex(page, version)
    assert fields["title"].lower() == entries["sotto"][1]["title"].lower()
    # The checks can fail.
    assert refused(check_cff, cff, version + "1") and refused(check_bibtex, page, version + "1")
    assert refused(check_cff, cff.replace("message:", "massage:"), version)
    assert refused(check_cff, cff.replace("authors:\n", ""), version)
    assert refused(check_bibtex, page.replace("year   = {2021},", "", 1), version)
    assert refused(check_bibtex, page.replace("Generation},", "Generation,"), version)
    assert refused(check_bibtex, page.replace("@misc{tem-2021", "@misc{tem-2022"), version)
    print(f"CITATION.cff: {len(fields)} fields; docs/papers.md: {len(entries)} entries; version {version}")


if __name__ == "__main__":
    main()
