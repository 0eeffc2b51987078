"""Lifted features, the classifier of private texts, and evaluate, on small made-up texts."""
from __future__ import annotations

import json
import pickle
import random

import numpy as np
import pytest

import sotto

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from conftest import CANARY
from sotto import learn


class Made:
    """Texts of two or three topics, each with words of its own beside common ones, near in the vectors."""

    def __init__(self, classes: int = 2) -> None:
        rng = np.random.default_rng(1)
        self.words = [f"{'abc'[i // 20]}word{'abcdefghijklmnopqrst'[i % 20]}" for i in range(60)]
        centres = 3 * np.eye(3, 8)[np.arange(60) // 20]
        self.model = sotto.Model.from_words(
            self.words, (centres + rng.normal(size=(60, 8))).astype(np.float32), name="made")
        self.mechanism = sotto.Mechanism("tem", self.model, epsilon=2.5)
        self.random = random.Random(2)
        self.classes = classes
        self.public = self.texts(600)[0]
        self.clean, self.labels = self.texts(400)
        privatizer = sotto.Privatizer(self.mechanism, seed_not_private=3, warn_weak=False)
        self.private = privatizer.privatize(self.clean)
        self.test, self.test_labels = self.texts(300)
        self.private_test = list(privatizer.privatize(self.test))

    def texts(self, count: int) -> tuple[list[str], list[str]]:
        labels = [self.random.randrange(self.classes) for _ in range(count)]
        draw = self.random
        return [" ".join(draw.choice(self.words if draw.random() < 0.6 else self.words[20 * label:20 * label + 20])
                         for _ in range(15)) for label in labels], [f"class{label}" for label in labels]

    def classifier(self, **parameters):
        return learn.PrivateTextClassifier(self.mechanism, self.public, n_features=10, seed_not_private=4, **parameters)


@pytest.fixture(scope="module")
def made() -> Made:
    return Made()


pytestmark = pytest.mark.filterwarnings("ignore:there are only")


def test_lift_is_the_posterior_mean(made):
    law = np.stack([made.mechanism.law(word).probabilities for word in made.words])
    prior = {word: i + 1 for i, word in enumerate(made.words)}
    q = np.arange(1, 61) / np.arange(1, 61).sum()
    features = np.random.default_rng(0).normal(size=(60, 3))
    expected = (law.T @ (q[:, None] * features)) / (law.T @ q)[:, None]
    found = sotto.lift(features, made.mechanism, prior=prior)
    assert found.answer.closed_law and np.abs(found.features - expected).max() < 1e-10
    single = sotto.lift(features.astype(np.float32), made.mechanism, prior=prior)
    assert single.features.dtype == np.float32
    drawn = sotto.lift(features, made.mechanism, prior=prior, by_draws=True, draws=100_000, seed_not_private=1)
    assert 0 < drawn.answer.relative_error < 0.1
    with pytest.raises(ValueError, match="one row for each word"):
        sotto.lift(features[:-1], made.mechanism)
    with pytest.raises(ValueError, match="NaN"):
        sotto.lift(np.full((60, 1), np.nan), made.mechanism)


def test_learns_from_private_texts(made):
    fitted = made.classifier().fit(made.private, made.labels)
    assert list(fitted.classes_) == ["class0", "class1"]
    assert fitted.score(made.test, made.test_labels) > 0.9
    assert np.mean(fitted.predict(made.private_test, private=True) == made.test_labels) > 0.6
    chances = fitted.predict_proba(made.test)
    assert chances.shape == (300, 2) and np.allclose(chances.sum(axis=1), 1)
    assert "exact" in fitted.report() and "rehearse()" in fitted.report()


def test_rehearsal_chooses_settings_on_public_text(made):
    fitted = made.classifier(settings="rehearsal").fit(made.private, made.labels)
    found = fitted.rehearsal_
    assert len(found.rows) == 9 and found.best.clean_accuracy == max(row.clean_accuracy for row in found.rows)
    assert fitted.used_["penalty"] == found.best.penalty and "by direct training" in fitted.report()
    given = fitted.rehearse(public_labels=[text.count("aword") > 7 for text in made.public],
                            settings=[{"features": 5, "penalty": 0.01}])
    assert len(given.rows) == 1 and given.rows[0].features == 5 and given.tested == 300


def test_without_public_text_the_vectors_serve(made):
    fitted = learn.PrivateTextClassifier(made.mechanism, penalty=1e-2).fit(made.private, made.labels)
    assert fitted.score(made.test, made.test_labels) > 0.85
    with pytest.raises(ValueError, match="needs public_texts"):
        fitted.rehearse()


def test_several_classes(made):
    three = Made(classes=3)
    fitted = three.classifier().fit(three.private, three.labels)
    assert fitted.score(three.test, three.test_labels) > 0.85
    assert fitted.decision_function(three.test[:5]).shape == (5, 3)


def test_scikit_learn_conventions(made, tmp_path):
    for one in (made.classifier(), learn.PrivateTextFeatures(made.mechanism, made.public, n_features=10)):
        with pytest.warns(SkipTestWarning, match="requires input"):
            check_estimator(one)
    estimator = made.classifier(penalty=0.5)
    assert clone(estimator).get_params()["penalty"] == 0.5
    search = GridSearchCV(made.classifier(private=True), {"penalty": [1e-3, 1e-1]}, cv=2)
    assert search.fit(list(made.private), made.labels).best_params_["penalty"] in (1e-3, 1e-1)
    made.model.save(tmp_path / "made.sotto")
    kept = sotto.Mechanism("tem", sotto.Model.open(tmp_path / "made.sotto", cache=False), epsilon=2.5)
    fitted = learn.PrivateTextClassifier(kept, made.public, n_features=10).fit(made.private, made.labels)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict(made.test) == fitted.predict(made.test)).all()


def test_in_a_pipeline_with_the_privatizer(made):
    privatizer = sotto.TextPrivatizer("tem", made.model, epsilon=2.5)
    pipeline = make_pipeline(privatizer, learn.PrivateTextClassifier(privatizer, made.public, n_features=10,
                                                                     private=True))
    assert pipeline.fit(made.clean, made.labels).score(made.test, made.test_labels) > 0.6


def test_features_in_a_pipeline_and_a_grid_search(made):
    # Three classes and any classifier: the privatizer releases each text, and the search sees private texts only.
    three = Made(classes=3)
    privatizer = sotto.TextPrivatizer("tem", three.model, epsilon=2.5)
    features = learn.PrivateTextFeatures(privatizer, three.public, n_features=10, private=True)
    pipeline = Pipeline([("release", privatizer), ("features", features), ("classifier", LogisticRegression())])
    assert pipeline.fit(three.clean, three.labels).score(three.test, three.test_labels) > 0.45
    released = list(three.private)
    search = GridSearchCV(Pipeline(pipeline.steps[1:]), {"features__n_features": [2, 10], "classifier__C": [1, 100]},
                          cv=2).fit(released, three.labels)
    assert set(search.best_params_) == {"features__n_features", "classifier__C"}
    # The chosen pipeline was fitted on private texts and is for private texts; its steps also serve for clear ones.
    best = search.best_estimator_
    clear = best["classifier"].predict(best["features"].transform(three.test, private=False))
    assert np.mean(clear == three.test_labels) > np.mean(best.predict(three.private_test) == three.test_labels)


def test_features_for_regression(made):
    target = [text.count("aword") for text in made.clean]
    features = learn.PrivateTextFeatures(made.mechanism, made.public, n_features=10)
    model = Ridge(alpha=1e-3).fit(features.fit_transform(made.private), target)
    wanted = np.array([text.count("aword") for text in made.test])
    assert np.corrcoef(model.predict(features.transform(made.test)), wanted)[0, 1] > 0.8
    assert len(features.get_feature_names_out()) == 10


@pytest.mark.parametrize("fault, match", [
    (lambda made: made.classifier().fit(made.private, ["one"] * 400), "one class"),
    (lambda made: made.classifier().fit(made.private, [None] * 400), "400 are missing"),
    (lambda made: made.classifier().fit(made.private, made.labels[:-1]), "399 labels"),
    (lambda made: made.classifier().fit(CANARY, made.labels), "X takes several texts, and this is one str"),
    (lambda made: made.classifier().fit([CANARY, None], ["a", "b"]), r"text 1 \(counted from 0\) is missing"),
    (lambda made: made.classifier().fit([], []), "no texts"),
    (lambda made: made.classifier(fusion=0.25).fit(made.private, made.labels), "needs public_texts and public_labels"),
    (lambda made: made.classifier(fusion=-1).fit(made.private, made.labels), "must be 0"),
    (lambda made: made.classifier(public_labels=[CANARY] * 600).fit(made.private, made.labels), "the same classes"),
    (lambda made: made.classifier(public_labels=made.labels[:9], fusion=1).fit(made.private, made.labels), "9 labels"),
    (lambda made: learn.PrivateTextClassifier(made.mechanism, [CANARY] * 20).fit(made.private, made.labels), "20 public"),
    (lambda made: learn.PrivateTextClassifier(made.mechanism, [CANARY] * 90).fit(made.private, made.labels), "language"),
    (lambda made: learn.PrivateTextClassifier(made.mechanism, made.public[:1] * 90).fit(made.private, made.labels),
     "the same words"),
    (lambda made: learn.PrivateTextClassifier(sotto.Mechanism("tem", made.model, epsilon=1), made.public).fit(
        made.private, made.labels), "another setting of the parameters"),
])
def test_bad_input_is_refused_in_plain_words(made, fault, match):
    with pytest.raises((ValueError, TypeError), match=match) as caught:
        fault(made)
    assert CANARY not in str(caught.value)


def test_fusion_adds_a_classifier_of_public_texts(made):
    labels = ["class0" if text.count("aword") > text.count("bword") else "class1" for text in made.public]
    alone = made.classifier().fit(made.private, made.labels)
    fitted = made.classifier(public_labels=labels, fusion=0.25).fit(made.private, made.labels)
    assert fitted.score(made.test, made.test_labels) > 0.9 and "fusion: 0.25" in fitted.report()
    # As docs/learning.md defines it: what is added is linear in the share.
    double = made.classifier(public_labels=labels, fusion=0.5).fit(made.private, made.labels)
    scores = [one.decision_function(made.test) for one in (alone, fitted, double)]
    scale = np.std(alone.decision_function(made.public))
    assert np.allclose(scores[2] - scores[0] / scale, 2 * (scores[1] - scores[0] / scale))
    known = made.classifier(public_labels=labels, settings="rehearsal").fit(made.private, made.labels)
    assert "given labels" in known.report()


def test_warnings_about_public_texts(made):
    with pytest.warns(UserWarning, match="only 600 public texts"):
        learn.PrivateTextClassifier(made.mechanism, made.public, n_features=11).fit(made.private, made.labels)
    strange = [" ".join([text, *["unheard"] * 15]) for text in made.public]
    with pytest.warns(UserWarning, match="knows only 50% of the words"):
        learn.PrivateTextClassifier(made.mechanism, strange, n_features=10).fit(made.private, made.labels)


def test_a_release_with_another_report_is_refused(made, tmp_path):
    report = tmp_path / "report.json"
    report.write_text(json.dumps({**made.private.report, "mechanism": "laplace"}))
    with pytest.raises(ValueError, match="another mechanism"):
        made.classifier().fit(list(made.private), made.labels, report=report)
    report.write_text(json.dumps({**made.private.report, "model": {"identity": "0" * 64}}))
    with pytest.raises(ValueError, match="another model"):
        made.classifier().fit(list(made.private), made.labels, report=report)


def test_evaluate(made):
    found = learn.evaluate(made.clean, made.labels, epsilon=[1, 4], model=made.model, public_texts=made.public, draws=2,
                           max_drop=0.9, seed_not_private=1)
    assert found.trained == 300 and found.tested == 100 and len(found.rows) == 2
    assert found.rows[0].e_opt.value > found.rows[1].e_opt.value and found.chosen == 0
    assert found.rows[1].lifted.clear.mean > found.majority
    assert "data holder" in found.note


def test_the_attacker_of_evaluate_knows_no_unknown_words(made):
    """E_opt is that of `measure` with the counts of known words: naming the anchor does not guess an unknown word."""
    def e_opt(texts):
        return learn.evaluate(texts, made.labels, epsilon=2, model=made.model, public_texts=made.public, draws=1,
                              seed_not_private=1).rows[0].e_opt.value
    assert e_opt([f"{text} unheard unheard" for text in made.clean]) == pytest.approx(e_opt(made.clean), abs=1e-12)


def test_evaluate_chooses_by_the_better_learner(made):
    """Public texts without the words of the classes teach poor features; at epsilon 40 direct training loses nothing."""
    draw = random.Random(9)
    others = [" ".join(draw.choice(made.words[40:]) for _ in range(15)) for _ in range(60)]
    found = learn.evaluate(made.clean, made.labels, epsilon=40, model=made.model, public_texts=others, draws=1,
                           max_drop=0.02, seed_not_private=1)
    row = found.rows[0]
    assert row.lifted.clear.mean < found.clear_accuracy - 0.02 <= row.direct.clear.mean and found.chosen == 0
