"""One answer for every front end: for each question the JSON of the program and that of Python are the same."""
from __future__ import annotations

import json
import pathlib
import pickle
import re
import subprocess
from typing import Any

import numpy
import pytest

import sotto
from conftest import ROOT

PROGRAM = ROOT / "build" / "sotto"


@pytest.fixture()
def asked(model_path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the program on the small model, with an empty cache folder, and gives its JSON."""
    if not PROGRAM.exists():
        pytest.skip("build/sotto is not built")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def ask(*words: object, model: str = "--model", code: int = 0) -> Any:
        given = [str(word) for word in words]
        if model:
            given += [model, str(model_path)]
        done = subprocess.run([PROGRAM, *given, "--json"], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.fixture()
def own_model(model_path: pathlib.Path, tmp_path: pathlib.Path) -> sotto.Model:
    """With a cache folder of its own: what one front end keeps there must not answer for the other."""
    return sotto.Model.open(model_path, cache=tmp_path / "other_cache")


def test_mechanisms(asked: Any) -> None:
    theirs = asked("mechanisms", model="")
    assert [entry.to_dict() for entry in sotto.mechanisms()] == theirs["mechanisms"]
    assert [entry.to_dict() for entry in sotto.mechanisms("tem")] == asked("mechanisms", "tem", model="")["mechanisms"]


def test_models(asked: Any, model_path: pathlib.Path, own_model: sotto.Model) -> None:
    theirs = asked("model", "info", model_path, "--verify", model="")
    mine = own_model.info(verify=True).to_dict()
    assert pathlib.Path(theirs.pop("cache_folder")).name == pathlib.Path(mine.pop("cache_folder")).name
    assert mine == theirs


def test_verify(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    private = sotto.Privatizer(sotto.Mechanism("tem", own_model, epsilon=2), certify=True)
    private.privatize(["the doctor came late"])
    path = tmp_path / "report.json"
    path.write_text(json.dumps(private.report))
    mine = sotto.verify(path, own_model)
    assert mine.follows and mine.to_dict() == asked("verify", path)
    assert sotto.verify(private.public_report, own_model).follows
    forged = {**private.report, "certified_epsilon": 0.5}
    path.write_text(json.dumps(forged))
    mine = sotto.verify(forged, own_model)
    assert not mine.follows and mine.to_dict() == asked("verify", path, code=1)


def test_verify_of_a_released_file(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    (tmp_path / "in.txt").write_text("the doctor came late\n")
    asked("privatize", "in.txt", "--epsilon", 2, "-o", "out.txt", "--report", "report.json")
    mine = sotto.verify(tmp_path / "report.json", own_model, released=[tmp_path / "out.txt"])
    assert mine.follows and mine.to_dict() == asked("verify", "report.json", "--released", "out.txt")
    assert not sotto.verify(tmp_path / "report.json", own_model, released=[tmp_path / "in.txt"]).follows


@pytest.mark.parametrize("calibration", ["paper", "exact", "flat"])
def test_certify(asked: Any, own_model: sotto.Model, calibration: str) -> None:
    theirs = asked("certify", "--epsilon", 2, "--calibration", calibration)
    tem = sotto.Mechanism("tem", own_model, epsilon=2, calibration=calibration)
    assert sotto.certify(tem).to_dict() == theirs and tem.certificate is not None
    assert tem.certificate.to_dict() == theirs
    theirs = asked("certify", "--epsilon", 2, "--calibration", calibration, "--verify")
    assert sotto.certify(tem, verify=True).verification.agrees == theirs["verification"]["agrees"] is True


def test_certify_of_what_no_epsilon_bounds(asked: Any, own_model: sotto.Model) -> None:
    mine = sotto.certify(sotto.Mechanism("identity", own_model))
    assert mine.to_dict() == asked("certify", "--mechanism", "identity") and mine["certified_epsilon"] is None


def test_certify_vectors(asked: Any, own_model: sotto.Model) -> None:
    theirs = asked("certify", "--mechanism", "privemb", "--epsilon", 5, "--dimension", 6, "--sensitivity", "spectral")
    mine = sotto.certify(sotto.VectorMechanism("privemb", model=own_model, epsilon=5, dimension=6, sensitivity="spectral"))
    for key in ("certified_epsilon", "holds", "spectral_stretch", "vocabulary_stretch", "sensitivity"):
        assert mine[key] == theirs[key], key
    with pytest.raises(ValueError, match="model"):
        sotto.certify(sotto.VectorMechanism("privemb", dimension_in=20, epsilon=5, dimension=6))


@pytest.mark.parametrize("setting", [{"mechanism": "tem", "epsilon": 2}, {"mechanism": "santext", "epsilon": 5},
                                     {"mechanism": "tem", "epsilon": 2, "calibration": "exact"}])
def test_explain(asked: Any, own_model: sotto.Model, setting: dict[str, Any]) -> None:
    flags = [word for name, value in setting.items() for word in (f"--{name}", value)]
    mechanism = sotto.Mechanism(setting.pop("mechanism"), own_model, **setting)
    for word in ("doctor", "Doctor", "qqqq"):
        assert sotto.explain(word, mechanism).to_dict() == asked("explain", word, *flags)
    assert sotto.explain("qqqq", mechanism, unknown_word="tea", top=0).to_dict() == \
        asked("explain", "qqqq", "--unknown-word", "tea", "--top", 0, *flags)


def test_audit(asked: Any, own_model: sotto.Model) -> None:
    theirs = asked("audit", "--mechanism", "laplace", "--epsilon", 5, "--pairs", 4, "--draws", 2000, "--deniability", 5,
                   "--pair", "doctor,nurse", "--seed-not-private", 3)
    mine = sotto.audit(sotto.Mechanism("laplace", own_model, epsilon=5), pairs=4, draws=2000, deniability=5,
                       pair=[("doctor", "nurse")], seed_not_private=3)
    assert mine.to_dict() == theirs and mine.verdict == "pass"


def test_measure(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    tem = sotto.Mechanism("tem", own_model, epsilon=2)
    assert sotto.measure(tem, copies=2, seed_not_private=1).to_dict() == \
        asked("measure", "--epsilon", 2, "--copies", 2, "--seed-not-private", 1)
    (tmp_path / "labels.tsv").write_text("good\tyes\ngreat\tyes\nbad\tno\nawful\tno\n")
    (tmp_path / "words.txt").write_text("good\ngreat\nbad\nawful\n")
    labels = {"good": "yes", "great": "yes", "bad": "no", "awful": "no"}
    theirs = asked("measure", "--epsilon", 2, "--labels", "labels.tsv", "--words", "words.txt", "--copies", 0)
    assert sotto.measure(tem, labels=labels, words=list(labels), copies=0).to_dict() == theirs
    laplace = sotto.Mechanism("laplace", own_model, epsilon=5)
    assert sotto.measure(laplace, prior="uniform", draws=5000, copies=0, seed_not_private=4).to_dict() == \
        asked("measure", "--mechanism", "laplace", "--epsilon", 5, "--prior", "uniform", "--draws", 5000, "--copies", 0,
              "--seed-not-private", 4)


def test_tune(asked: Any, own_model: sotto.Model) -> None:
    theirs = asked("tune", "--max-loss", 0.9, "--mechanisms", "tem", "--prior", "uniform")
    mine = sotto.tune(own_model, max_loss=0.9, mechanisms=["tem"], prior="uniform").to_dict()
    assert mine["recommended"] is not None and mine == _without(theirs, "command")


def test_tune_as_printed(asked: Any, own_model: sotto.Model) -> None:
    theirs = asked("tune", "--algorithm", "paper", "--max-loss", 0.7, "--prior", "uniform", "--draws", 4096,
                   "--first-epsilon", 0.5)
    mine = sotto.tune(own_model, algorithm="paper", max_loss=0.7, prior="uniform", draws=4096, first_epsilon=0.5).to_dict()
    assert mine["recommended"] is not None and mine["algorithm_notes"] and mine == _without(theirs, "command")


def test_tune_by_a_task(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    (tmp_path / "in.txt").write_text("the doctor came late\n" * 20)
    (tmp_path / "settings.txt").write_text("tem --epsilon 1,2\nlaplace --epsilon 4\n")
    program = "command:sh -c 'echo 0.0$(grep -c doctor \"$1\")' sh"
    theirs = asked("tune", "--candidates", "settings.txt", "--loss", program, "--input", "in.txt", "--max-loss", 0.5,
                   "--draws", 4096, "--seed-not-private", 3)
    settings = [("tem", {"epsilon": 1}), ("tem", {"epsilon": 2}), ("laplace", {"epsilon": 4})]
    mine = sotto.tune(own_model, candidates=settings, loss=program, input=tmp_path / "in.txt", max_loss=0.5, draws=4096,
                      seed=3).to_dict()
    assert mine["seeded_copies"] and mine == _without(theirs, "command")


def test_measure_by_density(asked: Any, own_model: sotto.Model) -> None:
    tem = sotto.Mechanism("tem", own_model, epsilon=2)
    mine = sotto.measure(tem, copies=0, bands="density", seed_not_private=1).to_dict()
    assert [band["name"] for band in mine["bands"]] == ["all", "densest", "dense", "medium", "sparse", "sparsest"]
    assert mine == asked("measure", "--epsilon", 2, "--copies", 0, "--bands", "density", "--seed-not-private", 1)


def test_privatize(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    """The texts, and the report of a release, but for what files alone have and for the time."""
    text = "The doctor was kind to qqqq, and the tea was cold!"
    (tmp_path / "in.txt").write_text(text + "\n")
    asked("privatize", "in.txt", "--epsilon", 2, "-o", "out.txt", "--report", "report.json", "--seed-not-private", 7)
    private = sotto.Privatizer(sotto.Mechanism("tem", own_model, epsilon=2), seed_not_private=7)
    texts = private.privatize([text])
    assert texts[0] + "\n" == (tmp_path / "out.txt").read_text()
    theirs = json.loads((tmp_path / "report.json").read_text())
    assert set(texts.report) == set(theirs)
    of_files = {"released", "released_at", "settings", "leaks"}
    assert {key: value for key, value in texts.report.items() if key not in of_files} == \
        {key: value for key, value in theirs.items() if key not in of_files}
    assert texts.report["settings"].items() <= theirs["settings"].items()
    assert set(texts.report["leaks"]) <= set(theirs["leaks"])


def test_vectors(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    rows = numpy.random.default_rng(1).normal(size=(700, 20))
    numpy.save(tmp_path / "in.npy", rows)
    theirs = asked("vectors", "in.npy", "--epsilon", 5, "--dimension", 6, "-o", "out.npy", "--seed-not-private", 7, model="")
    mine = sotto.VectorMechanism("privemb", dimension_in=20, dimension=6, epsilon=5)
    assert numpy.array_equal(mine.release(rows, seed_not_private=7), numpy.load(tmp_path / "out.npy"))
    assert (mine.name, mine.parameters, mine.guarantee) == (theirs["mechanism"], theirs["parameters"], theirs["guarantee"])


def _without(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {name: _without(part, key) for name, part in value.items() if name != key}
    return [_without(part, key) for part in value] if isinstance(value, list) else value


def _untimed(answer: Any) -> Any:
    """What an attack says besides the time that it took."""
    assert answer["processor_seconds"].keys() == {"attack", "fit"}
    return _without(answer, "processor_seconds")


def test_attack(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    public = ["the doctor came late", "the nurse came late", "the doctor was late"] * 10
    texts = ["the doctor came late", "the nurse was late"]
    (tmp_path / "public.txt").write_text("\n".join(public) + "\n")
    (tmp_path / "sample.txt").write_text("\n".join(texts) + "\n")
    theirs = asked("lm", "train", "public.txt", "-o", "theirs.lm", "--order", 2)
    mine = sotto.train_language_model(public, own_model, tmp_path / "mine.lm", order=2)
    assert mine.to_dict() == theirs
    assert (tmp_path / "mine.lm").read_bytes() == (tmp_path / "theirs.lm").read_bytes()
    tem = sotto.Mechanism("tem", own_model, epsilon=2)
    own = sotto.attack(texts, tem, prior=tmp_path / "mine.lm", seed_not_private=3)
    assert _untimed(own.to_dict()) == _untimed(
        asked("attack", "sample.txt", "--epsilon", 2, "--prior", "theirs.lm", "--seed-not-private", 3))
    released = ["the doctor was late", "the doctor came late"]
    (tmp_path / "released.txt").write_text("\n".join(released) + "\n")
    own = sotto.attack(texts, tem, prior=tmp_path / "mine.lm", released=released, seed_not_private=3)
    assert _untimed(own.to_dict()) == _untimed(
        asked("attack", "sample.txt", "--private", "released.txt", "--epsilon", 2, "--prior", "theirs.lm",
              "--seed-not-private", 3))


def test_attack_on_labels(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    texts = ["the doctor came late", "the nurse came soon"] * 30
    labels = ["late", "soon"] * 30
    (tmp_path / "sample.csv").write_text("text,when\n" + "".join(f"{a},{b}\n" for a, b in zip(texts, labels)))
    for name in ("late", "soon"):
        (tmp_path / f"{name}.txt").write_text(name + "\n")
    lexicon = [f"{name}={name}.txt" for name in ("late", "soon")]
    sotto.train_language_model(texts, own_model, tmp_path / "public.lm", order=2)
    mine = sotto.attack(texts, sotto.Mechanism("tem", own_model, epsilon=2), prior=tmp_path / "public.lm", labels=labels,
                        lexicon=lexicon, seed_not_private=3)
    theirs = asked("attack", "sample.csv", "--column", "text", "--label-column", "when", "--labels", lexicon[0], "--labels",
                   lexicon[1], "--epsilon", 2, "--prior", "public.lm", "--seed-not-private", 3)
    assert _untimed(mine.to_dict()) == _untimed(theirs) and mine.labels is not None


def test_attack_without_a_prior(asked: Any, own_model: sotto.Model) -> None:
    tem = sotto.Mechanism("tem", own_model, epsilon=2)
    with pytest.raises(OSError, match="sotto lm fetch"):
        sotto.attack(["the doctor came late"], tem)


def test_attack_result(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    texts = ["the doctor came late", "the nurse was late"]
    (tmp_path / "in.txt").write_text("\n".join(texts) + "\n")
    sotto.train_language_model(texts * 10, own_model, tmp_path / "public.lm", order=2)
    tem = sotto.Mechanism("tem", own_model, epsilon=2)
    answer = sotto.attack(texts, tem, prior=tmp_path / "public.lm", seed_not_private=3)
    (tmp_path / "attack.json").write_text(answer.to_json())
    asked("privatize", "in.txt", "--epsilon", 2, "-o", "out.txt", "--report", "report.json", "--attack-result",
          "attack.json")
    theirs = json.loads((tmp_path / "report.json").read_text())
    for given in (answer, answer.to_dict(), answer.to_json()):
        private = sotto.Privatizer(tem, attack_result=given)
        private.privatize(texts)
        assert private.report["attack"] == theirs["attack"]
        assert "attack" not in private.public_report
    assert pickle.loads(pickle.dumps(private)).options["attack_result"] == answer.to_json()
    with pytest.raises(ValueError, match="attack"):
        sotto.Privatizer(sotto.Mechanism("tem", own_model, epsilon=3), attack_result=answer)


def test_ledger(asked: Any, own_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    """One file for both, each reading what the other wrote."""
    (tmp_path / "in.txt").write_text("the doctor was very kind")
    who = ("--subject", "patient-17", "--document", "letter-1", "--document-budget", 4)
    asked("privatize", "in.txt", "--epsilon", 2, "-o", "out.txt", "--allow-weak", "--ledger", "ledger.db", *who)
    ledger = sotto.Ledger("ledger.db", document_budget=4)
    private = sotto.Privatizer(sotto.Mechanism("tem", own_model, epsilon=2), ledger=ledger, warn_weak=False)
    private.privatize(["the movie was great"], subject="patient-17", documents=["letter-1"])
    theirs = asked("ledger", "show", "ledger.db", "--document-budget", 4, model="")
    assert ledger.show().to_dict() == theirs
    assert sorted(row["spent"] for row in theirs["accounts"]) == ["18.000000", "4.000000"]
    for name, flag in (("patient-17", "subject"), ("letter-1", "document"), ("nobody", "subject")):
        assert ledger.show(**{flag: name}).to_dict() == \
            asked("ledger", "show", "ledger.db", f"--{flag}", name, "--document-budget", 4, model="")
    head = ledger.head()
    assert head.to_dict() == asked("ledger", "head", "ledger.db", model="")
    assert ledger.verify(head).to_dict() == asked("ledger", "verify", "ledger.db", "--head", head.head, model="")
    done = subprocess.run([PROGRAM, "ledger", "export", "ledger.db"], capture_output=True, text=True, check=True)
    assert [entry.to_dict() for entry in ledger.export()] == [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("mechanism", ["tem", "laplace"])
@pytest.mark.parametrize("given", [{}, {"epsilon": "-1"}])
def test_the_epsilon_that_is_proposed(
    model_path: pathlib.Path, own_model: sotto.Model, mechanism: str, given: dict[str, Any]
) -> None:
    """By the forecast of the mechanism on the model: the same words, in each front end's terms."""
    flags = [word for name, value in given.items() for word in (f"--{name}", value)]
    line = [PROGRAM, "explain", "good", "--mechanism", mechanism, "--model", str(model_path), *flags]
    said = subprocess.run(line, capture_output=True, text=True)
    assert said.returncode == 2
    with pytest.raises(ValueError) as raised:
        sotto.Mechanism(mechanism, own_model, **given)
    as_flags = str(raised.value).replace("`epsilon=`", "--epsilon").replace("`epsilon=", "--epsilon ")
    assert said.stderr == f"sotto: {as_flags.replace('`,', ',')}\n"
    number = re.search(r"try `epsilon=([0-9.]+)`, with which about half of the words stay", str(raised.value))
    assert number is not None
    built = sotto.Mechanism(mechanism, own_model, epsilon=float(number[1]))
    assert 0.1 < sotto.Privatizer(built).expected_unchanged < 0.8
    with pytest.raises(ValueError, match=re.escape(number[0])):
        sotto.TextPrivatizer(mechanism=mechanism, model=own_model, **given).fit(["good"])
