#!/usr/bin/env python3
"""scripts/new_mechanism.py makes files that compile with the project's warnings, and refuses a name that is taken.

Usage: new_mechanism_test.py FOLDER CXX_COMPILER
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LISTS = ["src/mechanisms/registry.inc", "src/mechanisms/CMakeLists.txt", "tests/mechanisms/CMakeLists.txt"]


def run(folder, name):
    return subprocess.run([sys.executable, ROOT / "scripts" / "new_mechanism.py", name, "--root", folder],
                          capture_output=True, encoding="utf-8", check=False)


def main():
    folder, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    shutil.rmtree(folder, ignore_errors=True)
    for name in LISTS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    done = run(folder, "my-coin")
    assert done.returncode == 0, done.stderr
    # What to type next is complete: the program alone has no tests.
    assert "--target sotto_cli mechanisms_tests conformance_tests" in done.stdout, done.stdout
    assert "ctest --test-dir build -R 'MyCoin|/my_coin'" in done.stdout, done.stdout
    for name, line in zip(LISTS, ["SOTTO_MECHANISM(kMyCoin)\n", "    my_coin.cpp\n", "  my_coin_test.cpp\n"]):
        assert (folder / name).read_text(encoding="utf-8").count(line) == 1, name
    for bad in ("my-coin", "tem", "My-Coin", "two words", "../coin"):
        assert run(folder, bad).returncode != 0, bad
    source = (folder / "src/mechanisms/my_coin.cpp").read_text(encoding="utf-8")
    assert max(map(len, source.splitlines())) <= 120
    # registry.inc of the folder, which has the new row, is found first.
    subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", folder / "src", "-I",
                    ROOT / "src", "-I", ROOT / "include", folder / "src/mechanisms/my_coin.cpp"], check=True)


if __name__ == "__main__":
    main()
