#!/usr/bin/env python3
"""Whole runs of `sotto serve`: start, keys, TLS, the ledger, SIGTERM under load. Usage: serve_test.py PROGRAM MODEL FOLDER"""
import http.client
import json
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
import warnings

PROGRAM, MODEL, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
CANARY = "zebrafish"
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
LEDGER = FOLDER / "ledger.db"


class Server:
    """The program on a free port, until the end of the block; then it must exit with 0 and have said nothing private."""

    def __init__(self, *options):
        self.process = subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0", "--model", MODEL, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = []
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"listening on https?://127.0.0.1:(\d+)", line):
                self.port = int(found.group(1))
            if line.startswith("sotto: ready"):
                return
        raise AssertionError("".join(self.said))

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.send_signal(signal.SIGTERM)
        out, said = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, (self.process.returncode, said)
        assert CANARY not in "".join(self.said) + said + out
        self.log = [json.loads(line) for line in out.splitlines()]
        keys = ["time", "request", "route", "status", "duration", "tokens"]
        assert self.log and all(list(line) == keys for line in self.log), out

    def ask(self, method, path, body=None, headers=(), context=None):
        connection = (http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=60) if context
                      else http.client.HTTPConnection("127.0.0.1", self.port, timeout=60))
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json", **dict(headers)})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read()), answer.headers


def refused(*options):
    done = subprocess.run([PROGRAM, "serve", "--model", MODEL, *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, (options, done)
    return done.stderr


def checked(port, *options):
    """The exit code of the health check."""
    return subprocess.run([PROGRAM, "serve", "--check", "--listen", f"127.0.0.1:{port}", *options],
                          capture_output=True, text=True, timeout=60).returncode


BODY = {"text": f"good {CANARY}", "epsilon": 1, "allow_weak": True}

with Server("--ledger", "none") as server:
    status, answer, headers = server.ask("POST", "/v1/privatize", BODY)
    assert status == 200 and answer["status"] == "proven" and answer["spent"] is None, answer
    assert CANARY not in json.dumps(answer) and "Server" not in headers
    assert server.ask("GET", "/readyz")[0] == 200
    assert checked(server.port) == 0
    assert server.ask("GET", "/openapi.json")[1]["openapi"] == "3.1.0"
    assert server.ask("POST", "/v1/privatize", {**BODY, "subject": CANARY})[0] == 422  # nothing counts it
assert checked(server.port) == 1  # nobody listens there any more

# Questions about words, a page of another origin, and a job that the end of the server interrupts.
with Server("--ledger", "none", "--allow-origin", "https://example.org") as server:
    origin = {"Origin": "https://example.org"}
    status, answer, headers = server.ask("POST", "/v1/explain", {"word": "good", "epsilon": 2}, origin)
    assert status == 200 and answer["map"][0] == {"word": "good", "x": 0, "y": 0}, answer
    assert headers["Access-Control-Allow-Origin"] == "https://example.org"
    status, answer, headers = server.ask("POST", "/v1/guess", {"private": f"good, {CANARY}!", "epsilon": 2})
    assert status == 200 and [one["output"] for one in answer["guesses"]] == ["good", CANARY], answer
    assert headers["Access-Control-Allow-Origin"] is None
    status, answer, _ = server.ask("POST", "/v1/vectors", {"vectors": [[1, 2, 3]], "epsilon": 1, "parameters": {"dimension": 2}})
    assert status == 200 and len(answer["vectors"][0]) == 2, answer
    status, job, headers = server.ask("POST", "/v1/measure", {"mechanism": "laplace", "epsilon": 1, "draws": 10**7})
    assert status == 202 and headers["Location"] == "/v1/jobs/" + job["job"], job
    while server.ask("GET", headers["Location"])[1]["state"] != "running":
        time.sleep(0.01)
assert any(line["route"] == "/v1/jobs/{job}" for line in server.log) and job["job"] not in json.dumps(server.log)
assert "--allow-origin" in refused("--allow-origin", "*", "--ledger", "none")

# Beyond this machine: keys and TLS, or --insecure.
assert "--keys" in refused("--listen", "0.0.0.0:0", "--ledger", "none")
assert "--keys" in refused("--listen", "[::]:0", "--ledger", "none")
assert "--tls-key" in refused("--tls-cert", "c.pem")
assert "--require" in refused("--require", "everything", "--ledger", "none")
assert "PGPASSFILE" in refused("--ledger", "postgresql://user:secret@127.0.0.1/db")

# A file of options; a key; the ledger through a restart; SIGTERM while eight clients send.
keys = FOLDER / "keys.json"
key = subprocess.run([PROGRAM, "serve", "key", "create", "--name", "app", "--scope", "privatize", "--scope", "read",
                      "--keys", keys], capture_output=True, text=True, check=True).stdout.strip()
assert key.startswith("sotto_") and key not in keys.read_text()
config = FOLDER / "sotto.toml"
config.write_text(f'ledger = "{LEDGER}"\nkeys = "{keys}"\n')
bearer = {"Authorization": f"Bearer {key}"}
delivered = []
with Server("--config", str(config)) as server:
    assert server.ask("POST", "/v1/privatize", BODY)[0] == 401
    retry = {**bearer, "Idempotency-Key": "0123456789abcdef"}
    first = server.ask("POST", "/v1/privatize", {**BODY, "subject": CANARY}, retry)
    assert first[0] == 200, first

    def load():
        while True:
            try:
                status, answer, _ = server.ask("POST", "/v1/privatize", {**BODY, "subject": CANARY}, bearer)
            except (OSError, http.client.HTTPException):
                return  # the server has gone
            assert status == 200, answer
            delivered.append(answer)

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    while len(delivered) < 40:
        time.sleep(0.01)
for thread in threads:
    thread.join()
with Server("--config", str(config)) as server:
    again = server.ask("POST", "/v1/privatize", {**BODY, "subject": CANARY}, retry)
    assert again[1] == first[1] and again[2]["Idempotency-Replayed"] == "true"
    spent = float(server.ask("POST", "/v1/ledger", {"subject": CANARY}, bearer)[1]["spent"])
assert spent >= 2 * (len(delivered) + 1), (spent, len(delivered))  # two words each
subprocess.run([PROGRAM, "ledger", "verify", LEDGER], check=True, capture_output=True)
assert all(CANARY.encode() not in path.read_bytes() for path in FOLDER.iterdir() if path.is_file())

# TLS.
if shutil.which("openssl") is None:
    print("no openssl program: TLS was not tried")
else:
    certificate, private = FOLDER / "c.pem", FOLDER / "k.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", private, "-out", certificate],
                   check=True, capture_output=True)
    assert "--tls-cert" in refused("--tls-cert", str(private), "--tls-key", str(private), "--ledger", "none")
    assert "--tls-key" in refused("--tls-cert", str(certificate), "--tls-key", str(certificate), "--ledger", "none")
    with Server("--ledger", "none", "--tls-cert", str(certificate), "--tls-key", str(private)) as server:
        trusting = ssl.create_default_context(cafile=certificate)
        assert server.ask("POST", "/v1/privatize", BODY, context=trusting)[0] == 200
        try:
            server.ask("GET", "/healthz", context=ssl.create_default_context())
            raise AssertionError("a certificate of nobody was trusted")
        except ssl.SSLError:
            pass
        warnings.simplefilter("ignore", DeprecationWarning)
        old = ssl.create_default_context(cafile=certificate)
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        try:
            server.ask("GET", "/healthz", context=old)
            raise AssertionError("TLS 1.1 was accepted")
        except (ssl.SSLError, OSError):
            pass
        plain = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)  # no TLS at all
        try:
            plain.request("GET", "/healthz")
            plain.getresponse()
            raise AssertionError("a request without TLS was answered")
        except (OSError, http.client.HTTPException):
            pass
        assert server.ask("GET", "/healthz", context=trusting)[0] == 200
        assert checked(server.port, "--tls-cert", str(certificate), "--tls-key", str(private)) == 0
        assert checked(server.port) == 1  # without TLS there is no answer
print(f"{len(delivered)} answers under SIGTERM, spent {spent}")
