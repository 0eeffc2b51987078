#!/usr/bin/env python3
"""Man pages and completions have every command and every option, and the shells that are here can use the completions.

The options are read from `--help`, which is not made by packaging/manual.py. Usage: manual_test.py PROGRAM FOLDER
"""
import functools
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def output(*words, **more):
    done = subprocess.run(words, check=True, capture_output=True, encoding="utf-8", **more)
    assert done.stderr == "", (words, done.stderr)
    return done.stdout


def commands():
    table = (ROOT / "apps" / "cli" / "commands.cpp").read_text(encoding="utf-8")
    return re.findall(r'\.name = "([^"]+)"', table)


@functools.cache
def options(name):
    found = re.findall(r"^  (-[^ ]+)", output(PROGRAM, *name.split(), "--help"), re.M)
    return [option for names in found for option in names.split(",")]


def bash(line):
    """What bash offers for the last word of a line. `=` is a word of its own for bash."""
    words = " ".join(f"'{word}'" for word in re.sub("=", " = ", line).split(" "))
    script = f"source {FOLDER}/bash/sotto; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _sotto; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return output("bash", "--norc", "-uc", script, cwd=ROOT).split()


def zsh(line):
    """What zsh is told: the functions that would show it print it instead."""
    words = " ".join(f"'{word}'" for word in line.split(" "))
    script = (f"compdef() {{ }}; source {FOLDER}/zsh/_sotto; _describe() {{ print -l -- ${{(P)2}} }}; _arguments() {{ print -l -- \"$@\" }}; "
              f"words=({words}); CURRENT=${{#words}}; _sotto; true")
    return output("zsh", "-fc", script, cwd=ROOT)


def fish(line):
    return output("fish", "--no-config", "-c", f"source {FOLDER}/fish/sotto.fish; complete -C '{line}'", cwd=ROOT)


def check_bash(names):
    assert set(name.split()[0] for name in names) == set(bash("sotto ")), bash("sotto ")
    assert bash("sotto priv") == ["privatize"] and bash("sotto model inf") == ["info"]
    assert bash("sotto serve key ") == ["create"]
    for name in names:
        assert sorted(bash(f"sotto {name} -")) == sorted(options(name)), name
    assert bash("sotto certify --mechanism lap") == ["laplace"] == bash("sotto certify --mechanism=lap")
    assert bash("sotto privatize --calibration ") == ["paper", "exact", "flat"]
    assert bash("sotto privatize in.csv --metric eu") == ["euclidean"]
    assert bash("sotto privatize README.m") == ["README.md"] == bash("sotto privatize --output READM")
    assert "jsonl" in bash("sotto privatize in.csv --format ") and bash("sotto mechanisms vick") == ["vickrey"]
    assert bash("sotto explain --epsilon ") == []


def check_zsh(names):
    offered = zsh("sotto ")
    assert all(name.split()[0] + ":" in offered for name in names), offered
    for name in names:
        said = zsh(f"sotto {name} -")
        assert all(re.search(rf"(^|\*){option}\[", said, re.M) or f"{option}[" in said for option in options(name)), (name, said)
    assert re.search(r"mechanism\[.*:NAME:\(.*laplace", zsh("sotto certify --mech"))


def check_fish(names):
    offered = fish("sotto ")
    assert all(re.search(rf"^{name.split()[0]}\t", offered, re.M) for name in names), offered
    for name in names:
        said = fish(f"sotto {name} --")
        assert all(f"{option}\t" in said for option in options(name) if option.startswith("--")), (name, said)
    assert fish("sotto certify --mechanism lap").startswith("laplace")
    assert re.search(r"^README.md", fish("sotto privatize READM"), re.M)


def check_man(names):
    for name in [""] + names:
        page = FOLDER / "man1" / (f"sotto {name}".strip().replace(" ", "-") + ".1")
        text = page.read_text(encoding="utf-8").replace("\\-", "-")
        assert "None" not in text and all(f"\\fB{option}\\fR" in text for option in (options(name) if name else [])), name
        if shutil.which("man"):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True,
                                  encoding="utf-8", env={"MANROFFSEQ": "", "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"})
            assert (done.returncode, done.stderr) == (0, ""), (page, done.stderr)
    main = (FOLDER / "man1" / "sotto.1").read_text(encoding="utf-8").replace("\\-", "-")
    assert all("sotto-" + name.replace(" ", "-") in main for name in names)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    subprocess.run([sys.executable, ROOT / "packaging" / "manual.py", PROGRAM, FOLDER], check=True)
    names = commands()
    assert len(names) > 20
    check_man(names)
    check_bash(names)
    for shell, check in (("zsh", check_zsh), ("fish", check_fish)):
        if shutil.which(shell):
            check(names)
        else:
            print(f"no {shell}: its completion was made but not tried")
    print(f"{len(names)} commands, {sum(len(options(name)) for name in names)} options")


if __name__ == "__main__":
    main()
