from __future__ import annotations

import inspect
import json
import pathlib
import pickle
import re
import subprocess
import unicodedata
import warnings

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sotto
from conftest import ROOT


@pytest.fixture(scope="module")
def private(tem: sotto.Mechanism) -> sotto.Privatizer:
    return sotto.Privatizer(tem)


@pytest.fixture(scope="module")
def identity(model: sotto.Model) -> sotto.Privatizer:
    return sotto.Privatizer(sotto.Mechanism("identity", model))


def stays_clear(char: str) -> bool:
    """White_Space or general category P: all that may pass in clear (src/text/words.h)."""
    white = char in "\t\n\v\f\r\x85 \u00a0\u1680\u2028\u2029\u202f\u205f\u3000" or "\u2000" <= char <= "\u200a"
    return white or unicodedata.category(char).startswith("P")


def layout(text: str) -> str:
    return "".join(char for char in text if stays_clear(char) and char != " ")


# Characters that exist in the database of both Python and ICU, whatever their versions; no surrogates.
any_text = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cn", "Co")), max_size=60)


@settings(max_examples=300, deadline=None)
@given(texts=st.lists(any_text, max_size=12))
def test_any_text_keeps_its_layout(private: sotto.Privatizer, texts: list[str]) -> None:
    """As many texts out as in and in order; of each, white space and punctuation outside words stay as they are,
    and nothing else of the input does."""
    out = private.privatize(texts)
    assert isinstance(out, sotto.PrivateTexts) and len(out) == len(texts)
    assert out.report["counts"]["documents"] == len(texts)
    vocabulary = set(private.mechanism.model.words)
    for before, after in zip(texts, out):
        # Punctuation inside a word ("don't") belongs to it and goes with it: so a subsequence.
        clear = iter(layout(before))
        assert all(any(char == other for other in clear) for char in layout(after))
        words = re.findall(r"[^\W_]+", after)
        assert all(word in vocabulary for word in words)
        if all(stays_clear(char) for char in before):
            assert after == before


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_identity_gives_known_words_back(identity: sotto.Privatizer, data: st.DataObject) -> None:
    words = st.sampled_from(identity.mechanism.model.words)
    gaps = st.sampled_from([" ", ", ", "! ", "\n", "\u3000", " (", ") ", "... "])
    texts = data.draw(st.lists(st.lists(st.tuples(words, gaps), max_size=10), max_size=8))
    given_texts = ["".join(word + gap for word, gap in pairs) for pairs in texts]
    assert identity.privatize(given_texts) == given_texts


def test_order_over_many_blocks(identity: sotto.Privatizer) -> None:
    words = identity.mechanism.model.words
    texts = [f"{words[i % len(words)]} {words[i // len(words) % len(words)]}; \u00fc\u4e2d {'x' * (i % 7)}." for i in range(30_000)]
    out = identity.privatize(texts)
    anchor = identity.anchor
    for before, after in zip(texts, out):
        known = before.split(";")[0]
        assert after.startswith(known + "; ") and after.endswith("." if before[-2] == " " else f"{anchor}.")


def test_exact_length_of_non_ascii_output(model: sotto.Model) -> None:
    """Words of one to four bytes a character, as many characters out as the word has."""
    words = ["ab", "grösen", "中文", "слово", "naïve"]
    small = sotto.Model.from_words(words, numpy.eye(5, 5, dtype=numpy.float32))
    out = sotto.Privatizer(sotto.Mechanism("identity", small)).privatize(words)
    assert out == words and [len(text) for text in out] == [2, 6, 2, 5, 5]
    assert sotto.Mechanism("identity", small).sample(words) == words and small.words == tuple(words)


def test_nulls_stay_null(private: sotto.Privatizer) -> None:
    out = private.privatize(["doctor", None, float("nan"), ""])
    assert out[1] is None and out[2] is None and out[3] == "" and out[0] in private.mechanism.model
    assert out.report["counts"]["documents"] == 2


def test_containers(private: sotto.Privatizer) -> None:
    assert isinstance(private.privatize(("doctor", "nurse")), sotto.PrivateTexts)
    array = private.privatize(numpy.array([["doctor", "nurse"], ["tea", "cake"]], dtype=object))
    assert array.shape == (2, 2) and array.dtype == object
    assert private.privatize(numpy.array(["doctor", "tea"])).shape == (2,)
    assert private.privatize([]) == []
    for bad in ("doctor", b"doctor", 3, {"doctor": 1}, numpy.zeros(3)):
        with pytest.raises(TypeError):
            private.privatize(bad)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="text 1 "):
        private.privatize(["doctor", 3])  # type: ignore[list-item]


def test_generator_is_lazy(private: sotto.Privatizer) -> None:
    read = 0

    def texts() -> object:
        nonlocal read
        while True:  # never ends
            read += 1
            yield "the doctor came"

    stream = private.privatize(texts())  # type: ignore[call-overload]
    assert inspect.isgenerator(stream) and read == 0
    first = [next(stream) for _ in range(10)]
    assert len(first) == 10 and 0 < read <= 4096


def test_pandas(private: sotto.Privatizer) -> None:
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(["the doctor", None, "tea"], index=[7, 3, 3], name="review")
    out = private.privatize(series)
    assert list(out.index) == [7, 3, 3] and out.name == "review" and out.isna().tolist() == [False, True, False]
    assert out.attrs["sotto_report"] == private.public_report and series[7] == "the doctor"
    typed = private.privatize(pandas.Series(["doctor", pandas.NA], dtype="string"))
    assert str(typed.dtype) == "string" and typed.isna().tolist() == [False, True]
    assert len(private.privatize(pandas.Series(["doctor", "tea"], dtype="category"))) == 2
    assert len(private.privatize(pandas.Series([], dtype=object))) == 0


def test_arrow(private: sotto.Privatizer) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    array = pyarrow.array(["the doctor", None, "tea"])
    out = private.privatize(array)
    assert isinstance(out, pyarrow.Array) and out.type == pyarrow.string() and out.null_count == 1 and len(out) == 3
    chunked = private.privatize(pyarrow.chunked_array([["doctor"], ["tea", None]], type=pyarrow.large_string()))
    assert isinstance(chunked, pyarrow.ChunkedArray) and chunked.type == pyarrow.large_string() and len(chunked) == 3
    assert len(private.privatize(pyarrow.array(["tea", "tea"]).dictionary_encode())) == 2


def test_report_has_the_keys_of_the_program(private: sotto.Privatizer, model_path: object, tmp_path: object) -> None:
    program = ROOT / "build" / "sotto"
    if not program.exists():
        pytest.skip("build/sotto is not built")
    subprocess.run([program, "privatize", "-", "--model", str(model_path), "--epsilon", "2", "-o", f"{tmp_path}/out",
                    "--report", f"{tmp_path}/report.json", "--quiet"], input=b"the doctor came\n", check=True,
                   capture_output=True)
    theirs = json.load(open(f"{tmp_path}/report.json"))
    mine = sotto.Privatizer(private.mechanism)
    mine.privatize(["the doctor came"])
    assert set(mine.report) == set(theirs)
    for key in ("strength", "strength_reason", "largest_word_loss", "certified_epsilon", "expected_unchanged", "names"):
        assert mine.report[key] == theirs[key], key
    assert mine.report["released"] is None and len(theirs["released"]) == 1
    assert mine.report["counts"] == theirs["counts"] and mine.report["guarantee"] == theirs["guarantee"]
    assert "counts" not in mine.public_report and "worst_case_longest_document" not in mine.public_report


def test_strength_stands_beside_the_status(model: sotto.Model) -> None:
    found = {}
    for epsilon in (0.1, 1000):
        tem = sotto.Mechanism("tem", model, epsilon=epsilon)
        private = sotto.Privatizer(tem, warn_weak=False)
        texts = private.privatize(["the doctor"])
        assert tem.strength == private.strength == texts.report["strength"] == private.public_report["strength"]
        assert texts.report["status"] == "proven"
        found[epsilon] = tem.strength
    assert found == {0.1: "ok", 1000: "none"}
    assert sotto.VectorMechanism("privemb", dimension_in=4, dimension=2, epsilon=1).strength is None


def test_a_report_does_not_depend_on_what_was_certified(model: sotto.Model) -> None:
    tem = sotto.Mechanism("tem", model, epsilon=2)
    texts = sotto.Privatizer(tem).privatize(["the doctor"])
    before = sotto.Privatizer(tem).report
    certificate = sotto.certify(tem, again=True)
    assert sotto.Privatizer(tem).report == before
    assert before["certified_epsilon"] is None and before["largest_word_loss"]["kind"] == "proven bound"
    asked = sotto.Privatizer(tem, certify=True)
    assert asked.report["certified_epsilon"] == certificate.certified_epsilon
    assert asked.report["certified_largest_word_loss"] == certificate.largest_word_loss
    assert asked.report["largest_word_loss"] == before["largest_word_loss"]
    exact = sotto.Privatizer(sotto.Mechanism("tem", model, epsilon=2, calibration="exact"))
    assert exact.report["certified_epsilon"] is not None
    # The time of the release, not of the question.
    when = texts.report["released_at"]
    assert when.endswith("Z") and len(when) == 20 and before["released_at"] is None


def test_reports_of_a_call_and_of_all(tem: sotto.Mechanism) -> None:
    private = sotto.Privatizer(tem)
    first = private.privatize(["the doctor"])
    second = private.privatize(["tea", "cake"])
    assert first.report["counts"]["tokens"] == 2 and second.report["counts"]["documents"] == 2
    assert private.report["counts"]["documents"] == 3 and private.report["counts"]["tokens"] == 4


def test_options(tem: sotto.Mechanism) -> None:
    unknown = "qqqq is here"
    assert sotto.Privatizer(tem).status == "proven"
    masked = sotto.Privatizer(tem, unknown="mask")
    assert masked.privatize([unknown])[0].startswith("[unknown] ") and masked.status == "not_private"
    assert masked.report["status"] == "not_private"
    assert sotto.Privatizer(tem, unknown="keep").privatize([unknown])[0].startswith("qqqq ")
    assert sotto.Privatizer(tem, anchor="tea").anchor == "tea"
    assert "br" not in sotto.Privatizer(sotto.Mechanism("identity", tem.model), strip_html=True).privatize(["tea<br />cake"])[0]
    with pytest.raises(ValueError):
        sotto.Privatizer(tem, unknown="other")
    with pytest.raises(ValueError):
        sotto.Privatizer(tem, anchor="qqqq")
    with pytest.raises(TypeError):
        sotto.Privatizer("tem")  # type: ignore[arg-type]


def test_seeded(tem: sotto.Mechanism) -> None:
    texts = ["the doctor came late and said that it was fine"] * 3000
    one = sotto.Privatizer(tem, seed_not_private=5, threads=1)
    many = sotto.Privatizer(tem, seed_not_private=5, threads=3)
    first = one.privatize(texts)
    assert first == many.privatize(texts) and one.privatize(texts) != first
    assert one.status == "not_private" and one.report["status"] == "not_private"
    assert sotto.Privatizer(tem).privatize(texts) != sotto.Privatizer(tem).privatize(texts)


def test_a_weak_setting_is_said_once_before_the_first_release(model: sotto.Model) -> None:
    weak = sotto.Privatizer(sotto.Mechanism("identity", model))
    assert weak.expected_unchanged == 1
    with pytest.warns(sotto.WeakPrivacyWarning, match="100% of the words are expected to stay"):
        weak.privatize(["one"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weak.privatize(["one"])
        sotto.Privatizer(sotto.Mechanism("uniform", model)).privatize(["one"])
        sotto.Privatizer(weak.mechanism, warn_weak=False).privatize(["one"])


def test_a_worker_does_not_repeat_the_warning(model_path: pathlib.Path) -> None:
    weak = sotto.Privatizer(sotto.Mechanism("identity", sotto.Model.open(model_path)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(weak)).privatize(["one"])


def test_what_is_no_ledger_is_refused(tem: sotto.Mechanism) -> None:
    """g++ 12 freed the anchor twice here: a text longer than what a C++ string keeps inside itself."""
    with pytest.raises(TypeError, match="Ledger"):
        sotto.Privatizer(tem, anchor="a word of more than sixteen letters", ledger="none")  # type: ignore[arg-type]
