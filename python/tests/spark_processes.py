"""The processes of a Spark session on this machine."""
import os
import pathlib


def processes():
    """{pid: (parent, seconds of CPU time so far, children that ended included)}"""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # gone meanwhile
        found[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return found


def ancestors(pid):
    found, family = processes(), []
    while pid in found:
        pid = found[pid][0]
        family.append(pid)
    return family


def executors(spark):
    """The executors' processes: children of the driver's JVM."""
    driver = spark.sparkContext._gateway.proc.pid
    children = [pid for pid, (parent, _) in processes().items() if parent == driver]
    name = b"CoarseGrainedExecutorBackend"
    return sorted(pid for pid in children if name in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())


def cpu_seconds(spark):
    """Of driver, executors and their Python workers; on a busy machine worth more than the clock."""
    found, family = processes(), {spark.sparkContext._gateway.proc.pid}
    while more := {pid for pid, (parent, _) in found.items() if parent in family and pid not in family}:
        family |= more
    return sum(found[pid][1] for pid in family)
