"""Runs a program and tells what it used.

Linux counts as a process's memory what it had before it became another program, so a program that a large Python starts
seems to need as much as that Python. Here this file, by itself, stands between: programs below 10 MB look as large as it.
"""
import collections
import os
import sys
import time

# Seconds (processor: user and system), the largest resident memory, below 0 for a signal, what was on standard error.
Run = collections.namedtuple("Run", "processor clock megabytes exit_code said")


def run(command, environment=None):
    """A Run. Nothing is on standard input; standard output is thrown away."""
    import subprocess  # 4 MB, which the process between does without
    reading, writing = os.pipe()
    with os.fdopen(reading) as report:
        process = subprocess.Popen([sys.executable, "-I", "-S", __file__, str(writing), *map(str, command)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env={**os.environ, **(environment or {})}, pass_fds=[writing])
        os.close(writing)
        said = process.communicate()[1].decode(errors="replace")
        used = report.read().split()
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} could not be started: {said}")
    return Run(*map(float, used[:3]), int(used[3]), said)


def start(report, command):
    """Writes four numbers to the descriptor `report`."""
    os.set_inheritable(report, False)
    began = time.perf_counter()
    _, status, used = os.wait4(os.posix_spawnp(command[0], command, os.environ), 0)
    clock = time.perf_counter() - began
    numbers = used.ru_utime + used.ru_stime, clock, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)
    os.write(report, " ".join(map(str, numbers)).encode())


if __name__ == "__main__":
    start(int(sys.argv[1]), sys.argv[2:])
