"""sotto.Ledger: what is counted, what is refused, and that nothing leaves that was not debited."""
from __future__ import annotations

import copy
import itertools
import os
import pathlib
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import sotto
from conftest import CANARY

pytestmark = pytest.mark.filterwarnings("ignore::sotto.WeakPrivacyWarning")

# As in docs/ledger.md: 5, 4 and 6 words.
LETTERS = ["the doctor was very kind", "the movie was great", "the food was good and cheap"]
IDS = ["letter-1", "letter-2", "letter-3"]


@pytest.fixture
def place(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "ledger.db"


def accounts(ledger: sotto.Ledger, **query: str) -> list[tuple[str, str, str | None, int]]:
    return [(row.account, row.spent, row.remaining, row.debits) for row in ledger.show(**query).accounts]


def test_worked_example(model: sotto.Model, tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place, document_budget=4, subject_budget=100)
    private = sotto.Privatizer(tem, ledger=ledger)
    for text, document in zip(LETTERS, IDS):
        assert len(private.privatize([text], subject="patient-17", documents=[document])) == 1
    weaker = sotto.Privatizer(sotto.Mechanism("tem", model, epsilon=1), ledger=ledger)
    weaker.privatize([LETTERS[1]], subject="patient-17", documents=["letter-2"])

    assert accounts(ledger, subject="patient-17") == [("subject", "34.000000", "66.000000", 4)]
    assert accounts(ledger, document="letter-2") == [("document", "3.000000", "1.000000", 2)]
    assert accounts(ledger, document="letter-1") == [("document", "2.000000", "2.000000", 1)]
    stronger = sotto.Privatizer(sotto.Mechanism("tem", model, epsilon=1.5), ledger=ledger)
    with pytest.raises(sotto.LimitReached, match="needed 1.500000"):
        stronger.privatize([LETTERS[1]], subject="patient-17", documents=["letter-2"])
    assert accounts(ledger, subject="patient-17") == [("subject", "34.000000", "66.000000", 4)]
    checked = ledger.verify()
    assert checked.holds and checked.entries == 8 and checked.problems == ()
    assert ledger.head().head == checked.head and checked.head.startswith("8:")
    assert "34.000000" in str(ledger.show(subject="patient-17"))


def test_one_call_is_one_debit_of_all_texts_or_none(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place)
    private = sotto.Privatizer(tem, ledger=ledger)
    private.privatize(LETTERS[:1], documents=IDS[:1])
    before = ledger.head()
    with pytest.raises(sotto.LimitReached, match="released before"):  # no budget: once
        private.privatize(LETTERS[::-1], documents=IDS[::-1], subject="patient-17")
    assert ledger.head() == before and accounts(ledger, subject="patient-17") == []
    assert private.report["counts"]["documents"] == 1, "what was refused is not counted as released"
    private.privatize(LETTERS[1:], documents=IDS[1:], subject="patient-17")
    assert accounts(ledger, subject="patient-17") == [("subject", "20.000000", None, 1)]


def test_limit_reached_is_a_value_error(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    assert issubclass(sotto.LimitReached, ValueError)
    private = sotto.Privatizer(tem, ledger=sotto.Ledger(place, subject_budget="9.999999"), subject=CANARY)
    with pytest.raises(sotto.LimitReached, match="limit 9.999999") as refused:
        private.privatize(LETTERS[:1])
    assert CANARY not in str(refused.value)
    again = pickle.loads(pickle.dumps(refused.value))
    assert type(again) is sotto.LimitReached and str(again) == str(refused.value)


def test_nobody_named(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place)
    sotto.Privatizer(tem, ledger=ledger)(LETTERS)
    assert accounts(ledger) == [("anonymous", "30.000000", None, 1)]
    sotto.Privatizer(tem, ledger=ledger).privatize([])
    sotto.Privatizer(tem, ledger=ledger).privatize([None])
    assert accounts(ledger) == [("anonymous", "30.000000", None, 1)]


def test_subject_of_the_privatizer_and_of_a_call(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place)
    private = sotto.Privatizer(tem, ledger=ledger, subject="one")
    private.privatize(LETTERS[:1])
    private.privatize(LETTERS[1:2], subject="two")
    assert accounts(ledger, subject="one") == [("subject", "10.000000", None, 1)]
    assert accounts(ledger, subject="two") == [("subject", "8.000000", None, 1)]
    assert accounts(ledger) == accounts(ledger, subject="one") + accounts(ledger, subject="two")


def test_missing_texts_cost_nothing(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place)
    given = [None, LETTERS[0], None]
    out = sotto.Privatizer(tem, ledger=ledger).privatize(given, documents=["a", "b", None], subject="s")
    assert out[0] is None and out[2] is None
    assert accounts(ledger, document="a") == [] and len(accounts(ledger, document="b")) == 1
    assert accounts(ledger, subject="s") == [("subject", "10.000000", None, 1)]


def kinds() -> Iterator[Any]:
    yield pytest.param(lambda texts: texts, id="list")
    yield pytest.param(lambda texts: numpy.array(texts, dtype=object), id="numpy")
    yield pytest.param(lambda texts: pytest.importorskip("pandas").Series(texts, index=[5, 6, 7]), id="series")
    yield pytest.param(lambda texts: pytest.importorskip("pyarrow").array(texts), id="arrow")
    yield pytest.param(lambda texts: pytest.importorskip("pyarrow").chunked_array([texts[:2], texts[2:]]), id="chunks")
    yield pytest.param(iter, id="iterator")


@pytest.mark.parametrize("kind", list(kinds()))
def test_every_kind_of_texts(kind: Any, tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place)
    private = sotto.Privatizer(tem, ledger=ledger)
    released = private.privatize(kind(LETTERS), subject="s", documents=kind(IDS))
    assert len([str(text) for text in released]) == 3
    assert accounts(ledger, subject="s") == [("subject", "30.000000", None, 1)]
    assert [accounts(ledger, document=one) for one in IDS] == [[("document", "2.000000", None, 1)]] * 3
    head = ledger.head()
    with pytest.raises(sotto.LimitReached):
        list(private.privatize(kind(LETTERS), documents=["new-1", "new-2", "letter-3"]))
    assert ledger.head() == head, "all or none"


def test_generator_is_debited_before_its_texts_leave(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place, subject_budget=10_000)
    taken = 0

    def texts() -> Iterator[str]:
        nonlocal taken
        for taken in itertools.count(1):
            yield "kind"

    private = sotto.Privatizer(tem, ledger=ledger, subject="s")
    stream = private.privatize(texts(), documents=(f"document-{i}" for i in itertools.count()))
    assert taken == 0 and ledger.export() == (), "nothing is read before it is asked for"
    next(stream)
    assert taken == 4096
    assert accounts(ledger, subject="s") == [("subject", "8192.000000", "1808.000000", 1)]
    received = 1
    with pytest.raises(sotto.LimitReached):
        for _ in stream:
            received += 1
    assert received == 4096, "the refused part did not leave"
    assert accounts(ledger, subject="s") == [("subject", "8192.000000", "1808.000000", 1)]
    assert ledger.verify().entries == 4097


def test_bad_arguments(model: sotto.Model, tem: sotto.Mechanism, place: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="document_budget"):
        sotto.Ledger(place, document_budget=-1)
    with pytest.raises(ValueError, match="subject_budget"):
        sotto.Ledger(place, subject_budget="much")
    assert not place.exists(), "nothing is made for a budget that is none"
    with pytest.raises(TypeError):
        sotto.Ledger(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="password") as refused:
        sotto.Ledger(f"postgresql://me:{CANARY}@localhost/ledger", key=place)
    assert CANARY not in str(refused.value)

    ledger = sotto.Ledger(place)
    private = sotto.Privatizer(tem, ledger=ledger)
    without = sotto.Privatizer(tem)
    calls: list[tuple[type[Exception], Any]] = [
        (TypeError, lambda: sotto.Privatizer(tem, ledger=str(place))),  # type: ignore[arg-type]
        (ValueError, lambda: sotto.Privatizer(tem, subject=CANARY)),
        (ValueError, lambda: sotto.Privatizer(tem, ledger=ledger, subject="")),
        (ValueError, lambda: sotto.Privatizer(tem, ledger=ledger, seed_not_private=1)),
        (ValueError, lambda: sotto.Privatizer(tem, ledger=ledger, unknown="keep")),
        (ValueError, lambda: without.privatize(LETTERS, subject=CANARY)),
        (ValueError, lambda: without.privatize(iter(LETTERS), documents=IDS)),
        (ValueError, lambda: private.privatize(LETTERS, subject="")),
        (ValueError, lambda: private.privatize(LETTERS, documents=IDS[:2])),
        (ValueError, lambda: private.privatize(LETTERS, documents=[])),
        (ValueError, lambda: private.privatize(LETTERS, documents=["a", "", CANARY])),
        (ValueError, lambda: private.privatize(LETTERS, documents=["a", f"{CANARY}\udc80", "b"])),
        (ValueError, lambda: private.privatize([*LETTERS[:2], f"{CANARY}\udc80"], documents=IDS)),
        (TypeError, lambda: private.privatize(LETTERS, documents=["a", 2, "b"])),  # type: ignore[list-item]
        (TypeError, lambda: private.privatize(LETTERS, documents=CANARY)),
        (TypeError, lambda: private.privatize(LETTERS, subject=17)),  # type: ignore[call-overload]
        (ValueError, lambda: list(private.privatize(iter(LETTERS), documents=IDS[:2]))),
        (ValueError, lambda: ledger.show(document="a", subject=CANARY)),
        (ValueError, lambda: ledger.verify("no head")),
    ]
    for number, (kind, call) in enumerate(calls):
        with pytest.raises(kind) as fault:
            call()
        assert CANARY not in str(fault.value), number
        assert not isinstance(fault.value, sotto.LimitReached), number
    assert ledger.export() == (), "nothing was debited"


def test_what_the_file_holds(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place)
    private = sotto.Privatizer(tem, ledger=ledger)
    private.privatize([f"the {CANARY} was kind"], subject="subject-zqx", documents=["document-zqx"])
    assert os.stat(f"{place}.key").st_mode & 0o777 == 0o600
    files = sorted(place.parent.glob("ledger.db*"))
    assert len(files) >= 2
    clear = [CANARY, "subject-zqx", "document-zqx", "zqx"]
    for file in files:
        found = file.read_bytes()
        assert not any(word.encode() in found for word in clear), file.name
    shown = ledger.show().to_json() + "".join(entry.to_json() for entry in ledger.export()) + repr(ledger)
    assert not any(word in shown for word in clear)
    first, second = ledger.export()
    assert {first.account, second.account} == {"document", "subject"} and first.number == 1


def test_heads_and_tampering(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    sqlite3 = pytest.importorskip("sqlite3")
    ledger = sotto.Ledger(place)
    private = sotto.Privatizer(tem, ledger=ledger, subject="s")
    old = ledger.head()
    private.privatize(LETTERS)
    private.privatize(LETTERS)
    kept = ledger.head()
    assert ledger.verify(kept).holds and ledger.verify(kept.head).holds and ledger.verify(old).holds
    del private, ledger
    with sqlite3.connect(place) as books:
        tables = [name for (name,) in books.execute("select name from sqlite_master where name like '%entries' and type='table'")]
        assert len(tables) == 1
        books.execute(f"delete from {tables[0]} where rowid = (select max(rowid) from {tables[0]})")
    books.close()
    ledger = sotto.Ledger(place)
    assert ledger.verify().holds, "a cut tail is seen with a head only"
    checked = ledger.verify(kept)
    assert not checked.holds and len(checked.problems) == 1


def test_key(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    key, other = place.parent / "my.key", place.parent / "other"
    ledger = sotto.Ledger(place, key=key)
    sotto.Privatizer(tem, ledger=ledger).privatize(LETTERS)
    assert key.exists() and not pathlib.Path(f"{place}.key").exists()
    sotto.Ledger(other)
    with pytest.raises(ValueError):
        sotto.Ledger(place, key=f"{other}.key")
    with pytest.raises(ValueError):
        sotto.Ledger(place)
    assert sotto.Ledger(place, key=key).show() == ledger.show()
    key.unlink()
    with pytest.raises(ValueError):
        sotto.Ledger(place, key=key)


def test_unusable_ledger_releases_nothing(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place)
    private = sotto.Privatizer(tem, ledger=ledger)
    for file in place.parent.glob("ledger.db*"):
        file.unlink()
    with pytest.raises((OSError, ValueError)):
        private.privatize(LETTERS)
    with pytest.raises(OSError):
        sotto.Ledger(place.parent / "no folder" / "ledger.db")
    place.write_bytes(b"not a ledger" * 1000)
    with pytest.raises(ValueError):
        sotto.Ledger(place)


def test_pickling(tem: sotto.Mechanism, place: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.parent)
    ledger = sotto.Ledger("ledger.db", document_budget="2.5", subject_budget=100)
    private = sotto.Privatizer(tem, ledger=ledger, subject="s")
    stored = pickle.dumps(private)
    secret = pathlib.Path(f"{place}.key").read_bytes()
    assert secret.strip() not in stored and secret.strip().hex().encode() not in stored
    monkeypatch.chdir("/")
    again = pickle.loads(stored)
    again.privatize(LETTERS)
    assert accounts(ledger, subject="s") == [("subject", "30.000000", "70.000000", 1)]
    other = pickle.loads(pickle.dumps(ledger))
    assert other == ledger and hash(other) == hash(ledger) and other.show() == ledger.show()
    assert copy.deepcopy(ledger) is ledger
    assert ledger != sotto.Ledger(place) and ledger != "ledger.db"


def test_a_pickle_never_makes_a_ledger(place: pathlib.Path) -> None:
    stored = pickle.dumps(sotto.Ledger(place))
    for file in place.parent.glob("ledger.db*"):
        file.unlink()
    with pytest.raises((OSError, ValueError)):
        pickle.loads(stored)
    assert list(place.parent.iterdir()) == [], "starting again at zero would forget what was spent"


def test_two_processes_keep_one_limit(model_path: pathlib.Path, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place, subject_budget=60)
    code = """
import sys, sotto
model = sotto.Model.open(sys.argv[1], cache=False)
private = sotto.Privatizer(sotto.Mechanism("tem", model, epsilon=2), warn_weak=False, subject="s",
                           ledger=sotto.Ledger(sys.argv[2], subject_budget=60))
delivered = 0
try:
    while True:
        delivered += len(private.privatize(["kind"]))
except sotto.LimitReached:
    print(delivered)
"""
    running = [subprocess.Popen([sys.executable, "-c", code, str(model_path), str(place)], stdout=subprocess.PIPE, text=True)
               for _ in range(2)]
    delivered = [int(one.communicate()[0]) for one in running]
    assert sum(delivered) == 30
    assert accounts(ledger, subject="s") == [("subject", "60.000000", "0.000000", 30)]
    assert ledger.verify().holds


def test_after_a_fork(tem: sotto.Mechanism, place: pathlib.Path) -> None:
    ledger = sotto.Ledger(place)
    private = sotto.Privatizer(tem, ledger=ledger, subject="s")
    private.privatize(LETTERS)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            private.privatize(LETTERS)
            status = 0
        finally:
            os._exit(status)
    private.privatize(LETTERS)
    assert os.waitpid(child, 0)[1] == 0
    assert accounts(ledger, subject="s") == [("subject", "90.000000", None, 3)]
    assert ledger.verify().holds


def test_text_privatizer(model_path: pathlib.Path, place: pathlib.Path) -> None:
    base = pytest.importorskip("sklearn.base")
    ledger = sotto.Ledger(place, subject_budget=100)
    made = sotto.TextPrivatizer(model=model_path, epsilon=2, ledger=ledger, subject="s")
    assert made.fit(LETTERS) is made and accounts(ledger) == [], "fit releases nothing"
    assert len(made.transform(LETTERS)) == 3
    twin = base.clone(made)
    assert twin.get_params()["ledger"] is ledger and twin.get_params()["subject"] == "s"
    twin.fit_transform(LETTERS)
    pickle.loads(pickle.dumps(twin)).transform(LETTERS)
    assert accounts(ledger, subject="s") == [("subject", "90.000000", "10.000000", 3)]
    with pytest.raises(sotto.LimitReached):
        made.transform(LETTERS)
    assert accounts(ledger, subject="s") == [("subject", "90.000000", "10.000000", 3)]
    other = place.parent / "other.db"
    made.set_params(ledger=sotto.Ledger(other)).transform(LETTERS)
    assert accounts(sotto.Ledger(other), subject="s") == [("subject", "30.000000", None, 1)]


def test_spark_tasks_debit_each_attempt(model_path: pathlib.Path, place: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    import sotto.spark

    ledger = sotto.Ledger(place, document_budget=4)
    task = sotto.spark.privatize_partitions("text", model=model_path, epsilon=2, ledger=ledger, subject="s",
                                            document_column="id")
    assert accounts(ledger) == [], "the driver releases nothing"
    frames = [pandas.DataFrame({"id": IDS[:2], "text": LETTERS[:2]}), pandas.DataFrame({"id": IDS[2:], "text": LETTERS[2:]})]
    rows = task(iter(frames))
    next(rows)
    assert accounts(ledger, subject="s") == [("subject", "18.000000", None, 1)], "before the first row leaves"
    next(rows)
    for attempt in (2, 3):  # the same task again
        if attempt == 3:
            with pytest.raises(sotto.LimitReached):
                next(task(iter(frames)))
        else:
            assert len(list(task(iter(frames)))) == 2
    assert accounts(ledger, subject="s") == [("subject", "60.000000", None, 4)]
    assert accounts(ledger, document="letter-1") == [("document", "4.000000", "0.000000", 2)]
    with pytest.raises(ValueError, match="ledger"):
        sotto.spark.privatize_partitions("text", model=model_path, epsilon=2, document_column="id")
    with pytest.raises(ValueError, match="one column"):
        sotto.spark.privatize_partitions(["a", "b"], model=model_path, epsilon=2, ledger=ledger, document_column="id")


def test_spark_task_travels(model_path: pathlib.Path, place: pathlib.Path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    pytest.importorskip("pandas")
    import sotto.spark

    ledger = sotto.Ledger(place)
    blob = cloudpickle.dumps(sotto.spark.privatize_partitions("text", model=model_path, epsilon=2, ledger=ledger, subject="s"))
    (place.parent / "task").write_bytes(blob)
    code = """
import pickle, sys, pandas
frame = pandas.DataFrame({"text": ["the doctor was very kind"]})
for _ in range(2):
    assert len(list(pickle.load(open(sys.argv[1], "rb"))(iter([frame])))) == 1
from sotto import _configuration
assert _configuration._privatizer.cache_info().misses == 1
"""
    subprocess.run([sys.executable, "-c", code, str(place.parent / "task")], check=True)
    assert accounts(ledger, subject="s") == [("subject", "20.000000", None, 2)]
