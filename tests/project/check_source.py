#!/usr/bin/env python3
"""Checks on the source tree itself. Usage: check_source.py CHECK ROOT, CHECK one of the names below.

includes  an include goes only to the left in core -> model -> ... -> text (design: one-way order)
library   src/ never prints, exits or reads the environment: only programs may
names     no path of somebody's machine, no address of a package registry
length    no source file over 400 lines
links     a relative link of a document leads to a file
citations a comment cites only pages that are in the repository, and only numbered sections that they have
registry  nothing but a mechanism's own files knows its class, and nothing but mechanisms/ its name: others ask the row,
          the claim or the virtual functions
metrics   nothing but the table of metrics tells one metric from another: others ask Space for the property
definitions   no two files define one name in one namespace (definitions.py says what that breaks)
unity     no two files that a unity build may compile as one (cmake/unity.cmake) use one name in their anonymous namespaces,
          and files with code of Highway are compiled alone
prose     Markdown lines end at 120 columns, paragraphs have at most five lines, lists follow an empty line (prose.py)
"""
import io
import pathlib
import re
import sys
import tokenize

import definitions
import prose

LAYERS = ["core", "html", "model", "neighbours", "mechanisms", "certify", "text", "measure", "attack", "tune", "learn", "ledger", "api"]
# Public headers live in one folder; each belongs to the layer that implements it.
PUBLIC = {
    "error": "core", "ids": "core", "parameters": "core", "rng": "core", "work": "core",
    "model": "model", "space": "model",
    "mechanism": "mechanisms", "own_law": "mechanisms",
    "certificate": "certify", "forecast": "certify", "setting": "certify",
    "privatizer": "text",
    "release": "api",
    "sotto": "api",
    "measure": "api",
    "explain": "api",
    "certify": "api",
    "adversary": "api",
    "answer": "api",
    "report": "text",
    "reading": "text",
    "extremes": "neighbours",
    "labels": "measure",
    "prior": "measure",
    "measurement": "measure",
    "quantity": "measure",
    "byte_stream": "core",
    "amount": "ledger", "ledger": "ledger",
}
CODE = {".cpp", ".h", ".py", ".sh", ".cmake"}
SKIPPED = re.compile(r"^(\.git|build|build-.*|\.cache|__pycache__)$")
LONGEST = 400


def files(root, suffixes=None):
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if any(SKIPPED.match(part) for part in inside.parts) or not path.is_file():
            continue
        if suffixes is None or path.suffix in suffixes:
            yield inside, path


def lines(path):
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def layer_of_file(inside):
    parts = inside.parts
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("include", "sotto"):
        return PUBLIC.get(inside.stem)
    return None


def layer_of_include(name):
    first = name.split("/")[0]
    if first == "sotto":
        return PUBLIC.get(pathlib.PurePath(name).stem)
    return first if "/" in name else "same"


def check_includes(root):
    for inside, path in files(root, {".cpp", ".h"}):
        if inside.parts[0] not in ("src", "include"):
            continue
        own = layer_of_file(inside)
        if own not in LAYERS:
            yield f"{inside}: belongs to no layer; add it to the table of check_source.py"
            continue
        for number, line in enumerate(lines(path), 1):
            found = re.match(r'\s*#\s*include\s+(?:"([^"]+)"|<(sotto/[^>]+)>)', line)
            if not found:
                continue
            name = found.group(1) or found.group(2)
            target = layer_of_include(name)
            if target == "same":
                continue
            if target not in LAYERS:
                yield f"{inside}:{number}: {name} belongs to no layer"
            elif LAYERS.index(target) > LAYERS.index(own):
                yield f"{inside}:{number}: {own} may not include {target} ({name})"
            elif inside.parts[0] == "include" and not name.startswith("sotto/"):
                yield f"{inside}:{number}: an installed header includes {name}, which is not installed"


def check_library(root):
    forbidden = re.compile(
        r"std::(cout|cerr|clog)|\b(printf|puts|fmt::print)\s*\(|\b(std::exit|_exit|abort|quick_exit)\s*\(|getenv\s*\(")
    for inside, path in files(root, {".cpp", ".h"}):
        if inside.parts[0] not in ("src", "include"):
            continue
        for number, line in enumerate(lines(path), 1):
            code = line.split("//")[0]
            # The child between fork and exec must leave by _exit.
            found = forbidden.search(code)
            if found and found.group(0).strip("( ") != "_exit":
                yield f"{inside}:{number}: the library uses {found.group(0)}"


def check_names(root):
    # In pieces, so that this file does not find itself.
    forbidden = re.compile("|".join([
        r"/" + r"(root|home/\w+|Users/\w+)/",
        r"/" + r"work/(?!shared)",
        r"registry\." + r"npmjs", r"\bdeb\." + r"debian", r"\bpypi\." + r"org", r"files\." + r"pythonhosted",
    ]))
    for inside, path in files(root):
        for number, line in enumerate(lines(path), 1):
            found = forbidden.search(line)
            if found:
                yield f"{inside}:{number}: names {found.group(0)}"


def check_length(root):
    for inside, path in files(root, CODE):
        count = len(lines(path))
        if count > LONGEST:
            yield f"{inside}: {count} lines, {LONGEST} at most"


def check_links(root):
    for inside, path in files(root, {".md"}):
        for number, line in enumerate(lines(path), 1):
            for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", line):
                if not (path.parent / target).exists():
                    yield f"{inside}:{number}: {target} is not there"


def comments(path):
    """The comments of a source file as (line, text): neighbouring comment lines are one text, since a citation may be
    wrapped. A docstring is a comment."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".py":
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        parts = [(t.start[0], t.string.strip("#\"' \n")) for before, t in zip([None] + tokens, tokens)
                 if t.type == tokenize.COMMENT or t.type == tokenize.STRING and t.string.startswith('"""')
                 and (before is None or before.type != tokenize.OP)]
    else:
        mark = re.compile(r"//+(.*)" if path.suffix in (".cpp", ".h") else r"(?:^|\s)#+(.*)")
        parts = [(number, found.group(1).strip()) for number, line in enumerate(text.splitlines(), 1)
                 if (found := mark.search(line))]
    joined = []
    last = None
    for number, part in parts:
        if last is not None and number == last + 1:
            joined[-1] = (joined[-1][0], joined[-1][1] + " " + part)
        else:
            joined.append((number, part))
        last = number
    return joined


def numbered_sections(path):
    return {found.group(1) for line in lines(path) if (found := re.match(r"#+ (\d+(?:\.\d+)*)\.? ", line))}


def check_citations(root):
    page = re.compile(r"(?<![\w/])([\w.-]+(?:/[\w.-]+)*\.md)\b(?:,? sections? (\d+(?:\.\d+)*))?")
    for inside, path in files(root, CODE | {".md", ".transcript", ".txt"}):
        texts = enumerate(lines(path), 1) if path.suffix == ".md" else comments(path)
        for number, text in texts:
            for name, section in page.findall(text):
                target = next((at for at in (root / name, path.parent / name) if at.is_file()), None)
                if target is None:
                    # Other documents than comments speak of files of the user's own.
                    if path.suffix != ".md":
                        yield f"{inside}:{number}: cites {name}, which is not in the repository"
                elif section and section not in numbered_sections(target):
                    yield f"{inside}:{number}: cites section {section} of {name}, which it does not have"


# Text of a program that is the name of a mechanism and of something else.
OTHER_NAMES = {("src/measure/prior.cpp", "uniform")}


def place_of_mechanism(inside):
    """Files of one mechanism: those of a folder below src/mechanisms, or of one name in it. None: other files."""
    if inside.parts[:2] != ("src", "mechanisms"):
        return None
    return inside.parts[2] if len(inside.parts) > 3 else inside.stem


def check_registry(root):
    own = [(inside, path.read_text(encoding="utf-8")) for inside, path in files(root / "src" / "mechanisms", {".cpp", ".h"})]
    types, names = {}, {"paper"}
    for inside, text in own:
        place = place_of_mechanism(pathlib.PurePath("src", "mechanisms", inside))
        types.update((name, place) for name in re.findall(r"^(?:class|struct) (\w+)[^;{(]*\{", text, re.MULTILINE))
        names.update(re.findall(r"\bMechanismInfo k\w+ = \{\s*\.name = \"([^\"]+)\"", text))
    compared = re.compile(r"[!=]= *\"({0})\"|\"({0})\" *[!=]=".format("|".join(sorted(names))))
    for inside, path in files(root, {".cpp", ".h", ".py"}):
        if inside.parts[0] not in ("src", "include", "apps", "python", "lab") or "tests" in inside.parts:
            continue
        for number, line in enumerate(lines(path), 1):
            code = line.split("//")[0]
            for cast in re.findall(r"\bdynamic_(?:pointer_)?cast<([^>]*)>", code):
                for name in re.findall(r"\w+", cast):
                    if name in types and types[name] != place_of_mechanism(inside):
                        yield f"{inside}:{number}: looks for the class {name}; make what it needs a virtual function"
            for found in compared.findall(code):
                name = found[0] or found[1]
                if place_of_mechanism(inside) is None and (str(inside), name) not in OTHER_NAMES:
                    yield f"{inside}:{number}: compares with \"{name}\"; add the property to the row or the claim"


def check_metrics(root):
    compared = re.compile(r"\bcase (\w+::)*Metric::|[!=]= (\w+::)*Metric::|\bMetric::\w+ [!=]=")
    for inside, path in files(root, {".cpp", ".h"}):
        if inside.parts[0] not in ("src", "include", "apps", "python", "lab"):
            continue
        for number, line in enumerate(lines(path), 1):
            if compared.search(line.split("//")[0]):
                yield f"{inside}:{number}: compares a metric; add the property to src/model/metrics.h"


def check_definitions(root):
    # Every program has one of these, and no program two.
    entries = {"main", "LLVMFuzzerTestOneInput"}
    sources = [(str(inside), path.read_text(encoding="utf-8")) for inside, path in files(root, {".cpp", ".h"})]
    for name, places in definitions.clashes(sources):
        if name.split("(")[0] not in entries:
            yield f"{name} is defined in {' and in '.join(places)}: choose another name, or an anonymous namespace"


def batch_folder(inside):
    """The folder whose files may be compiled as one with this file (cmake/unity.cmake). None: the file is compiled alone."""
    parts = inside.parts
    if parts[0] not in ("src", "apps", "lab", "tests") or parts[:2] == ("src", "mechanisms"):
        return None
    by_folder = parts[0] == "lab" or parts[:2] == ("tests", "lab")
    return inside.parent if by_folder else pathlib.PurePath(*parts[:2])


def check_unity(root):
    folders = {}
    for inside, path in files(root, {".cpp"}):
        text = path.read_text(encoding="utf-8")
        folder = batch_folder(inside)
        # CMake leaves files with options of their own out.
        alone = re.findall(r"set_source_files_properties\(([^$)]*?) PROPERTIES", "\n".join(
            (root / at / "CMakeLists.txt").read_text(encoding="utf-8")
            for at in (folder, inside.parts[0]) if folder and (root / at / "CMakeLists.txt").is_file()))
        is_alone = any(str(inside).endswith("/" + name) for names in alone for name in names.split())
        if folder and not is_alone:
            folders.setdefault(folder, []).append((str(inside), text))
            if re.search(r"^#define HWY_TARGET_INCLUDE", text, re.MULTILINE):
                yield f"{inside}: has code of Highway; name it in SKIP_UNITY_BUILD_INCLUSION in {folder}/CMakeLists.txt"
    for _, sources in sorted(folders.items()):
        for name, places in definitions.hidden_clashes(sources):
            yield f"{name} is used by {' and by '.join(places)}, which may be compiled as one file: choose another name"


# One entry is one line there, so that two branches that add entries can be merged.
LONG_LINES = {"CHANGELOG.md"}


def check_prose(root):
    for inside, path in files(root, {".md"}):
        if str(inside) not in LONG_LINES:
            for number, fault in prose.faults(path.read_text(encoding="utf-8")):
                yield f"{inside}:{number}: {fault}"


CHECKS = {"includes": check_includes, "library": check_library, "names": check_names, "length": check_length,
          "links": check_links, "citations": check_citations, "registry": check_registry, "metrics": check_metrics,
          "definitions": check_definitions, "unity": check_unity, "prose": check_prose}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in CHECKS:
        sys.exit(__doc__)
    faults = list(CHECKS[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve()))
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
