"""The spaCy component."""

import pickle
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, entry_points, version

import pytest

spacy = pytest.importorskip("spacy")


import sotto.spacy

TEXT = "The doctor called; she was kind."


@pytest.fixture
def nlp(model_path):
    language = spacy.blank("en")
    language.add_pipe("sotto", config={"mechanism": "tem", "epsilon": 0.5, "model": str(model_path)})
    return language


def test_doc_keeps_its_text_and_gets_a_private_one(nlp):
    doc = nlp(TEXT)
    assert doc.text == TEXT
    assert doc._.private_text != TEXT and doc._.private_text.endswith(".") and ";" in doc._.private_text
    private = sotto.spacy.private_doc(doc, nlp)
    assert private.text == doc._.private_text and private is not doc
    # Nothing of the clear document may travel with the private one.
    assert b"doctor called" not in private.to_bytes() and private._.private_text is None


def test_a_doc_without_private_text_is_refused(nlp):
    with pytest.raises(ValueError, match="no private text"):
        sotto.spacy.private_doc(nlp.make_doc(TEXT), nlp)


def test_batches_keep_order(nlp):
    texts = [f"{'very ' * number}good." for number in range(50)]
    docs = list(nlp.pipe(texts, batch_size=7))
    assert [doc.text for doc in docs] == texts
    assert [len(doc._.private_text.split()) for doc in docs] == [number + 1 for number in range(50)]


def test_two_processes_do_not_repeat_noise(nlp):
    nlp(TEXT)  # the model is open and noise was drawn before the fork
    docs = list(nlp.pipe([TEXT] * 60, n_process=2, batch_size=10))
    assert len(docs) == 60 and len({doc._.private_text for doc in docs}) == 60


def test_configuration_is_saved_and_the_noise_is_not(nlp, tmp_path):
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    config = again.get_pipe_config("sotto")
    assert config["epsilon"] == 0.5 and config["mechanism"] == "tem"
    assert again(TEXT)._.private_text != nlp(TEXT)._.private_text
    component = pickle.loads(pickle.dumps(nlp.get_pipe("sotto")))
    assert component.configuration == nlp.get_pipe("sotto").configuration
    # A process that never imported sotto finds the component by the entry point of the installed package.
    known = entry_points(group="spacy_factories")
    first = "" if "sotto" in known.names else "import sotto.spacy; "
    assert not first or not installed(), "the package is installed without its entry point"
    code = f"{first}import spacy; print(spacy.load({str(tmp_path / 'pipeline')!r})({TEXT!r})._.private_text)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout.strip().endswith("."), run.stderr


def installed():
    try:
        return bool(version("sotto"))
    except PackageNotFoundError:
        return False  # run from the source tree


def test_other_parameters_go_by_name(model_path):
    language = spacy.blank("en")
    config = {
        "mechanism": "vickrey",
        "epsilon": 5,
        "model": str(model_path),
        "parameters": {"t": [0.5, 0.25]},
    }
    pipe = language.add_pipe("sotto", config=config)
    assert pipe.configuration.privatizer().mechanism.parameters["t"] == "0.5,0.25"


@pytest.mark.parametrize(
    ("config", "error"),
    [
        ({"epsilon": -1}, ValueError),
        ({}, ValueError),
        ({"mechanism": "no such", "epsilon": 1}, KeyError),
        ({"epsilon": 1, "parameters": {"epsilom": 1}}, ValueError),
    ],
)
def test_the_engine_judges_when_the_pipe_is_added(model_path, config, error):
    with pytest.raises(error):
        spacy.blank("en").add_pipe("sotto", config={"model": str(model_path), **config})
