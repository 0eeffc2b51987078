"""Sparse matrices as scipy itself writes them: the program reads csr, and refuses the rest with a reason."""
from __future__ import annotations

import pathlib
import subprocess
from typing import Any

import numpy
import pytest

import sotto
from conftest import ROOT

scipy_sparse: Any = pytest.importorskip("scipy.sparse")
PROGRAM = ROOT / "build" / "sotto"
SETTINGS: dict[str, Any] = {"epsilon": 50, "dimension": 20, "projection": "sparse", "clip": 3}
SEED = 7


def counts(dtype: str) -> Any:
    """Nine rows of 5,000 columns with few entries, an empty row, one entry at each end."""
    matrix = scipy_sparse.random(9, 5000, density=0.004, format="lil", dtype=numpy.float64, random_state=3)
    matrix[4] = 0
    matrix[0, 0] = 1
    matrix[8, 4999] = 1
    matrix = matrix.tocsr()
    matrix.data = numpy.ceil(3 * matrix.data)
    return matrix.astype(dtype)


def vectors(path: pathlib.Path, output: pathlib.Path) -> subprocess.CompletedProcess[str]:
    if not PROGRAM.exists():
        pytest.skip("build/sotto is not built")
    flags = [text for name, value in SETTINGS.items() for text in (f"--{name}", str(value))]
    return subprocess.run([PROGRAM, "vectors", path, *flags, "--seed-not-private", str(SEED), "-o", output, "--force"],
                          capture_output=True, text=True)


def released(path: pathlib.Path) -> Any:
    output = path.parent / "private.npy"
    done = vectors(path, output)
    assert done.returncode == 0, done.stderr
    return numpy.load(output)


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "int8", "uint16", "bool"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_csr_is_released_as_the_dense_matrix_is(tmp_path: pathlib.Path, kind: str, dtype: str, compressed: bool) -> None:
    matrix = counts(dtype)
    if kind == "array":
        if not hasattr(scipy_sparse, "csr_array"):
            pytest.skip("this scipy has no sparse arrays")
        matrix = scipy_sparse.csr_array(matrix)
    scipy_sparse.save_npz(tmp_path / "rows.npz", matrix, compressed=compressed)
    dense = matrix.toarray()
    numpy.save(tmp_path / "rows.npy", dense if dense.dtype.kind == "f" else dense.astype(numpy.float64))
    ours = released(tmp_path / "rows.npz")
    assert ours.shape == (9, SETTINGS["dimension"])
    assert ours.dtype == (numpy.float32 if dtype == "float32" else numpy.float64)
    assert numpy.array_equal(ours, released(tmp_path / "rows.npy"))


def test_python_releases_what_the_program_does(tmp_path: pathlib.Path) -> None:
    matrix = counts("float64")
    scipy_sparse.save_npz(tmp_path / "rows.npz", matrix)
    mechanism = sotto.VectorMechanism("privemb", dimension_in=5000, **SETTINGS)
    for form in ["csr", "csc", "coo"]:  # in memory every format is turned to csr
        mine = mechanism.release(matrix.asformat(form), seed_not_private=SEED)
        assert numpy.array_equal(mine, released(tmp_path / "rows.npz"))


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "dia"])
def test_other_formats_are_refused_with_what_to_do(tmp_path: pathlib.Path, form: str, compressed: bool) -> None:
    scipy_sparse.save_npz(tmp_path / "rows.npz", counts("float64").asformat(form), compressed=compressed)
    done = vectors(tmp_path / "rows.npz", tmp_path / "private.npy")
    assert done.returncode == 3
    assert f"format {form}" in done.stderr and "tocsr()" in done.stderr
    assert not (tmp_path / "private.npy").exists()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_values_that_are_no_real_numbers_are_refused(tmp_path: pathlib.Path, dtype: str) -> None:
    scipy_sparse.save_npz(tmp_path / "rows.npz", counts("float64").astype(dtype))
    done = vectors(tmp_path / "rows.npz", tmp_path / "private.npy")
    assert done.returncode == 3 and "numbers" in done.stderr, done.stderr


def test_an_archive_of_numpy_is_refused(tmp_path: pathlib.Path) -> None:
    numpy.savez(tmp_path / "rows.npz", numpy.eye(3))
    done = vectors(tmp_path / "rows.npz", tmp_path / "private.npy")
    assert done.returncode == 3 and "scipy.sparse.save_npz" in done.stderr
