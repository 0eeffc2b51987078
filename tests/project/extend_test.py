#!/usr/bin/env python3
"""Adds a toy mechanism, format, calibration and metric to a copy of the tree, counts what had to be touched, builds the
copy and uses each of them. CONTRIBUTING.md promises the counts: more lines than PROMISED is a failure.

Usage: extend_test.py FOLDER CXX_COMPILER
       extend_test.py --count FOLDER      only the counts: no build
"""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOYS = pathlib.Path(__file__).resolve().parent / "extend"

SEARCH = """\
CalibratedLaw half_slope(const AllPairs& pairs, const CalibrationRequest& request, const Work& work) {
  CalibratedLaw out;
  const double slope = request.epsilon / 2;
  out.law = {.slope = slope, .gamma = usable_gamma(request.gamma, slope), .base_weights = {}};
  out.certified = certify_tem(pairs, out.law, work);
  return out;
}
"""

# The sum over the coordinates of min(|x - y|, 1).
SUM = """\
struct Capped : Added {
  template <typename Products>
  static HWY_INLINE V add(V sum, V x, V y) {
    return hn::Add(sum, hn::Min(hn::Abs(hn::Sub(x, y)), hn::Set(D(), 1.0)));
  }
};
"""

# For each kind: new files, and insertions (file, the line after which to look, the line before which to insert, text).
EXTENSIONS = {
    "mechanism": (
        {"src/mechanisms/coin.cpp": "coin.cpp"},
        [("src/mechanisms/registry.inc", "SOTTO_MECHANISM(kTem)", "SOTTO_MECHANISM(", "SOTTO_MECHANISM(kCoin)\n"),
         ("src/mechanisms/CMakeLists.txt", "SOURCES", "", "    coin.cpp\n")]),
    "format": (
        {"src/text/psv.h": "psv.h", "src/text/psv.cpp": "psv.cpp"},
        [("src/text/format.cpp", '#include "text/jsonl.h"', "", '#include "text/psv.h"\n'),
         ("src/text/format.cpp", "kFormats = ", "};",
          '    FormatInfo{.name = "psv", .extensions = ".psv", .chosen_by = &kColumn, .options = kTableOptions, '
          '.make = make_psv},\n'),
         ("src/text/CMakeLists.txt", "SOURCES", "", "    psv.cpp\n")]),
    "calibration": (
        {},
        [("src/mechanisms/calibrations.h", "kCalibrations = ", "});", '    {"half", "certified, slope epsilon / 2"},\n'),
         ("src/certify/calibration.cpp", "namespace {", "// One search for each row", SEARCH),
         ("src/certify/calibration.cpp", "kSearches = ", "});", "    half_slope,\n")]),
    "metric": (
        {},
        [("src/model/metrics.cpp", "kMetrics = ", "});",
          '    {.name = "capped", .sum = CoordinateSum::capped, .finish = finish_by<same>(), .error_units = 4},\n'),
         ("src/model/distance_kernels.h", "enum class CoordinateSum", "};", "  capped,\n"),
         ("src/model/distance_kernels.cpp", "struct Maxima", "struct NoTotals", SUM),
         ("src/model/distance_kernels.cpp", "switch (sum)", "case",
          "    case CoordinateSum::capped:\n      return kKernels<Capped>;\n")]),
}
# (new files, single lines, pieces of several lines) by kind
PROMISED = {"mechanism": (1, 2, 0), "format": (2, 3, 0), "calibration": (0, 2, 1), "metric": (0, 2, 2)}


def insert(path, after, before, text):
    """Inserts below the first line that has `after`: at once, or before the next line that starts with `before`."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    found = [i for i, line in enumerate(lines) if after in line]
    if not found:
        sys.exit(f"{path}: no line has {after!r}")
    at = found[0] + 1
    while before and not lines[at].lstrip().startswith(before):
        at += 1
    lines.insert(at, text)
    path.write_text("".join(lines), encoding="utf-8")


def copy_tree(target):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, encoding="utf-8", check=False)
    if listed.returncode != 0:
        print("this is no git checkout")
        sys.exit(77)
    shutil.rmtree(target, ignore_errors=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def extend(tree):
    """Applies every extension, prints what it touched, and returns the kinds that touch more than promised."""
    broken = []
    for kind, (new, insertions) in EXTENSIONS.items():
        for name, toy in new.items():
            shutil.copy2(TOYS / toy, tree / name)
        for name, after, before, text in insertions:
            insert(tree / name, after, before, text)
        single = sum(text.count("\n") == 1 for *_, text in insertions)
        functions = len(insertions) - single
        places = sorted({name for name, *_ in insertions})
        print(f"{kind}: {len(new)} new files, {single} lines and {functions} functions in {len(places)} files: "
              f"{', '.join([*new, *places])}")
        if any(own > most for own, most in zip((len(new), single, functions), PROMISED[kind])):
            broken.append(f"{kind}: more than the promised {PROMISED[kind]} new files, lines and functions")
    return broken


def build(tree, compiler):
    environment = {**os.environ, "CCACHE_NOHASHDIR": "1", "CCACHE_BASEDIR": str(tree)}
    # The flags of the release preset: what has not changed comes from the compiler's cache.
    subprocess.run(["cmake", "--preset", "release", f"-DCMAKE_CXX_COMPILER={compiler}", "-DSOTTO_BUILD_LAB=OFF"],
                   cwd=tree, env=environment, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "build", "--target", "sotto_cli", "conformance_tests"], cwd=tree,
                   env=environment, check=True)


class Program:
    def __init__(self, tree, folder):
        self.program = tree / "build" / "sotto"
        self.folder = folder
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        subprocess.run([tree / "tests" / "project" / "small_model.sh", sys.executable, self.program, folder / "tiny"],
                       check=True, env=self.environment, stdout=subprocess.DEVNULL)

    def __call__(self, *words, text=""):
        done = subprocess.run([self.program, *words], input=text, capture_output=True, encoding="utf-8",
                              env=self.environment, check=False)
        if done.returncode != 0:
            sys.exit(f"sotto {' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def certificate(self, *words):
        answer = json.loads(self("certify", "--model", self.folder / "tiny.sotto", *words, "--json"))
        epsilon = float(words[words.index("--epsilon") + 1])
        assert 0 < answer["certified_epsilon"] <= epsilon * (1 + 1e-9), answer
        return answer

    def privatized(self, *words, text):
        return self("privatize", *words, "--model", self.folder / "tiny.sotto", text=text)


def check_conformance(tree):
    done = subprocess.run([tree / "build" / "tests" / "conformance" / "conformance_tests"],
                          capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        sys.exit(done.stdout)
    passed = [line for line in done.stdout.splitlines() if "OK ]" in line and "/coin" in line]
    print(f"conformance: {len(passed)} tests of the new mechanism passed")
    assert len(passed) >= 8, done.stdout
    of_skeleton = [line for line in done.stdout.splitlines() if "OK ]" in line and "my_coin" in line]
    print(f"conformance: {len(of_skeleton)} tests of the skeleton passed")
    assert len(of_skeleton) >= 8, done.stdout
    of_metric = [line for line in done.stdout.splitlines() if "OK ]" in line and "Metrics." in line and "capped" in line]
    print(f"conformance: {len(of_metric)} tests of the new metric passed")
    assert len(of_metric) >= 7, done.stdout


def check_program(sotto):
    sentence = "the soup was cold"
    assert "Randomised response on words" in sotto("mechanisms", "coin")
    assert "coin" in sotto("mechanisms")
    out = sotto.privatized("--mechanism", "coin", "--epsilon", "1", text=f"{sentence}\n")
    assert len(out.split(" ")) == 4 and out.endswith("\n"), out
    assert sotto.certificate("--mechanism", "coin", "--epsilon", "1")["mechanism"] == "coin"

    tem = ("--mechanism", "tem", "--epsilon", "2")
    sotto.certificate(*tem, "--calibration", "half")
    out = sotto.privatized(*tem, "--calibration", "half", text=f"{sentence}\n")
    assert len(out.split(" ")) == 4, out

    capped = ("--mechanism", "tem", "--epsilon", "0.5", "--metric", "capped")  # its distances are longer
    assert sotto.certificate(*capped)["metric"] == "capped"
    out = sotto.privatized(*capped, text=f"{sentence}\n")
    assert len(out.split(" ")) == 4, out

    given, made = sotto.folder / "a.psv", sotto.folder / "b.psv"
    given.write_text(f'id|text\n1|{sentence}\n2|"{sentence} | {sentence}"\n', encoding="utf-8")
    sotto.privatized(given, *tem, "--column", "text", "-o", made, text="")
    rows = list(csv.reader(io.StringIO(made.read_text(encoding="utf-8")), delimiter="|"))
    assert [row[0] for row in rows] == ["id", "1", "2"] and rows[0][1] == "text", rows
    # A bar is a symbol, and an unknown word: it is replaced as well.
    assert [len(row[1].split(" ")) for row in rows[1:]] == [4, 9], rows


def main():
    only_count = sys.argv[1:2] == ["--count"]
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2] if only_count else sys.argv[1]).resolve()
    tree = folder / "tree"
    copy_tree(tree)
    broken = extend(tree)
    if broken:
        sys.exit("\n".join(broken))
    # The skeleton passes the conformance tests as it is.
    subprocess.run([sys.executable, tree / "scripts" / "new_mechanism.py", "my-coin"], check=True)
    if only_count:
        return
    build(tree, sys.argv[2])
    check_conformance(tree)
    check_program(Program(tree, folder))


if __name__ == "__main__":
    main()
