"""Workers draw noise of their own: forked and spawned, with objects used before the fork and after unpickling."""
from __future__ import annotations

import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import numpy
import pytest

import sotto

TEXTS = ["the doctor came late and said that it was fine"] * 2000  # over the size that is done without threads
_shared: dict[str, Any] = {}


def use_shared(_: int) -> tuple[list[str], list[str], bytes]:
    private, vectors = _shared["private"], _shared["vectors"]
    rows = vectors.release(numpy.zeros((600, 20)))
    return list(private.privatize(TEXTS)), private.mechanism.sample(["doctor"] * 200), rows.tobytes()


def use_given(private: sotto.Privatizer) -> list[str]:
    return list(private.privatize(TEXTS[:200]))


def all_differ(results: list[Any]) -> bool:
    """2,000 texts of 10 words at epsilon 2: two equal results by chance have probability far below 2^-100."""
    return all(results[i] != results[j] for i in range(len(results)) for j in range(i))


@pytest.fixture
def shared(tem: sotto.Mechanism) -> sotto.Privatizer:
    private = sotto.Privatizer(tem)
    vectors = sotto.VectorMechanism("privemb", dimension_in=20, dimension=5, epsilon=10)
    _shared.update(private=private, vectors=vectors)
    return private


@pytest.mark.parametrize("used_before", [False, True])
def test_forked_workers(shared: sotto.Privatizer, used_before: bool) -> None:
    mine = use_shared(0) if used_before else None
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map_async(use_shared, range(4), chunksize=1).get(timeout=120)
    results += [mine or use_shared(0), use_shared(0)]
    for part in range(3):
        assert all_differ([result[part] for result in results])


def test_a_bare_fork_does_not_repeat_the_parent(shared: sotto.Privatizer) -> None:
    """The same next call in parent and child, after both used the same objects."""
    use_shared(0)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            data = pickle.dumps(use_shared(0))
            with os.fdopen(write, "wb") as pipe:
                pipe.write(data)
        finally:
            os._exit(0)
    os.close(write)
    mine = use_shared(0)
    with os.fdopen(read, "rb") as pipe:
        theirs = pickle.loads(pipe.read())
    os.waitpid(child, 0)
    assert all(a != b for a, b in zip(mine, theirs))


def test_spawned_workers(tem: sotto.Mechanism, tmp_path: pathlib.Path) -> None:
    """New interpreters that get the object by pickle alone; not through Pool, which would import this file's path."""
    stored = tmp_path / "private.pickle"
    stored.write_bytes(pickle.dumps(sotto.Privatizer(tem)))
    code = ("import pickle, sys; private = pickle.load(open(sys.argv[1], 'rb')); "
            "print(private.privatize(['the doctor came late and said that it was fine'] * 200))")
    workers = [subprocess.Popen([sys.executable, "-c", code, str(stored)], stdout=subprocess.PIPE) for _ in range(2)]
    outputs = [worker.communicate(timeout=120)[0] for worker in workers]
    assert all(len(output) > 1000 for output in outputs) and all_differ(outputs)


def test_multiprocessing_spawn(tem: sotto.Mechanism) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.map_async(use_given, [sotto.Privatizer(tem)] * 4, chunksize=1).get(timeout=120)
    assert all_differ(results)


def test_joblib(tem: sotto.Mechanism) -> None:
    joblib = pytest.importorskip("joblib")
    private = sotto.Privatizer(tem)
    for backend in ("loky", "multiprocessing", "threading"):
        results = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(use_given)(private) for _ in range(4))
        assert all_differ(results), backend


def test_threads_share_one_object(shared: sotto.Privatizer) -> None:
    from concurrent.futures import ThreadPoolExecutor

    before = shared.report["counts"]["documents"]
    with ThreadPoolExecutor(4) as pool:
        results = [future.result(timeout=120) for future in [pool.submit(use_given, shared) for _ in range(8)]]
    assert all_differ(results) and shared.report["counts"]["documents"] == before + 8 * 200
