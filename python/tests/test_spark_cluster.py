"""sotto.spark on a cluster: a driver and two executors of one core and 1 GB, each a process of its own.

The rows carry their number in their punctuation, which passes in clear: each output row proves that it
stands in its place with all its words. Slow: `scripts/test_spark.sh`. It prints figures, such as those of
docs/spark.md.
"""

import collections
import csv
import decimal
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

pandas = pytest.importorskip("pandas")

import numpy as np  # noqa: E402
import sotto  # noqa: E402
import sotto.spark  # noqa: E402
from spark_processes import ancestors, cpu_seconds, executors  # noqa: E402

pytestmark = pytest.mark.slow
ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = int(os.environ.get("SOTTO_SPARK_ROWS", "1000000"))
TEXT = "the doctor told my sister that the soup was cold and the film was too long"

ENDS = ["", ",", ";", ":", "!", "?", ".", ")"]
WORDS_IN_A_ROW = 8


def number_of(text):
    """The row's number, from the punctuation behind its first seven words."""
    pieces = text.split(" ")
    assert len(pieces) == WORDS_IN_A_ROW, "every token is there, and no other"
    number = 0
    for piece in pieces[:-1]:
        number = 8 * number + (ENDS.index(piece[-1]) if piece[-1] in ENDS else 0)
    return number


@pytest.fixture(scope="module")
def place():
    """The default model, or the small one; a model that every executor reads at the same path."""
    try:
        return sotto.Model.default().path
    except OSError:
        return None


@pytest.fixture(scope="module")
def big_model(place, model_path):
    return str(place or model_path)


@pytest.fixture(scope="module")
def rows(big_model, tmp_path_factory):
    """A CSV of ROWS numbered rows of eight words, drawn as often as their rank in the model suggests."""
    words = np.array(
        [word for word in sotto.Model.open(big_model).words[:30000] if word.isalpha()], dtype=object
    )
    rng = np.random.default_rng(8)
    share = 1 / (np.arange(len(words)) + 2.7)
    drawn = words[
        np.searchsorted(np.cumsum(share / share.sum()), rng.random((ROWS, WORDS_IN_A_ROW)) * 0.999999)
    ]
    path = tmp_path_factory.mktemp("spark") / "rows.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["id", "text"])
        for number, row in enumerate(drawn):
            digits = (ENDS[(number >> shift) & 7] for shift in range(18, -1, -3))
            writer.writerow([number, " ".join([w + e for w, e in zip(row, digits)] + [row[-1]])])
    return path


@pytest.fixture(scope="module")
def spark():
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed; `make test-slow` does it")
    from pyspark.sql import SparkSession

    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("there is no Java (Debian: openjdk-17-jre-headless)")
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("sotto")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.files.maxPartitionBytes", "4m")
        .config("spark.sql.adaptive.enabled", "false")
        .getOrCreate()
    )
    yield session
    session.stop()


def table(spark, path):
    return spark.read.csv(str(path), header=True, schema="id long, text string", quote='"', escape='"')


def traced(function, starts=None):
    """The function for mapInPandas, with partition, attempt and process; `starts` gets a file an attempt."""

    def trace(frames):
        import os
        import pathlib

        from pyspark import TaskContext

        context = TaskContext.get()
        # taskAttemptId is unique; attemptNumber begins again at 0 when a stage is done again.
        seen = {"partition": context.partitionId(), "attempt": context.taskAttemptId(), "pid": os.getpid()}
        if starts:
            pathlib.Path(starts, f"{seen['partition']}-{seen['attempt']}").touch()
        for frame in function(frames):
            yield frame.assign(**seen)

    return trace


TRACED = "id long, text string, partition int, attempt long, pid long"


def assert_all_in_place(private, number):
    ids = private["id"].to_numpy()
    assert len(ids) == number and np.array_equal(np.sort(ids), np.arange(number)), "every row is there once"
    wrong = [row for row, text in zip(ids, private["text"]) if number_of(text) != row]
    assert not wrong, f"{len(wrong)} rows carry another row's text, such as row {wrong[0]}"


def timed(act):
    began = time.monotonic()
    act()
    return time.monotonic() - began


def say(**figures):
    print("figures", json.dumps(figures))


def test_cost_of_an_executor(spark, big_model):
    """What the first task of a Python worker pays in time and memory. Printed, not judged."""
    configuration = sotto.spark._configured("tem", big_model, {"epsilon": 2})

    def look(frames):
        import time

        def memory():
            with open("/proc/self/smaps_rollup") as lines:
                sizes = {line.split()[0]: int(line.split()[1]) // 1024 for line in list(lines)[1:]}
            return sizes["Rss:"], sizes["Pss:"], sizes["Private_Dirty:"]

        began = time.monotonic()
        import sotto.spark

        imported = time.monotonic()
        before = memory()
        privatizer = configuration.privatizer(sotto.spark._find)
        opened = time.monotonic()
        words = " ".join(privatizer.mechanism.model.words[:5000])
        privatizer.privatize([words])
        used = time.monotonic()
        for frame in frames:
            seen = [imported - began, opened - imported, used - opened, *before, *memory()]
            yield pandas.DataFrame({"seen": [str([round(each, 3) for each in seen])]})

    for row in spark.range(2, numPartitions=2).mapInPandas(look, "seen string").collect():
        say(import_open_use_s_then_rss_pss_dirty_mb_before_and_after=json.loads(row["seen"]))


def test_a_million_rows_in_place_and_against_the_program(spark, rows, big_model, tmp_path):
    frame = table(spark, rows)
    partitions = frame.rdd.getNumPartitions()
    assert partitions >= min(4, ROWS // 100_000)
    udf = sotto.spark.privatize_udf("tem", model=big_model, epsilon=2)

    def through_spark(changed, name):
        before = cpu_seconds(spark)
        seconds = timed(lambda: changed.write.csv(str(tmp_path / name), header=True, escape='"'))
        return [round(seconds, 1), round(cpu_seconds(spark) - before, 1)]

    seconds = through_spark(frame.withColumn("text", udf("text")), "private")
    private = table(spark, tmp_path / "private").toPandas()
    assert_all_in_place(private, ROWS)
    clear = frame.toPandas().set_index("id")["text"].sort_index()
    assert (private.set_index("id")["text"].sort_index() == clear).mean() < 0.01, "the texts are private"

    program = ROOT / "build/sotto"
    command = [
        program,
        "privatize",
        rows,
        "--column",
        "text",
        "--epsilon",
        "2",
        "--model",
        big_model,
        "--quiet",
    ]
    alone = None
    if program.exists():
        before = sum(os.times()[2:4])
        alone = timed(
            lambda: subprocess.run([*command, "--threads", "2", "-o", tmp_path / "p.csv"], check=True)
        )
        alone = [round(alone, 1), round(sum(os.times()[2:4]) - before, 1)]

    def untouched(texts):
        return texts

    untouched.__annotations__ = {"texts": pandas.Series, "return": pandas.Series}
    from pyspark.sql.functions import pandas_udf

    copied = through_spark(frame, "copied")
    warm = through_spark(frame.withColumn("text", udf("text")), "again")  # another release; workers are there
    carried = through_spark(frame.withColumn("text", pandas_udf(untouched, "string")("text")), "carried")
    say(
        rows=ROWS,
        tokens=ROWS * WORDS_IN_A_ROW,
        megabytes=round(rows.stat().st_size / 1e6),
        partitions=partitions,
        load=os.getloadavg()[0],
        clock_and_cpu_seconds={
            "spark": seconds,
            "spark, second time": warm,
            "spark, copy only": copied,
            "spark, UDF that does nothing": carried,
            "program": alone,
        },
    )


def test_noise_is_not_repeated(spark, big_model):
    number, partitions, word = 24_000, 24, "doctor"
    from pyspark.sql.functions import lit

    frame = spark.range(number, numPartitions=partitions).withColumn("text", lit(TEXT))
    privatize = sotto.spark.privatize_partitions("text", model=big_model, epsilon=2)
    private = frame.mapInPandas(traced(privatize), TRACED).toPandas()
    assert len(private) == number and private["partition"].nunique() == partitions
    assert private["pid"].nunique() >= 2, "two executors worked"
    # Two releases of 16 words are alike with probability below 1e-12: one repeated row is one too many.
    assert private["text"].is_unique
    # Nor may part of the noise be shared: the first words of the first rows of each partition.
    by_partition = [part["text"].str.split().tolist() for _, part in private.groupby("partition")]
    first = [tuple(words[0] for words in part[:50]) for part in by_partition]
    assert len(set(first)) == partitions
    # And it is the mechanism's: chi-squared over 100 groups of words of like probability, false alarm 1e-6.
    law = sotto.Mechanism("tem", sotto.Model.open(big_model), epsilon=2).law(word)
    order = np.argsort(-law.probabilities, kind="stable")
    group = np.empty(len(order), dtype=int)
    group[order] = np.minimum(100 * np.cumsum(law.probabilities[order]), 99).astype(int)
    of_word = dict(zip(law.words, group))
    drawn = private["text"].str.split().str[TEXT.split().index(word)].map(of_word)
    observed = np.bincount(drawn, minlength=100)
    expected = np.bincount(group, weights=law.probabilities, minlength=100) * number
    kept = expected > 0  # a word more likely than 0.01 leaves groups empty
    statistic = ((observed[kept] - expected[kept]) ** 2 / expected[kept]).sum()
    from scipy.stats import chi2

    assert not observed[~kept].any() and statistic < chi2.isf(1e-6, kept.sum() - 1), statistic


def test_a_model_sent_along_and_one_release_in_a_query(spark, model_path, tmp_path, tmp_path_factory):
    from pyspark.sql.functions import col, upper

    path = tmp_path / "sent.sotto"
    path.write_bytes(model_path.read_bytes())
    udf = sotto.spark.privatize_udf("tem", model=path, epsilon=1)
    # The driver serves what it sends as long as the session lives; the executors shall not find it at `path`.
    served = tmp_path_factory.mktemp("served") / path.name
    spark.sparkContext.addFile(str(path.rename(served)))
    frame = spark.createDataFrame([(1, TEXT), (2, None), (3, "")], "id long, text string")
    private = frame.withColumn("text", udf("text")).where("id = 2 or text >= ''")
    rows = private.select(
        "id", "text", upper(col("text")).alias("shout"), col("text").alias("again")
    ).collect()
    one, nothing, empty = sorted(rows)
    assert nothing.text is None and empty.text == "" and len(one.text.split()) == len(TEXT.split())
    # The filter and the three columns see one and the same release.
    assert one.text != TEXT and one.again == one.text and one.shout == one.text.upper()


def release_while_an_executor_dies(spark, frame, privatize, folder):
    """Releases a frame of 24 partitions and kills one of the two executors in the middle of its task.

    Returns the rows released, and for each partition the number of attempts that began."""
    asleep = folder / "asleep"
    asleep.mkdir()

    def slowly(frames):
        import os
        import time

        for part in privatize(frames):
            here = asleep / str(os.getpid())
            here.touch()
            time.sleep(0.5)  # so that there is a middle to be killed in
            here.unlink()
            yield part

    before = executors(spark)
    assert len(before) == 2
    killed = []

    def kill_one():
        tracker = spark.sparkContext.statusTracker()
        until = time.monotonic() + 300
        while not killed and time.monotonic() < until:
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            # The second stage is ours; the first only moves rows.
            ours = any(each and each.numTasks == 24 and each.numCompletedTasks >= 4 for each in stages)
            for worker in asleep.iterdir() if ours else ():
                family = ancestors(int(worker.name))
                killed.extend(pid for pid in before if pid in family)
            for pid in killed[:1]:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)

    killer = threading.Thread(target=kill_one)
    killer.start()
    starts = folder / "starts"
    starts.mkdir()
    frame.mapInPandas(traced(slowly, str(starts)), TRACED).write.parquet(str(folder / "private"))
    killer.join()
    assert killed and killed[0] not in executors(spark)
    began = [path.name.split("-")[0] for path in starts.iterdir()]
    return spark.read.parquet(str(folder / "private")).toPandas(), collections.Counter(began)


def wait_for_two_executors(spark):
    """The cluster starts another executor for one that died."""
    until = time.monotonic() + 120
    while len(executors(spark)) < 2 and time.monotonic() < until:
        time.sleep(0.5)


def test_a_killed_executor_loses_nothing(spark, rows, big_model, tmp_path):
    number = min(ROWS, 300_000)
    frame = table(spark, rows).where(f"id < {number}").repartition(24, "id")
    privatize = sotto.spark.privatize_partitions("text", model=big_model, epsilon=2)
    private, began = release_while_an_executor_dies(spark, frame, privatize, tmp_path)
    assert_all_in_place(private, number)
    # What was under way when the executor died was begun again; only one of the attempts is in the output.
    again = [partition for partition, attempts in began.items() if attempts > 1]
    assert again and (private.groupby("partition")["attempt"].nunique() == 1).all()
    say(killed_executor_rows=number, tasks=24, attempts=began.total(), partitions_done_again=len(again))


def test_a_ledger_counts_every_attempt(spark, rows, big_model, tmp_path):
    """One ledger for all executors. Work that was done again is counted again, never too little."""
    number = min(ROWS, 24_000)
    wait_for_two_executors(spark)
    frame = table(spark, rows).where(f"id < {number}").repartition(24, "id")
    ledger = sotto.Ledger(tmp_path / "ledger.db")
    privatize = sotto.spark.privatize_partitions("text", model=big_model, epsilon=2, ledger=ledger, subject="tenant")
    private, began = release_while_an_executor_dies(spark, frame, privatize, tmp_path)
    assert_all_in_place(private, number)
    account = ledger.show(subject="tenant").accounts[0]
    delivered = 2 * WORDS_IN_A_ROW * number
    assert decimal.Decimal(account.spent) >= delivered and account.debits >= 24
    assert began.total() > 24 and ledger.verify().holds
    say(ledger_rows=number, attempts=began.total(), debits=account.debits, spent=account.spent, delivered=delivered)
