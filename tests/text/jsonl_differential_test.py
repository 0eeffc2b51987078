#!/usr/bin/env python3
"""JSON lines against Python's json, on random files. Usage: jsonl_differential_test.py CASES FILES [SOTTO RUNS]

CASES is the program of format_cases.cpp. Sotto must accept exactly the files that it should (jsonl_oracle.py), and
what it writes must be read by Python as the same records, in which only the strings at the chosen paths changed.
With SOTTO, as many runs of the program itself: no word of a chosen string comes out, anywhere.
"""
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from jsonl_oracle import TAIL, Expected, Number, Object, Refused, Walk, lines_of, read, strings_at, universal_records, BLANK
from jsonl_random import CANARIES, Files

SEED = 20261117
BATCH = 1000
sys.setrecursionlimit(10000)
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)  # a long number is no other reading


def expect(condition, what, case):
    if not condition:
        fields, missing, data = case
        sys.exit(f"{what}\nfields {fields}, missing {missing}, file {data!r}")


def expected_of(case):
    """Expected, or the reason to refuse."""
    try:
        return Expected(case[2], case[0], case[1])
    except Refused as reason:
        return str(reason)


def answers(program, cases, chunk):
    given = b"".join(json.dumps({"fields": fields, "missing": missing, "chunk": chunk, "size": len(data)}).encode() +
                     b"\n" + data for fields, missing, data in cases)
    said = subprocess.run([program], input=given, capture_output=True, check=True).stdout
    for _ in cases:
        header, _, said = said.partition(b"\n")
        header = json.loads(header)
        yield header, said[:header["size"]]
        said = said[header["size"]:]
    assert not said


def check_accepted(case, expected, header, output):
    fields, _, data = case
    lines = [line for line in lines_of(output) if line.strip(BLANK)]
    expect([read(line) for line in lines] == expected.records, "Python reads other records in the output", case)
    expect(len(lines_of(output)) == len(lines_of(data)), "another number of lines", case)
    expect((header["documents"], header["missing_fields"], header["empty_lines"]) ==
           (expected.documents, expected.missing_fields, expected.empty_lines), f"other counts: {header}", case)
    expect(universal_records(data) == [read(line) for line in expected.lines], "CR ends a line elsewhere", case)
    expect(universal_records(output) == expected.records, "CR ends a line elsewhere in the output", case)
    for line in lines:
        for field in fields:
            found = strings_at(json.loads(line), field.split("."))
            expect(all(text.startswith("<") and text.endswith(TAIL) for text in found), "a text in clear", case)


def check_formats(program, count):
    files = Files(random.Random(SEED))
    kinds = collections.Counter()
    for start in range(0, count, BATCH):
        cases = [files.file() for _ in range(min(BATCH, count - start))]
        chunk = [1, 64, 1 << 18][start // BATCH % 3]
        for case, (header, output) in zip(cases, answers(program, cases, chunk)):
            expected = expected_of(case)
            if isinstance(expected, str):
                expect(header["code"] in (2, 3), f"accepted, but: {expected}", case)
                expect(not any(word.encode() in output for word in CANARIES), f"a message quotes: {output}", case)
                kinds[expected] += 1
            else:
                expect(header["code"] == 0, f"refused: {output}", case)
                check_accepted(case, expected, header, output)
                kinds["accepted"] += 1
                kinds["records"] += len(expected.records)
                kinds["texts"] += expected.documents
    return kinds


def hide_all(value, paths):
    """The record with every chosen string replaced by the same mark, to compare the rest."""
    walk = Walk(paths)
    walk.record(value)  # raises nothing: the input was accepted

    def same(node):
        if isinstance(node, Object):
            return Object((key, same(inner)) for key, inner in node)
        if isinstance(node, list):
            return [same(inner) for inner in node]
        return "<>" if isinstance(node, str) and not isinstance(node, Number) and node.endswith(TAIL) else node

    return same(Walk(paths).record(value))


def check_program(sotto, count):
    files = Files(random.Random(SEED + 1))
    kinds = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="sotto-jsonl-") as temporary:
        folder = pathlib.Path(temporary)
        (folder / "words.txt").write_text("zero 0\none 1\ntwo 2.5\nfour 4\n", encoding="utf-8")
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        model = folder / "m.sotto"
        subprocess.run([sotto, "model", "import", folder / "words.txt", "-o", model], check=True, capture_output=True)
        given, out, report = folder / "in.jsonl", folder / "out.jsonl", folder / "report.json"
        for i in range(count):
            case = fields, missing, data = files.file()
            given.write_bytes(data)
            for path in (out, report):
                path.unlink(missing_ok=True)
            words = [sotto, "privatize", given, "-o", out, "--report", report, "--model", model, "--epsilon", "1",
                     "--missing-field", missing] + [word for field in fields for word in ("--field", field)]
            run = subprocess.run(words + (["--public-report"] if i % 2 else []), capture_output=True, env=environment)
            expected = expected_of(case)
            said = run.stdout + run.stderr + (report.read_bytes() if report.exists() else b"")
            expect(not any(word.encode() in said for word in CANARIES), f"quoted: {said!r}", case)
            if isinstance(expected, str):
                expect(run.returncode in (2, 3) and not out.exists(), f"exit {run.returncode}, but: {expected}", case)
                kinds["refused"] += 1
                continue
            expect(run.returncode == 0, f"exit {run.returncode}: {run.stderr!r}", case)
            kinds["accepted"] += 1
            lines = [line for line in lines_of(out.read_bytes()) if line.strip(BLANK)]
            expect([hide_all(read(line), fields) for line in lines] ==
                   [hide_all(read(line), fields) for line in expected.lines], "more than the texts changed", case)
            for line in lines:
                for field in fields:
                    found = " ".join(strings_at(json.loads(line), field.split(".")))
                    expect(not any(word in found for word in CANARIES), "a text in clear", case)
            warned = b"without text at a chosen field passed in clear" in run.stderr
            expect(warned == (expected.missing_fields > 0), "the warning of records that passed", case)
            leaks = " ".join(json.loads(report.read_text())["leaks"])
            expect(("missing-field pass" in leaks) == (missing == "pass"), "the leak in the report", case)
    return kinds


def main():
    # What the reference does with repeated keys, which is why Sotto refuses them on a path.
    assert json.loads('{"a":1,"a":2}') == {"a": 2}
    kinds = check_formats(sys.argv[1], int(sys.argv[2]))
    print(f"{sys.argv[2]} files: {dict(kinds)}")
    enough = int(sys.argv[2]) // 200
    assert kinds["accepted"] > 40 * enough and kinds["a repeated key on a path"] > 0 and kinds["a missing text"] > enough, kinds
    if len(sys.argv) > 3:
        runs = check_program(os.path.abspath(sys.argv[3]), int(sys.argv[4]))
        print(f"{sys.argv[4]} runs of the program: {dict(runs)}")
        assert min(runs["accepted"], runs["refused"]) > int(sys.argv[4]) // 10, runs


main()
