#!/usr/bin/env python3
"""A PostgreSQL server of its own for a benchmark of the ledger, in a temporary folder on a socket.

Usage: postgres.py COMMAND ...: runs the command with SOTTO_BENCH_POSTGRES and SOTTO_BENCH_POSTGRES_KEY set. Without an
installed PostgreSQL (make deps-ledger) it runs the command without them.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        print("no PostgreSQL (make deps-ledger): it is left out", file=sys.stderr)
        return subprocess.run(sys.argv[1:], check=False).returncode
    bin_folder = programs[-1].parent
    # PostgreSQL refuses to run as root.
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)

        def run(program, *arguments):
            subprocess.run([*user, bin_folder / program, *arguments], check=True, cwd="/", stdout=subprocess.DEVNULL)

        run("initdb", "-A", "trust", "-U", "tester", "-E", "UTF8", "--no-locale", "-D", f"{folder}/data")
        run("pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o", f"-c listen_addresses= -k {folder}", "start")
        try:
            return subprocess.run(sys.argv[1:], check=False, env={
                **os.environ, "SOTTO_BENCH_POSTGRES": f"postgresql:///postgres?host={folder}&user=tester",
                "SOTTO_BENCH_POSTGRES_KEY": f"{folder}/key"}).returncode
        finally:
            run("pg_ctl", "-D", f"{folder}/data", "-w", "-m", "fast", "stop")


if __name__ == "__main__":
    sys.exit(main())
