"""The wheel alone: built, repaired, installed without network into an empty environment, and used there."""
from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

import sotto
from conftest import ROOT

# glibc and libstdc++: what a wheel may expect of every system (auditwheel's policies have the same list).
SYSTEM = re.compile(r"(ld-linux-\S+|linux-vdso|lib(c|m|pthread|dl|rt|util|resolv|stdc\+\+|gcc_s))\.so\b")
CODE = """
import sys
import numpy, sotto
assert not any(name.split(".")[0] in ("sklearn", "pandas", "pyarrow", "tqdm") for name in sys.modules)
model = sotto.Model.open(sys.argv[1])
tem = sotto.Mechanism("tem", model, epsilon=2, calibration="exact")
assert tem.status == "proven" and "2" in tem.guarantee
out = sotto.Privatizer(tem).privatize(["Some text.", "the doctor came"])
assert out[0].endswith(".") and out.report["counts"]["documents"] == 2
assert abs(tem.law("doctor").probabilities.sum() - 1) < 1e-9
assert sotto.certify(tem).certified_epsilon <= 2 + 1e-9
assert sotto.measure(tem, prior={"doctor": 2, "nurse": 1}).e_opt.value > 0
assert sotto.tune(model, candidates=[("tem", {"epsilon": 2})], max_loss=1).points
assert sotto.VectorMechanism("privemb", dimension_in=20, dimension=5, epsilon=10).release(numpy.zeros((2, 20))).shape == (2, 5)
print(sotto.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    pytest.importorskip("auditwheel")
    if pathlib.Path(sys.prefix) != ROOT / "build" / "venv":
        pytest.skip("the wheel is built from build/venv: `make test-python`")
    done = subprocess.run([ROOT / "scripts" / "python_env.sh", "wheel"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / done.stdout.split()[-1]


def test_every_library_is_inside(wheel: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert "manylinux" in wheel.name
    zipfile.ZipFile(wheel).extractall(tmp_path)
    binaries = [*tmp_path.glob("sotto/_engine*.so"), *tmp_path.glob("sotto.libs/*")]
    assert len(binaries) > 3
    for binary in binaries:
        for line in subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout.splitlines():
            if line.strip() == "statically linked":  # data alone
                continue
            name, _, place = line.strip().partition(" => ")
            inside = str(tmp_path) in place.replace("/sotto/../", "/") or str(tmp_path) in name
            assert inside or SYSTEM.search(name), f"{binary.name} needs {line.strip()}"


def test_used_in_an_empty_environment(wheel: pathlib.Path, model_path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    numpy = tmp_path / "numpy"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "download", "--only-binary=:all:", "-d", numpy, "numpy"], check=True)
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin" / "pip", "--disable-pip-version-check", "-q", "install", "--no-index",
                    "--find-links", wheel.parent, "--find-links", numpy, "sotto"], check=True)
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([venv / "bin" / "python", "-c", CODE, model_path], cwd=tmp_path, env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert str(venv) in done.stdout


def test_import_is_light() -> None:
    """Which modules an import loads says more than a clock on a loaded machine; docs/python.md has the time."""
    code = "import sys, sotto; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"numpy", "pandas", "pyarrow", "sklearn", "tqdm", "spacy", "pyspark", "json", "dataclasses"} & set(loaded)
    assert sotto.__version__
