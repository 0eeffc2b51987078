"""Starts `sotto serve`, and a PostgreSQL for it: for tests and benchmarks, which import this file."""
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

LONGEST_START = 300  # seconds; a large model is prepared first


class Server:
    """The program on a free port of this machine. Standard output and error go to files, so that nothing blocks."""

    def __init__(self, program, model, folder, *options, environment=None, before=None, log=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        number = len(list(self.folder.glob("server-*.err")))
        self.log_path = self.folder / f"server-{number:04}.out"
        self.said_path = self.folder / f"server-{number:04}.err"
        command = [program, "serve", "--listen", "127.0.0.1:0", *options]
        if model is not None:
            command += ["--model", model]
        with open(self.log_path, "wb") as out, open(self.said_path, "wb") as error:
            self.process = subprocess.Popen([str(word) for word in command], stdout=out if log is None else log, stderr=error,
                                            preexec_fn=before, env={**os.environ, **(environment or {})})
        end = time.monotonic() + LONGEST_START
        while "sotto: ready" not in self.said():
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise AssertionError("the server did not start: " + self.said())
            time.sleep(0.005)
        found = re.search(r"listening on (https?)://127.0.0.1:(\d+)", self.said())
        self.scheme, self.port = found.group(1), int(found.group(2))

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.process.poll() is None:
            self.stop()

    def said(self):
        return self.said_path.read_text(errors="replace")

    def log(self):
        return [json.loads(line) for line in self.log_path.read_text().splitlines()]

    def stop(self):
        """SIGTERM, which must end in exit code 0."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=120)
        assert code == 0, (code, self.said())

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def connect(self, context=None, timeout=120):
        if context:
            return http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=timeout)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=(), connection=None):
        """(status, JSON, headers) of one request, on a connection of its own unless one is given."""
        own = connection or self.connect()
        try:
            own.request(method, path, None if body is None else json.dumps(body),
                        {"Content-Type": "application/json", **dict(headers)})
            answer = own.getresponse()
            return answer.status, json.loads(answer.read()), answer.headers
        finally:
            if connection is None:
                own.close()

    # What the process uses. Release builds cannot be traced, so other users may not read all of it: None then.
    def _field(self, name):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        return None

    def memory(self):
        """Resident bytes."""
        return 1024 * self._field("VmRSS")

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except PermissionError:
            return None

    def limit_file_size(self, most):
        """No file may grow beyond this any more: a write then fails as on a full disk. False: not allowed here."""
        try:
            resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            return True
        except PermissionError:
            return False


def take_full_disks_as_errors():
    """For Server(before=...): by default a file that exceeds its limit ends the process."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


class Postgres:
    """A PostgreSQL server of its own in a temporary folder, on a socket. `Postgres.programs()` is None if there is none."""

    @staticmethod
    def programs():
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        return found[-1].parent if found else None

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o777)
        # PostgreSQL refuses to run as root.
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        self._run("initdb", "-A", "trust", "-U", "tester", "-E", "UTF8", "--no-locale", "-D", f"{self.folder}/data")
        self.start()

    def _run(self, program, *arguments):
        subprocess.run([*self.user, self.programs() / program, *arguments], check=True, cwd="/",
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o",
                  f"-c listen_addresses= -k {self.folder}", "start")

    def stop(self, mode="fast"):
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", mode, "stop")

    @property
    def url(self):
        return f"postgresql:///postgres?host={self.folder}&user=tester"

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        subprocess.run([*self.user, self.programs() / "pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "immediate", "stop"],
                       check=False, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)
