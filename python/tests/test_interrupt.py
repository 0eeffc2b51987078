"""Ctrl-C reaches the caller while the engine works, and nothing of the engine goes on; other Python threads run."""
from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import sotto

# A model on which each of the calls takes far longer than a test may: 20,000 random words. One call each: between two
# calls the interpreter itself would see the signal.
PROGRAM = """
import os, signal, sys, threading, time
import numpy, sotto
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests in the background ignores it
model = sotto.Model.open(sys.argv[1], cache=False)
tem = sotto.Mechanism("tem", model, epsilon=2)
laplace = sotto.Mechanism("laplace", model, epsilon=10)
texts = ["a word of no length at all and more"] * 4000000
calls = {
    "calibrate": lambda: sotto.Mechanism("tem", model, epsilon=2, calibration="flat", threads=1),
    "measure": lambda: sotto.measure(laplace, draws=100_000_000, prior="uniform"),
    "tune": lambda: sotto.tune(model, max_loss=0.5, calibrations=["exact", "flat"], draws=10_000_000),
    "privatize": lambda: sotto.Privatizer(laplace).privatize(texts),
    "sample": lambda: laplace.sample(numpy.zeros(20_000_000, dtype=numpy.uint32)),
}
call = calls[sys.argv[2]]
tasks = len(os.listdir("/proc/self/task"))  # those of other libraries
print("ready", flush=True)
started = time.monotonic()
try:
    call()
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started, flush=True)
    used = time.process_time()
    time.sleep(0.5)
    print("afterwards", time.process_time() - used, threading.active_count(), len(os.listdir("/proc/self/task")) - tasks, flush=True)
"""


@pytest.fixture(scope="module")
def large_path(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    rng = numpy.random.default_rng(1)
    letters = numpy.array(list("abcdefghij"))
    words = ["".join(letters[[int(d) for d in f"{i:05d}"]]) for i in range(20_000)]
    path = tmp_path_factory.mktemp("large") / "large.sotto"
    sotto.Model.from_words(words, rng.normal(size=(20_000, 50)).astype(numpy.float32)).save(path)
    return path


@pytest.mark.parametrize("call", ["calibrate", "measure", "tune", "privatize", "sample"])
def test_sigint_stops_the_call(large_path: pathlib.Path, call: str) -> None:
    """The limit is generous: a loaded machine may take ten times the second that is promised, not the minutes that
    the calls would take."""
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, str(large_path), call], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(1.0)
        assert child.poll() is None
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        word, seconds = child.stdout.readline().split()
        assert word == "interrupted" and time.monotonic() - sent < 15
        assert float(seconds) > 0.5, "the call had not begun"
        word, used, python_threads, tasks = child.stdout.readline().split()
        assert word == "afterwards" and float(used) < 0.25 and python_threads == "1"
        assert int(tasks) == 0, "a thread of the engine is left"
        assert child.wait(timeout=30) == 0
    finally:
        child.kill()
        child.wait()


def test_other_threads_run_meanwhile(large_path: pathlib.Path) -> None:
    """While a call works without the GIL another thread counts; with the GIL held it would not count at all."""
    model = sotto.Model.open(large_path, cache=False)
    private = sotto.Privatizer(sotto.Mechanism("laplace", model, epsilon=10))
    texts = [" ".join(model.words[:50])] * 400
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        for call in (lambda: private.privatize(texts), lambda: sotto.certify(sotto.Mechanism("tem", model, epsilon=2), again=True)):
            counted = 0
            call()
            assert counted >= 5
    finally:
        stop.set()
        counter.join()


def test_bar_of_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    from sotto import _progress

    assert _progress.open_bar("title") is None or sys.stderr.isatty()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    bar = _progress.open_bar("title")
    assert bar is not None
    bar(1, 10, "tiles")
    bar(2, 10, "tiles")
    bar(1, 5, "words")
    bar.close()


def test_no_bar_on_a_pipe(large_path: pathlib.Path) -> None:
    code = "import sys, sotto; sotto.certify(sotto.Mechanism('tem', sotto.Model.open(sys.argv[1], cache=False), epsilon=2), again=True)"
    done = subprocess.run([sys.executable, "-c", code, str(large_path)], capture_output=True, timeout=300, env=dict(os.environ))
    assert done.returncode == 0 and done.stderr == b"" and done.stdout == b""
