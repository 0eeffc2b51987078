#!/usr/bin/env python3
"""Random tables, read by Sotto's formats and by Python's csv module, must come out alike.

    table_differential_test.py TABLE_CELLS TABLES [SOTTO RUNS SMALL_VECTORS]

The rule: a file that the reference reader would split in another way is refused. The reference is csv.reader with
newline='' and strict=True: dialect excel for CSV, excel-tab for TSV with `--tsv-quotes excel`, no quoting for `literal`,
and both of these for TSV without the option. If Sotto accepts a table, then
  1. the reference reads it without an error;
  2. the reference finds the same chosen cells, the same number of short rows and of empty lines;
  3. the reference reads the output as a table of the same shape: replaced cells hold their replacement, others are the same.
Tables that a usual writer made, with rows of one length and LF or CRLF, must be accepted.

TABLE_CELLS is tests/text/table_cells.cpp. RUNS tables go through the whole program as well, where no word of a chosen cell
may appear in the output, and no word of the table in messages and public reports. Seeded: a failure repeats.
"""

import collections
import csv
import io
import os
import random
import re
import subprocess
import sys
import tempfile

csv.field_size_limit(1 << 30)
BOM = b"\xef\xbb\xbf"
BATCH = 5000
# Line and cell separators of some readers, but ordinary characters for the reference; and what separates or quotes.
ODD = ["\u0085", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\ufeff", "\u00a0", "\\", "'", ";", "|"]
SPECIAL = [",", "\t", '"', '""', "\n", "\r\n", "\r", " ", "  ", ' "', '",', '"\t', "\x00"]
DIALECTS = [("csv", "refuse"), ("tsv", "refuse"), ("tsv", "literal"), ("tsv", "excel")]

Table = collections.namedtuple("Table", "data format quotes header short columns chunk replacements is_clean")


def separator_of(format_name):
    return "," if format_name == "csv" else "\t"


def reference_readers(format_name, quotes):
    if format_name == "csv":
        return [{"dialect": "excel"}]
    quoted = {"dialect": "excel-tab"}
    literal = {"delimiter": "\t", "quoting": csv.QUOTE_NONE, "quotechar": None}
    return {"refuse": [quoted, literal], "literal": [literal], "excel": [quoted]}[quotes]


def read(data, reader):
    text = data[len(BOM):].decode() if data.startswith(BOM) else data.decode()
    return list(csv.reader(io.StringIO(text, newline=""), strict=True, **reader))


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.words = 0

    def one_in(self, count):
        return self.random.randrange(count) == 0

    def word(self):
        self.words += 1
        return f"canary{self.words}x"

    def cell(self, pieces):
        parts = []
        for _ in range(self.random.choice([0, 1, 1, 2, 3, 5])):
            parts.append(self.word() if self.one_in(2) else self.random.choice(pieces))
        return "".join(parts)

    def row(self, width, pieces):
        return [self.cell(pieces) for _ in range(width)]

    def rows(self, pieces, is_ragged):
        width = self.random.choice([1, 2, 2, 3, 4])
        rows = [self.row(width, pieces) for _ in range(self.random.randrange(1, 6))]
        if is_ragged and len(rows) > 1:
            longest = width + 1 if self.one_in(3) else width
            at = self.random.randrange(1, len(rows))
            rows[at] = self.row(self.random.randrange(1, longest + 1), pieces)
        return rows

    # As bytes, and the width of the first row.
    def written(self, format_name, quotes, line_end, is_ragged):
        sep = separator_of(format_name)
        is_quoted = format_name == "csv" or quotes == "excel"
        odd = ODD + [" ", " b", '" pipe', "5", "-0.5"]
        if is_quoted:
            pieces = odd + [",", "\t", '"', "\n", "\r\n", '"\n"']
            # Python's writer leaves a CR without quotes unless it is part of the line end.
            pieces += ["\r"] if "\r" in line_end else []
            rows = self.rows(pieces, is_ragged)
            out = io.StringIO(newline="")
            quoting = self.random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
            csv.writer(out, delimiter=sep, quoting=quoting, lineterminator=line_end).writerows(rows)
            return out.getvalue().encode(), len(rows[0])
        rows = self.rows(odd + [","] + (['"', '"a"'] if quotes == "literal" else []), is_ragged)
        if quotes == "refuse":
            rows = [["q" + cell if cell.lstrip(" \ufeff").startswith('"') else cell for cell in row] for row in rows]
        rows = [row if row != [""] else ["e"] for row in rows]  # a lone empty cell cannot be written without quotes
        return "".join(sep.join(row) + line_end for row in rows).encode(), len(rows[0])

    def mutated(self, data):
        text = data.decode()
        for _ in range(self.random.choice([1, 1, 2, 3])):
            at = self.random.randrange(len(text) + 1)
            piece = self.random.choice(SPECIAL + ODD[:5])
            text = text[:at] + (piece if self.one_in(2) else "") + text[at + self.random.randrange(3):]
        return text.encode()

    def soup(self):
        pieces = SPECIAL * 2 + ODD + ["a", "b", "1"]
        return "".join(self.random.choice(pieces) for _ in range(self.random.randrange(1, 25))).encode()

    def replacements(self, format_name, quotes):
        texts = ["w", "two words", "1,000", "a b!", "x\u0085y", "it's"]
        if format_name == "csv" or quotes == "excel":
            texts += ["", '"', 'a"b', "a,b", "a\tb", "a\nb", "a\r\nb", "a\rb", " a ", ' "a', "'", '""', "\n"]
        elif quotes == "literal":
            texts += ['"a', '"', ' "a']
        return self.random.sample(texts, self.random.randrange(1, 5))

    def table(self):
        format_name, quotes = self.random.choice(DIALECTS)
        line_end = self.random.choice(["\n", "\n", "\r\n", "\r\n", "\r"])
        kind = self.random.choice(["clean", "clean", "ragged", "mutated", "mutated", "soup"])
        width = self.random.randrange(1, 4)
        if kind == "soup":
            data = self.soup()
        else:
            data, width = self.written(format_name, quotes, line_end, kind == "ragged")
        if kind == "mutated":
            data = self.mutated(data)
        is_clean = kind == "clean" and line_end != "\r"
        if is_clean and self.one_in(4):
            data = line_end.encode() + data + line_end.encode()
        if is_clean and self.one_in(4):
            data = data[: -len(line_end)] if data.endswith(line_end.encode()) else data
        if self.one_in(6):
            data = BOM + data
        chosen = sorted(self.random.sample(range(width), self.random.randrange(1, width + 1)))
        return Table(
            data=data,
            format=format_name,
            quotes=quotes,
            header=self.random.choice(["present", "present", "absent", "absent", "not_said"]),
            short=self.random.choice(["refuse", "refuse", "pass"]),
            columns=chosen,
            chunk=self.random.choice([1, 7, 1 << 18]),
            replacements=self.replacements(format_name, quotes),
            is_clean=is_clean,
        )


def request_of(table):
    columns = ",".join(f"#{column + 1}" for column in table.columns)
    head = [table.format, table.quotes, table.header, table.short, table.chunk, columns, len(table.replacements), len(table.data)]
    out = " ".join(map(str, head)).encode() + b"\n"
    for text in table.replacements:
        out += str(len(text.encode())).encode() + b"\n" + text.encode()
    return out + table.data


def read_answers(stream, count):
    def text():
        return stream.read(int(stream.readline()))

    for _ in range(count):
        line = stream.readline().decode()
        if line.startswith("error "):
            yield line
            continue
        short, empty, documents = map(int, line.split()[1:])
        output = text()
        yield short, empty, output, [text().decode() for _ in range(documents)]


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


# With every chosen cell replaced, as the reference reads it. `next_text` gives the replacements in order.
def expected_rows(rows, table, next_text):
    out = []
    is_header = table.header != "absent"
    for row in rows:
        out.append([next_text(cell) if not is_header and i in table.columns else cell for i, cell in enumerate(row)])
        is_header = is_header and not row
    return out


def check_accepted(table, reader, short, empty, output, documents):
    try:
        rows = read(table.data, reader)
    except csv.Error as error:
        raise Failure(f"the reference refuses it: {error}") from error
    cells = []
    count = 0

    def replacement(cell):
        nonlocal count
        cells.append(cell)
        count += 1
        return table.replacements[(count - 1) % len(table.replacements)]

    expected = expected_rows(rows, table, replacement)
    full = [row for row in rows if row]
    width = len(full[0]) if full else 0
    expect(documents == cells, f"documents {documents}, the reference has {cells}")
    expect(all(len(row) <= width for row in full), "a row is longer than the first")
    expect(short == sum(len(row) < width for row in full), "the count of short rows")
    expect(table.short == "pass" or short == 0, "a short row was not refused")
    expect(empty == len(rows) - len(full), "the count of empty lines")
    try:
        written = read(output, reader)
    except csv.Error as error:
        raise Failure(f"the reference refuses the output: {error}") from error
    expect(written == expected, f"the output is read as {written}, it should be {expected}")


def check(table, answer):
    if isinstance(answer, str):
        expect(answer.split()[1] in ("2", "3"), f"answer {answer}")
        expect("canary" not in answer, f"the message quotes the table: {answer}")
        said_nothing = table.header == "not_said" and "`no-header`" in answer
        expect(not table.is_clean or said_nothing, f"a clean table is refused: {answer}")
        return False
    for reader in reference_readers(table.format, table.quotes):
        check_accepted(table, reader, *answer)
    return True


def compare_formats(program, count):
    generator = Generator(14)
    accepted = collections.Counter()
    seen = collections.Counter()
    for start in range(0, count, BATCH):
        tables = [generator.table() for _ in range(min(BATCH, count - start))]
        answers = subprocess.run([program], input=b"".join(map(request_of, tables)), stdout=subprocess.PIPE, check=True)
        for table, answer in zip(tables, read_answers(io.BytesIO(answers.stdout), len(tables))):
            key = (table.format, table.quotes)
            seen[key] += 1
            try:
                accepted[key] += check(table, answer)
            except Failure as failure:
                sys.exit(f"{failure}\n{table}\n{answer}")
    for key in DIALECTS:
        print(f"{key[0]}, quotes {key[1]}: {seen[key]} tables, {accepted[key]} accepted")
        # Otherwise the comparison says little.
        if accepted[key] < seen[key] / 4:
            sys.exit("too few tables are accepted")


# One table through the program. True if it was accepted.
def run_program(sotto, model, table):
    for name in ("out", "report.json"):
        if os.path.exists(name):
            os.remove(name)
    with open("in", "wb") as file:
        file.write(table.data)
    flags = {"present": ["--header"], "absent": ["--no-header"], "not_said": []}[table.header]
    for column in table.columns:
        flags += ["--column", f"#{column + 1}"]
    if table.format == "tsv" and table.quotes != "refuse":
        flags += ["--tsv-quotes", table.quotes]
    command = [sotto, "privatize", "in", "-o", "out", "--format", table.format, "--mechanism", "redact", "--token", "redacted"]
    command += ["--model", model, "--report", "report.json", "--public-report", "--short-rows", table.short, *flags]
    done = subprocess.run(command, capture_output=True)
    expect(b"canary" not in done.stdout + done.stderr, f"a message quotes the table: {done.stderr}")
    if done.returncode != 0:
        expect(done.returncode in (2, 3), f"exit code {done.returncode}: {done.stderr}")
        expect(not os.path.exists("out") and not os.path.exists("report.json"), "a refused table left a file")
        return False
    with open("report.json", encoding="utf-8") as file:
        expect("canary" not in file.read(), "the public report quotes the table")
    with open("out", "rb") as file:
        output = file.read()
    for reader in reference_readers(table.format, table.quotes):
        rows = read(table.data, reader)
        chosen = []
        expected = expected_rows(rows, table, lambda cell: chosen.append(cell) or None)
        written = read(output, reader)
        expect([len(row) for row in written] == [len(row) for row in expected], "the shape of the output")
        for row, wanted in zip(written, expected):
            for cell, same in zip(row, wanted):
                expect(cell == same if same is not None else "canary" not in cell, f"the cell {cell}")
        words = set(re.findall("canary[0-9]+x", " ".join(chosen)))
        expect(not words & set(re.findall("canary[0-9]+x", output.decode())), "a word of a chosen cell is in the output")
    return True


def compare_program(sotto, runs, vectors):
    generator = Generator(15)
    accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([sotto, "model", "import", vectors, "-o", "m.sotto"], check=True, capture_output=True)
        for _ in range(runs):
            table = generator.table()
            try:
                accepted += run_program(sotto, "m.sotto", table)
            except Failure as failure:
                sys.exit(f"{failure}\n{table}")
        os.chdir("/")
    print(f"the program: {runs} tables, {accepted} accepted")
    if accepted < runs / 4:
        sys.exit("too few tables are accepted")


def main():
    compare_formats(os.path.abspath(sys.argv[1]), int(sys.argv[2]))
    if len(sys.argv) > 3:
        compare_program(os.path.abspath(sys.argv[3]), int(sys.argv[4]), os.path.abspath(sys.argv[5]))


main()
