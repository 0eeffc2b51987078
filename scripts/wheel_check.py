"""One run of an installed wheel: makes a model, privatises, certifies. Usage: wheel_check.py VECTORS.txt"""
import ctypes.util
import pathlib
import sys

import numpy
import sotto

rows = [line.split() for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
vectors = numpy.array([row[1:] for row in rows], dtype=numpy.float32)
model = sotto.Model.from_words([row[0] for row in rows], vectors, name="tiny")
tem = sotto.Mechanism("tem", model, epsilon=2, calibration="exact")
out = sotto.Privatizer(tem).privatize(["the good soup."])
assert out[0].endswith(".") and tem.status == "proven"
assert sotto.certify(tem).certified_epsilon <= 2 + 1e-9
# libpq is loaded when a ledger in PostgreSQL is used, so an import must not have loaded it.
assert "libpq" not in pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
print(f"Python {sys.version.split()[0]}: sotto {sotto.__version__}, {out[0]!r}; libpq on this machine: {ctypes.util.find_library('pq')}")
