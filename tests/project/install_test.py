#!/usr/bin/env python3
"""Installs the library to a prefix, builds examples/cpp against it with find_package and with pkg-config, and runs it.

Usage: install_test.py BUILD MODEL FOLDER CXX_COMPILER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def by_pkg_config(prefix, compiler, source, program):
    """Compiles as a user without CMake does."""
    found = next(prefix.rglob("sotto.pc")).parent
    environment = os.environ | {"PKG_CONFIG_PATH": str(found)}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "sotto"], check=True, capture_output=True, encoding="utf-8",
                           env=environment).stdout.split()
    subprocess.run([compiler, "-std=c++20", "-O1", source, "-o", program, *flags], check=True)


def main():
    build, model, folder, compiler = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    prefix = folder / "prefix"
    example = folder / "example"
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    # Nothing of the source tree may be needed: the example is built from a copy elsewhere.
    shutil.copytree(ROOT / "examples" / "cpp", folder / "source")
    subprocess.run(["cmake", "-G", "Ninja", "-S", folder / "source", "-B", example, f"-DCMAKE_PREFIX_PATH={prefix}",
                    f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release"], check=True)
    subprocess.run(["cmake", "--build", example], check=True)
    text = "The soup was cold."
    done = subprocess.run([example / "whisper", model, text], check=True, capture_output=True, encoding="utf-8")
    words = done.stdout.rstrip("\n").rstrip(".").split(" ")
    if len(words) != 4 or not done.stdout.endswith(".\n"):
        sys.exit(f"expected four words and a full stop, got {done.stdout!r}")
    by_pkg_config(prefix, compiler, folder / "source" / "whisper.cpp", example / "whisper_pc")
    subprocess.run([example / "whisper_pc", model, text], check=True, stdout=subprocess.DEVNULL)
    released = subprocess.run([example / "release", model, "1"], input=f"{text}\n{text}\n", check=True, capture_output=True,
                              encoding="utf-8")
    report = json.loads(released.stderr)
    if len(released.stdout.splitlines()) != 2 or report["counts"]["tokens"] != 8 or report["status"] != "proven":
        sys.exit(f"expected two lines and the report of a proven release, got {released.stdout!r} and {report}")
    program = prefix / "bin" / "sotto"
    if program.exists() and not os.access(program, os.X_OK):
        sys.exit("the installed program cannot be run")


if __name__ == "__main__":
    main()
