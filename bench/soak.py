#!/usr/bin/env python3
"""The service under steady load for a long time: memory, descriptors, errors.

    python3 bench/soak.py build --minutes 60 [--ledger none] [--share 50]

Finds the peak with wrk for 5 s, then sends at `--share` percent of it with open_loop, in rounds of 10 s, and notes resident memory,
descriptors and answers after each round. Writes build/bench/soak.csv and soak.svg. The exit code is 1 if memory grew by more than 5%
from the end of the first tenth to the last tenth (medians), descriptors grew, or an answer was an error.
"""
import argparse
import pathlib
import shutil
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.path.insert(0, str(ROOT / "bench"))
import plot  # noqa: E402
import serve  # noqa: E402

ROUND = 10  # seconds


def settled_descriptors(server):
    """After the connections of the last round are closed: until the number is the same twice. 0: it may not be read here."""
    before = server.descriptors()
    for _ in range(100):
        time.sleep(0.1)
        now = server.descriptors()
        if now == before:
            break
        before = now
    return before or 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--minutes", type=float, default=60)
    arguments.add_argument("--share", type=float, default=50, help="of the peak, in percent")
    arguments.add_argument("--ledger", default="sqlite", choices=["sqlite", "none"])
    given = arguments.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that the server is ended too
    build = given.build.resolve()
    folder = build / "bench" / "soak"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    is_counted = given.ledger == "sqlite"
    bodies = serve.Bodies(folder, "soak", [
        {"text": text, "epsilon": serve.EPSILON, "allow_weak": True, **({"subject": f"s{i}"} if is_counted else {})}
        for i, text in enumerate(serve.make_texts())])
    rows, errors = [], 0
    with serve.Server(build / "sotto", serve.MODEL, folder, "--ledger", folder / "ledger.db" if is_counted else "none") as server:
        peak = serve.run_wrk(server.port, "/v1/privatize", bodies, 5, serve.CONNECTIONS_PADDED)
        rate = peak["rate"] * given.share / 100
        print(f"peak {peak['rate']:.0f} requests a second; sending {rate:.0f} for {given.minutes:g} minutes", flush=True)
        start = time.monotonic()
        while time.monotonic() - start < 60 * given.minutes:
            run = serve.run_open_loop(build, server.port, "/v1/privatize", bodies, rate, ROUND, 4 * serve.CONNECTIONS_PADDED)
            errors += run["other_status"] + run["broken"]
            rows.append(((time.monotonic() - start) / 60, server.memory() / 2**20, settled_descriptors(server), run["answered"], run["p99"]))
    (build / "bench" / "soak.csv").write_text("minutes,memory_mb,descriptors,answered,p99_us\n"
                                              + "".join(",".join(f"{value:g}" for value in row) + "\n" for row in rows))
    by_minute = {round(row[0]): row[1] for row in rows}
    (build / "bench" / "soak.svg").write_text(plot.grid([[
        plot.Chart("resident memory", "minutes", "MB", list(by_minute.items()), log_x=False)]]))
    tenth = max(1, len(rows) // 10)

    def median(values):
        return sorted(values)[len(values) // 2]

    first, last = (median([row[1] for row in part]) for part in (rows[tenth:2 * tenth] or rows, rows[-tenth:]))
    growth = last / first - 1
    leaked = rows[-1][2] - rows[tenth - 1][2]
    print(f"{sum(row[3] for row in rows)} answers, {errors} errors; memory {first:.0f} MB, then {last:.0f} MB ({100 * growth:+.1f}%); "
          f"descriptors {rows[tenth - 1][2]}, then {rows[-1][2]}; p99 {median([row[4] for row in rows]) / 1000:.1f} ms")
    sys.exit(1 if growth > 0.05 or leaked > 5 or errors else 0)


if __name__ == "__main__":
    main()
