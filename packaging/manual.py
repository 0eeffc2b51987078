#!/usr/bin/env python3
"""Man pages, and completion for bash, zsh and fish, made from what the program says of itself.

Usage: manual.py PROGRAM FOLDER

The program prints its table of commands (`sotto --print-commands`) and the options of each (`sotto COMMAND
--print-options`) as JSON. These are the tables that `--help` is made from, so nothing is written twice. Writes
FOLDER/man1/*.1, FOLDER/bash/sotto, FOLDER/zsh/_sotto and FOLDER/fish/sotto.fish.
"""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import completion  # noqa: E402
import man  # noqa: E402


def answer(program, *words):
    return json.loads(subprocess.run([program, *words], check=True, capture_output=True, encoding="utf-8").stdout)


def read_table(program):
    """The table; each command has its options, its arguments, its description and its notes."""
    table = answer(program, "--print-commands")
    for command in table["commands"]:
        said = answer(program, *command["name"].split(), "--print-options")
        if said.pop("name") != "sotto " + command["name"]:
            sys.exit(f"`sotto {command['name']}` calls itself by another name")
        for row in said["options"] + said["arguments"]:  # a sign, as a delimiter is, would need quotes of each shell
            row["choices"] = [choice for choice in row["choices"] if re.fullmatch(r"[a-z0-9][a-z0-9.,-]*", choice)]
        command.update(said)
    return table


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    table = read_table(program)
    files = {f"man1/{name}.1": text for name, text in man.pages(table)}
    files["bash/sotto"] = completion.bash(table)
    files["zsh/_sotto"] = completion.zsh(table)
    files["fish/sotto.fish"] = completion.fish(table)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
