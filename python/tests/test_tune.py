from __future__ import annotations

import json
import pathlib

import pytest

import sotto


def test_recommendation_keeps_the_bound(small_model: sotto.Model) -> None:
    found = sotto.tune(small_model, max_loss=0.5, mechanisms=["tem"], prior="uniform")
    best = found.recommended
    assert best is not None and best.mechanism == "tem" and best.status == "proven"
    figure = best.figures["loss_changed"]
    assert figure.interval is not None and figure.interval[1] <= 0.5
    built = best.build(small_model)
    again = sotto.measure(built, prior="uniform", copies=0)
    assert again.loss_changed.value == pytest.approx(figure.value, rel=1e-9)
    assert best in found.points and json.dumps(found.to_dict())


def test_candidates_and_nothing_fits(small_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    settings = [("tem", {"epsilon": 1}), ("santext", {"epsilon": 2.5}), ("uniform", {})]
    found = sotto.tune(small_model, candidates=settings, max_loss=0.0001, resume=tmp_path / "kept.json")
    assert len(found.points) == 3 and found.recommended is None and found.nearest is not None
    assert (tmp_path / "kept.json").exists()
    again = sotto.tune(small_model, candidates=settings, max_loss=0.0001, resume=tmp_path / "kept.json")
    assert again.points == found.points


def test_labels_and_refusals(model: sotto.Model) -> None:
    labels = {"good": "yes", "great": "yes", "bad": "no", "awful": "no"}
    found = sotto.tune(model, labels=labels, words=list(labels), candidates=[("tem", {"epsilon": 3})])
    assert found.loss.name == "label"
    with pytest.raises(ValueError, match="labels"):
        sotto.tune(model, loss="label")
    with pytest.raises(ValueError, match="loss"):
        sotto.tune(model, loss="other")
    with pytest.raises(ValueError):
        sotto.tune(model, mechanisms=["no-such"])
    with pytest.raises(ValueError, match="truncated-gumbel cannot be recommended"):
        sotto.tune(model, mechanisms=["tem", "truncated-gumbel"], max_loss=0.5)


def test_paper_algorithm(small_model: sotto.Model) -> None:
    found = sotto.tune(small_model, max_loss=0.5, algorithm="paper", draws=4096, first_epsilon=0.5)
    best = found.recommended
    assert best is not None and best.mechanism == "vickrey" and found.algorithm == "paper"
    allowed = [point for point in found.points
               if point.nominal_epsilon == best.nominal_epsilon and point.figures["loss_changed"].value <= 0.5]
    errors = [point.figures["e_post"].bracket[0] for point in allowed]  # type: ignore[index]
    assert best.figures["e_post"].bracket is not None and best.figures["e_post"].bracket[0] == max(errors)
    assert any("plug-in" in note for note in found.algorithm_notes)
    with pytest.raises(ValueError, match="max_loss"):
        sotto.tune(small_model, algorithm="paper")
    with pytest.raises(ValueError, match="algorithm"):
        sotto.tune(small_model, algorithm="other")


SETTINGS = [("tem", {"epsilon": 1}), ("vickrey", {"epsilon": 1, "t": 0.5})]
CANARY = "zanzibarcanary"


def test_loss_of_a_function(small_model: sotto.Model) -> None:
    texts = ["w1 w2", f"w3 {CANARY}"]
    seen: list[list[str]] = []

    def loss(private: list[str]) -> float:
        seen.append(private)
        return 0.25 * len(seen)

    found = sotto.tune(small_model, candidates=SETTINGS, texts=texts, loss=loss, max_loss=0.3)
    assert [point.figures["loss_task"].value for point in found.points] == [0.25, 0.5]
    assert len(seen) == 2 and all(len(private) == 2 and CANARY not in " ".join(private) for private in seen)
    assert found.loss.name == "task" and found.recommended is not None and found.recommended.mechanism == "tem"
    assert not found.seeded_copies


def test_loss_of_a_copy(small_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    (tmp_path / "in.csv").write_text(f"label,text\nyes,w1 w2\nno,w3 {CANARY}\n")
    seen: list[tuple[str, str]] = []

    def loss(path: str) -> float:
        seen.append((path, pathlib.Path(path).read_text()))
        return 0.5

    sotto.tune(small_model, candidates=SETTINGS, input=tmp_path / "in.csv", reading={"column": "text"}, loss=loss)
    assert len(seen) == 2
    for path, text in seen:
        assert path.endswith(".csv") and not pathlib.Path(path).exists()
        assert text.startswith("label,text\nyes,") and CANARY not in text
    program = "command:sh -c 'test -r \"$1\" && echo 0.75' sh"
    found = sotto.tune(small_model, candidates=SETTINGS, input=tmp_path / "in.csv", reading={"column": "text"},
                       loss=program)
    assert [point.figures["loss_task"].value for point in found.points] == [0.75, 0.75]


def test_faults_of_a_task(small_model: sotto.Model, tmp_path: pathlib.Path) -> None:
    (tmp_path / "in.txt").write_text(f"w1 {CANARY}\n")

    def fails(_: object) -> float:
        raise RuntimeError("my own fault")

    with pytest.raises(RuntimeError, match="my own fault"):
        sotto.tune(small_model, candidates=SETTINGS, input=tmp_path / "in.txt", loss=fails)
    with pytest.raises(TypeError, match="must return a number"):
        sotto.tune(small_model, candidates=SETTINGS, texts=["w1"], loss=lambda _: CANARY)  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="not from 0 to 1"):
        sotto.tune(small_model, candidates=SETTINGS, texts=["w1"], loss=lambda _: 1.5)
    with pytest.raises(TypeError, match="str or a function"):
        sotto.tune(small_model, loss=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="input="):
        sotto.tune(small_model, loss="command:./task")
    with pytest.raises(ValueError, match="resume="):
        sotto.tune(small_model, texts=["w1"], loss=lambda _: 0.5, resume=tmp_path / "points.json")
    for program in ("cat", "echo 2 #", "false", "sleep 60 #"):
        with pytest.raises(OSError, match="the program of") as fault:
            sotto.tune(small_model, candidates=SETTINGS, input=tmp_path / "in.txt", loss=f"command:{program}",
                       loss_timeout=0.5)
        assert CANARY not in str(fault.value)
