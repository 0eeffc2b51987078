#!/usr/bin/env python3
"""clang-tidy over every file of a configured build folder. Usage: tidy.py BUILD JOBS [FILE...]

Writes BUILD/tidy/build.ninja and runs it: ninja knows which headers a file includes, so that a second run checks only what
changed since a file last passed. With files: only those. CLANG_TIDY is the program (default: clang-tidy on the PATH).
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULE = """rule tidy
  command = {tidy} -p {build} --quiet $in 2>$out.err || {{ cat $out.err; exit 1; }}; $includes && touch $out
  depfile = $out.d
  deps = gcc
  description = clang-tidy $in

"""


def ours(entry):
    """Files of the project. clang 14 does not compile the headers of libtorch with this C++ library."""
    path = pathlib.Path(entry["file"])
    if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0].startswith("build"):
        return False
    text = path.read_text(encoding="utf-8")
    return "<torch/nn" not in text and "<torch/optim" not in text


def dependencies(entry, output):
    """The command that writes which headers the file includes."""
    words = shlex.split(entry["command"])
    if "ccache" in words[0]:
        words = words[1:]
    del words[words.index("-o"):words.index("-o") + 2]
    words.remove("-c")
    return shlex.join([*words, "-w", "-MM", "-MT", output, "-MF", f"{output}.d"])


def main():
    build, jobs, chosen = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], {os.path.abspath(file) for file in sys.argv[3:]}
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text()) if ours(entry)}
    lines = [RULE.format(build=shlex.quote(str(build)), tidy=shlex.quote(os.environ.get("CLANG_TIDY", "clang-tidy")))]
    for file, entry in sorted(entries.items()):
        if chosen and file not in chosen:
            continue
        output = str(folder / (str(pathlib.Path(file).relative_to(ROOT)).replace("/", ",") + ".ok"))
        lines += [f"build {output}: tidy {file} | {ROOT / '.clang-tidy'}\n", f"  includes = {dependencies(entry, output)}\n"]
    ninja = folder / ("build.ninja" if not chosen else "chosen.ninja")
    ninja.write_text("".join(lines))
    code = subprocess.run(["ninja", "-C", build, "-f", ninja, "-j", jobs, "-k", "0"], check=False).returncode
    print(f"clang-tidy: {len(chosen or entries)} files" + (", with findings" if code else ", no findings"))
    sys.exit(1 if code else 0)


if __name__ == "__main__":
    main()
