#!/usr/bin/env python3
"""kill -9 and SIGTERM of `sotto serve` under load: what was delivered was debited, and a retry is never debited twice.

Usage: serve_kill_test.py PROGRAM MODEL FOLDER KILLS TERMS. Eight clients send releases of two words:
  plain  four clients without an Idempotency-Key. A request that gets no answer is not repeated.
  keyed  four clients with a key for each release, who repeat it until it is answered.
After every restart, while no client sends:
  delivered <= spent <= delivered + unanswered                    plain, after kill -9
  spent == delivered                                              plain, after SIGTERM: whatever was debited was sent
  delivered <= spent <= delivered + still being repeated          keyed
The moments are seeded; what they hit depends on the machine, what must hold does not.
"""
import http.client
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from service import Server  # noqa: E402

PROGRAM, MODEL, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
KILLS, TERMS = int(sys.argv[4]), int(sys.argv[5])
CANARY = "zebrafish"
WORDS = 2  # of each release, so many epsilons
LEDGER = FOLDER / "ledger.db"


class Load:
    """The clients. They send while the gate is open; closed, they stop where a request has ended."""

    def __init__(self):
        self.lock = threading.Condition()
        self.is_open = False
        self.is_over = False
        self.parked = 0
        self.server = None
        self.delivered = {"plain": 0, "keyed": 0}
        self.unanswered = 0  # plain: the connection ended without an answer
        self.repeating = 0  # keyed: sent, and not answered so far
        self.replayed = 0
        self.faults = []
        self.threads = [threading.Thread(target=self.run, args=(kind, number)) for kind in self.delivered for number in range(4)]
        for thread in self.threads:
            thread.start()

    def run(self, kind, number):
        try:
            for count in range(10**9):
                headers = {"Idempotency-Key": f"{CANARY}-{kind}-{number}-{count:09}"} if kind == "keyed" else {}
                if not self.send_until_answered(kind, headers):
                    return
        except Exception as fault:  # the main thread tells
            self.faults.append(repr(fault))

    def send_until_answered(self, kind, headers):
        """One release. False: the load is over."""
        body = {"text": f"good {CANARY}", "epsilon": 1, "allow_weak": True, "subject": CANARY + kind}
        is_repeated = False
        while True:
            if not self.pass_gate():
                return False
            try:
                status, answer, said = self.server.ask("POST", "/v1/privatize", body, headers)
            except ConnectionRefusedError:  # nothing was sent
                time.sleep(0.001)
                continue
            except (OSError, http.client.HTTPException, ValueError):
                with self.lock:
                    if kind == "plain":
                        self.unanswered += 1
                        return True
                    self.repeating += not is_repeated
                    is_repeated = True
                continue
            if status == 409:  # the first one still runs
                continue
            assert status == 200 and CANARY not in answer["text"], (status, answer)
            with self.lock:
                self.delivered[kind] += 1
                self.repeating -= is_repeated
                self.replayed += said["Idempotency-Replayed"] == "true"
            return True

    def pass_gate(self):
        with self.lock:
            self.parked += 1
            self.lock.notify_all()
            self.lock.wait_for(lambda: self.is_open or self.is_over)
            self.parked -= 1
            return not self.is_over

    def open(self, server):
        with self.lock:
            self.server, self.is_open = server, True
            self.lock.notify_all()

    def shut(self):
        """Nobody sends when this returns."""
        with self.lock:
            self.is_open = False
            assert self.lock.wait_for(lambda: self.parked == len(self.threads) or self.faults, timeout=120), "a client hangs"
        assert not self.faults, self.faults

    def end(self):
        with self.lock:
            self.is_over = True
            self.lock.notify_all()
        for thread in self.threads:
            thread.join()


def spent(server, kind):
    status, answer, _ = server.ask("POST", "/v1/ledger", {"subject": CANARY + kind})
    assert status == 200, answer
    amount = float(answer["spent"]) / WORDS
    assert amount == int(amount), amount
    return int(amount)


def verify():
    subprocess.run([PROGRAM, "ledger", "verify", LEDGER], check=True, capture_output=True)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    rng = random.Random(21)
    load = Load()
    lost = 0  # debits whose answer nobody got
    server = None
    try:
        for number in range(KILLS + TERMS + 1):
            server = Server(PROGRAM, MODEL, FOLDER, "--ledger", LEDGER)
            plain, keyed = spent(server, "plain"), spent(server, "keyed")
            is_after_kill = number <= KILLS
            assert load.delivered["plain"] <= plain - (0 if is_after_kill else lost), (number, plain, load.delivered)
            assert plain <= load.delivered["plain"] + load.unanswered, (number, plain, load.delivered, load.unanswered)
            assert load.delivered["keyed"] <= keyed <= load.delivered["keyed"] + load.repeating, (number, keyed, load.delivered)
            if is_after_kill:
                lost = plain - load.delivered["plain"]
            else:
                assert plain == load.delivered["plain"] + lost, (number, plain, lost, load.delivered)
            if number == KILLS + TERMS:
                server.stop()
                break
            before = sum(load.delivered.values())
            load.open(server)
            end = time.monotonic() + 120
            while sum(load.delivered.values()) < before + 10:
                assert not load.faults and time.monotonic() < end, (load.faults, "nothing is answered")
                time.sleep(0.002)
            time.sleep(rng.random() * 0.05)
            if number < KILLS:
                server.kill()
            else:
                server.stop()
            load.shut()
            if number % 50 == 0:
                verify()
    finally:
        load.end()
        if server is not None and server.process.poll() is None:
            server.kill()
    verify()
    for path in FOLDER.iterdir():
        assert CANARY.encode() not in path.read_bytes(), path
    print(f"{KILLS} kill -9, {TERMS} SIGTERM: {load.delivered['plain']} plain and {load.delivered['keyed']} keyed answers delivered, "
          f"{lost} debits without an answer, {load.replayed} answers replayed; the chain verifies")
    shutil.rmtree(FOLDER)


main()
