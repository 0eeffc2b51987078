"""The unit of the Debian package under a systemd that runs: package_test.py boots its clean root with systemd-nspawn."""
import json
import pathlib
import re
import shutil
import subprocess
import time

LONGEST = 300  # seconds for whatever is waited for


def wait_for(what, check):
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        if check():
            return
        time.sleep(0.2)
    raise AssertionError(f"waited {LONGEST} s for: {what}")


class Machine:
    """A Debian that has been booted from a folder, in the network of this machine."""

    def __init__(self, root):
        self.said_path = root.parent / "boot.log"
        with open(self.said_path, "wb") as said:
            self.process = subprocess.Popen(["systemd-nspawn", "-D", root, "-b", "--register=no", "--keep-unit", "--console=pipe"],
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        self.first = None  # process 1 of the machine, by its number outside

    def boot(self):
        """False: this machine cannot start containers."""
        def is_up():
            if self.process.poll() is not None:
                return True
            children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            self.first = children[0] if children else None
            return self.first and self.run("systemctl", "is-system-running", check=False).strip() in ("running", "degraded")
        wait_for("a systemd that is up", is_up)
        return self.process.poll() is None

    def run(self, *words, check=True):
        done = subprocess.run(["nsenter", "-t", self.first, "-m", "-u", "-i", "-p", *words], capture_output=True, encoding="utf-8",
                              check=False)
        assert done.returncode == 0 or not check, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout

    def show(self, *names):
        """Properties of the unit."""
        return dict(line.split("=", 1) for line in self.run("systemctl", "show", "-p", ",".join(names), "sotto").splitlines())

    def end(self):
        if self.process.poll() is None and self.first:
            self.run("systemctl", "poweroff", "--no-block", check=False)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def is_ready(ask, port):
    try:
        return ask(port, "GET", "/readyz")[0] == 200
    except OSError:
        return False


def check_unit(machine, ask, port):
    wait_for("the service", lambda: is_ready(ask, port))
    machine.run("systemd-analyze", "verify", "--man=no", "sotto.service")
    exposure = re.search(r"exposure level for sotto.service: ([\d.]+)", machine.run("systemd-analyze", "--no-pager", "security", "sotto"))
    assert float(exposure.group(1)) < 2, exposure.group(0)
    status, answer = ask(port, "POST", "/v1/privatize", {"text": "the good soup", "epsilon": 1, "allow_weak": True, "subject": "s"})
    assert status == 200, answer
    process = machine.run("cat", f"/proc/{machine.show('MainPID')['MainPID']}/status")
    for line in ("CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"):
        assert line in process, process
    assert "Uid:\t0" not in process, process
    machine.run("systemctl", "kill", "-s", "KILL", "sotto")
    wait_for("a restart after kill -9", lambda: machine.show("NRestarts")["NRestarts"] == "1" and is_ready(ask, port))
    balance = json.loads(ask(port, "POST", "/v1/ledger", {"subject": "s"})[1])
    assert balance["spent"] == "3.000000", balance
    machine.run("systemctl", "stop", "sotto")
    assert machine.show("Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}
    machine.run("systemctl", "start", "sotto")
    machine.run("dpkg", "--remove", "sotto")  # stops it and keeps the ledger
    assert machine.run("systemctl", "is-active", "sotto", check=False).strip() == "inactive"
    machine.run("test", "-f", "/var/lib/private/sotto/sotto/ledger.db")
    machine.run("dpkg", "--purge", "sotto")
    machine.run("test", "!", "-e", "/var/lib/private/sotto")
    return exposure.group(1)


def try_unit(root, run, ask, port):
    """`root` is a Debian with the package as /sotto.deb and a model as /tmp/tiny.sotto; `run` and `ask` are those of package_test."""
    if shutil.which("systemd-nspawn") is None:
        print("unit: not tried, systemd-nspawn is missing (make deps-package)")
        return
    run("chroot", root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends",
        "systemd", "systemd-sysv", "dbus", "/sotto.deb")
    (root / "usr/local/share/sotto").mkdir(parents=True, exist_ok=True)
    shutil.copy(root / "tmp/tiny.sotto", root / "usr/local/share/sotto/model.sotto")
    (root / "usr/local/share/sotto/model.sotto").chmod(0o644)
    options = root / "etc/sotto/sotto.toml"
    options.write_text(options.read_text().replace("#model =", "model =").replace('listen = "127.0.0.1:7411"', f'listen = "127.0.0.1:{port}"'))
    run("chroot", root, "systemctl", "enable", "sotto")
    machine = Machine(root)
    try:
        if not machine.boot():
            print("unit: not tried, this machine starts no containers: " + machine.said_path.read_text()[-300:])
            return
        exposure = check_unit(machine, ask, port)
        print(f"unit: ran under systemd, exposure {exposure}; killed, restarted, stopped with 0, removed, purged")
    finally:
        machine.end()
