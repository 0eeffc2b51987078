#!/usr/bin/env python3
"""Strange clients of `sotto serve`: malformed requests, clients that hang or are slow, many idle connections, TLS that is
none, a log that nobody reads. No crash, no hang, the status of the contract, and nothing of a request in any output.

Usage: serve_clients_test.py PROGRAM MODEL FOLDER small|large
"""
import collections
import os
import pathlib
import random
import re
import resource
import select
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from malformed import CANARY, GOOD, http, random_case  # noqa: E402
from service import Server  # noqa: E402
import json  # noqa: E402

PROGRAM, MODEL, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
IS_LARGE = sys.argv[4] == "large"
MALFORMED = 100_000 if IS_LARGE else 2_000
IDLE = 10_000 if IS_LARGE else 2_000
HANGING = 1_000 if IS_LARGE else 100
HANDSHAKES = 1_000 if IS_LARGE else 50
PIPELINED = 1_000
LOGGED = 20_000 if IS_LARGE else 2_000
DEADLINE = 120  # seconds; whatever takes longer hangs


def connect(port):
    out = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
    # Closing resets the connection: tens of thousands of them would otherwise use up the ports for a minute.
    out.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return out


def everything(connection):
    """What comes until the server closes."""
    data = b""
    try:
        while part := connection.recv(65536):
            data += part
    except ConnectionResetError:
        pass
    return data


def statuses(data):
    return [int(found) for found in re.findall(rb"HTTP/1\.1 (\d\d\d) ", data)]


def answers_to(port, data):
    with connect(port) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused before it was whole
        return everything(connection)


def is_well(server):
    return server.ask("POST", "/v1/privatize", GOOD)[0] == 200


def malformed(server):
    """So many requests by eight clients, each with its own seed."""
    counts = collections.Counter()
    faults = []
    lock = threading.Lock()

    def client(seed):
        rng = random.Random(seed)
        for _ in range(MALFORMED // 8):
            case = random_case(rng)
            try:
                said = answers_to(server.port, case.data)
                found = statuses(said)
                fits = found[0] in case.statuses if found else case.may_close
                is_silent = CANARY.encode() not in said or found[0] == 200
            except Exception as fault:  # a time-out: the server hangs
                fits, is_silent, said = False, True, repr(fault).encode()
            with lock:
                counts[case.name] += 1
                if not fits or not is_silent:
                    faults.append((case.name, case.data[:300], said[:300]))

    threads = [threading.Thread(target=client, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, (len(faults), faults[:5])
    assert is_well(server)
    print(f"malformed: {sum(counts.values())} requests of {len(counts)} kinds")


def pipelined(server):
    good, bad = http(json.dumps(GOOD).encode()), http(b'{"text": "zebrafish')
    said = answers_to(server.port, b"".join(good if i % 2 else bad for i in range(PIPELINED)))
    assert statuses(said) == [200 if i % 2 else 400 for i in range(PIPELINED)], statuses(said)[:20]
    print(f"pipelining: {PIPELINED} requests on one connection, answered in their order")


class Slow:
    """Clients that begin a request and do not go on, or go on with a byte a second."""

    def __init__(self, server):
        head = b"POST /v1/privatize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n"
        self.groups = {"half a head": [head] * HANGING, "a byte a second": [b"P"] * 20, "half a body": [head + b'\r\n{"te'] * HANGING,
                       "nothing": [b""] * HANGING}
        self.open = {}
        for name, starts in self.groups.items():
            self.open[name] = [connect(server.port) for _ in starts]
            for connection, start in zip(self.open[name], starts):
                connection.sendall(start)
        self.is_over = threading.Event()
        self.dripping = threading.Thread(target=self.drip)
        self.dripping.start()

    def drip(self):
        for byte in b"OST /v1/privatize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9" * 3:
            if self.is_over.wait(1):
                return
            for connection in self.open["a byte a second"]:
                try:
                    connection.sendall(bytes([byte]))
                except OSError:
                    pass  # answered already

    def check(self, server):
        # Bodies may take 30 s and idle connections 60 s; the small test waits for neither.
        for name in ["half a head", "a byte a second", *(["half a body", "nothing"] if IS_LARGE else [])]:
            for connection in self.open[name]:
                said = everything(connection)
                assert statuses(said) == ([] if name == "nothing" else [408]), (name, said)
                assert b"Retry-After" in said or name == "nothing"
            print(f"slow clients: {len(self.open[name])} with {name}, all cut off")
        self.is_over.set()
        self.dripping.join()
        for connection in [one for group in self.open.values() for one in group]:
            connection.close()
        assert is_well(server)


def idle_connections():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(IDLE, hard - 1_000)
    if count < IDLE:
        print(f"idle connections: only {count}, since a process may open {hard} files here")
    # The server raises its own limit: it starts with the few descriptors that systems usually give.
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1_024, hard), hard))
    with Server(PROGRAM, MODEL, FOLDER, "--ledger", "none", before=few) as server:
        assert is_well(server)
        memory, descriptors = server.memory(), server.descriptors()
        idle = [connect(server.port) for _ in range(count)]
        assert is_well(server)
        if descriptors is not None:
            end = time.monotonic() + DEADLINE
            while server.descriptors() < count:
                assert time.monotonic() < end, (server.descriptors(), count)
                time.sleep(0.05)
        poll = select.poll()
        for connection in idle:
            poll.register(connection, select.POLLIN)
        assert not poll.poll(0), "the server closed connections that it should hold"
        # Each of the first hundred still gets an answer.
        for connection in idle[:100]:
            connection.sendall(http(json.dumps(GOOD).encode()))
            assert statuses(connection.recv(65536)) == [200]
        each = (server.memory() - memory) / count
        for connection in idle:
            connection.close()
        end = time.monotonic() + DEADLINE
        while descriptors is not None and server.descriptors() > descriptors + 10:
            assert time.monotonic() < end, (server.descriptors(), descriptors)
            time.sleep(0.05)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    print(f"idle connections: {count} held, {each / 1024:.1f} kB each; none left open")


def bad_tls():
    if shutil.which("openssl") is None:
        print("TLS: not tried, since there is no program openssl")
        return
    certificate, private = FOLDER / "c.pem", FOLDER / "k.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", private, "-out", certificate], check=True, capture_output=True)
    good = ssl.create_default_context(cafile=certificate)
    stranger = ssl.create_default_context()
    old = ssl.create_default_context(cafile=certificate)
    old.set_ciphers("ALL:@SECLEVEL=0")
    import warnings
    warnings.simplefilter("ignore", DeprecationWarning)
    old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    rng = random.Random(4)
    with Server(PROGRAM, MODEL, FOLDER, "--ledger", "none", "--tls-cert", certificate, "--tls-key", private) as server:
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
        for number in range(HANDSHAKES):
            garbage = [http(json.dumps(GOOD).encode()), hello + rng.randbytes(500), rng.randbytes(300), hello[:rng.randrange(11)]]
            said = answers_to(server.port, garbage[number % 4])
            assert not statuses(said) and CANARY.encode() not in said, said
            for context in (stranger, old):
                try:
                    with connect(server.port) as plain, context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
                        raise AssertionError(f"a handshake that must fail succeeded: {secure.version()}")
                except (ssl.SSLError, OSError):
                    pass
        assert server.ask("GET", "/healthz", connection=server.connect(good))[0] == 200
    print(f"TLS: {HANDSHAKES} times each garbage, a certificate of nobody, TLS 1.1: all refused")


def unread_log():
    """Nobody reads standard output: the pipe is full after some hundred lines. Answers come all the same."""
    for kind in ("full", "closed"):
        reading, writing = os.pipe()
        if kind == "closed":
            os.close(reading)
        with Server(PROGRAM, MODEL, FOLDER, "--ledger", "none", "--padding", "off", log=writing) as server:
            os.close(writing)
            connection = server.connect()
            for _ in range(LOGGED):
                assert server.ask("POST", "/v1/privatize", GOOD, connection=connection)[0] == 200
            connection.close()
        if kind == "full":
            os.close(reading)
    print(f"a log that nobody reads, or whose reader has gone: {LOGGED} answers each")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with Server(PROGRAM, MODEL, FOLDER, "--ledger", "none") as server:
        assert is_well(server)
        memory, descriptors = server.memory(), server.descriptors()
        slow = Slow(server)
        malformed(server)
        pipelined(server)
        slow.check(server)
        print(f"memory after all this: {(server.memory() - memory) / 2**20:+.1f} MB")
        end = time.monotonic() + DEADLINE
        while descriptors is not None and server.descriptors() > descriptors + 10:
            assert time.monotonic() < end, "descriptors are left open"
            time.sleep(0.05)
        server.stop()
        log = server.log()
    keys = ["time", "request", "route", "status", "duration", "tokens"]
    assert len(log) > MALFORMED / 2 and all(list(line) == keys for line in log)
    idle_connections()
    bad_tls()
    unread_log()
    for path in FOLDER.iterdir():
        assert CANARY.encode() not in path.read_bytes(), path
    print("no canary in any output")
    shutil.rmtree(FOLDER)


main()
