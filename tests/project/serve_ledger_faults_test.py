#!/usr/bin/env python3
"""The ledger fails under `sotto serve`: a full disk, a database that restarts. 503, nothing released that is not debited,
and the server answers again afterwards without a restart.

Usage: serve_ledger_faults_test.py PROGRAM MODEL FOLDER ROUNDS (restarts of the database)
"""
import pathlib
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from service import Postgres, Server, take_full_disks_as_errors  # noqa: E402

PROGRAM, MODEL, FOLDER, ROUNDS = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
CANARY = "zebrafish"
BODY = {"text": f"good {CANARY}", "epsilon": 1, "allow_weak": True, "subject": CANARY}


def spent(server):
    status, answer, _ = server.ask("POST", "/v1/ledger", {"subject": CANARY})
    assert status == 200, answer
    return float(answer["spent"]) / 2


def release(server):
    """The status, which is that of a success or of a ledger that does not answer."""
    status, answer, headers = server.ask("POST", "/v1/privatize", BODY)
    assert status == 200 or (status == 503 and headers["Retry-After"] and "text" not in answer), (status, answer)
    return status


def full_disk():
    ledger = FOLDER / "ledger.db"
    with Server(PROGRAM, MODEL, FOLDER, "--ledger", ledger, before=take_full_disks_as_errors) as server:
        delivered = sum(release(server) == 200 for _ in range(20))
        assert delivered == 20
        if not server.limit_file_size(200_000):
            print("full disk: not tried, since the limits of the server may not be changed here")
            return
        answers = [release(server) for _ in range(400)]
        assert answers.count(200) > 0 and answers.count(503) > 10, answers
        assert server.ask("GET", "/healthz")[0] == 200
        delivered += answers.count(200)
        server.limit_file_size(-1)
        end = time.monotonic() + 60
        while release(server) != 200:
            assert time.monotonic() < end, "the disk has room again, and the ledger does not answer"
            time.sleep(0.05)
        delivered += 1
        total = spent(server)
        assert delivered <= total <= delivered + answers.count(503), (delivered, total)
    subprocess.run([PROGRAM, "ledger", "verify", ledger], check=True, capture_output=True)
    print(f"full disk: {answers.count(503)} requests refused with 503, {delivered} delivered, {total:.0f} debited")


def restarted_database():
    if Postgres.programs() is None:
        print("restarted database: not tried, since PostgreSQL is not installed (make deps-ledger)")
        return
    with Postgres() as database:
        options = ["--ledger", database.url, "--ledger-key", FOLDER / "postgres.key"]
        with Server(PROGRAM, MODEL, FOLDER, *options) as server:
            counts = {200: 0, 503: 0}
            lock = threading.Lock()
            is_over = threading.Event()
            faults = []

            def load():
                try:
                    while not is_over.is_set():
                        status = release(server)
                        with lock:
                            counts[status] += 1
                except Exception as fault:  # the main thread tells
                    faults.append(repr(fault))

            threads = [threading.Thread(target=load) for _ in range(8)]
            for thread in threads:
                thread.start()

            def wait_for_answers():
                before, end = counts[200], time.monotonic() + 120
                while counts[200] < before + 20:
                    assert time.monotonic() < end and not faults, ("no answers", faults)
                    time.sleep(0.01)

            try:
                for number in range(ROUNDS):
                    wait_for_answers()
                    database.stop("immediate" if number % 2 else "fast")
                    time.sleep(0.2)
                    database.start()
                wait_for_answers()
            finally:
                is_over.set()
                for thread in threads:
                    thread.join()
            assert not faults, faults
            total = spent(server)
            assert counts[200] <= total <= counts[200] + counts[503], (counts, total)
        subprocess.run([PROGRAM, "ledger", "verify", *options[1:2], *options[2:]], check=True, capture_output=True)
    print(f"restarted database: {ROUNDS} restarts, {counts[200]} delivered, {counts[503]} refused with 503, {total:.0f} debited")


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
full_disk()
restarted_database()
for path in FOLDER.iterdir():
    assert CANARY.encode() not in path.read_bytes(), path
shutil.rmtree(FOLDER)
