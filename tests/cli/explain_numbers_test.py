#!/usr/bin/env python3
"""`sotto explain` against the numbers of docs/specification.md section 4, and against draws made by `privatize`."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

SOTTO = sys.argv[1]
LINE = "zero 0\none 1\ntwo 2.5\nfour 4\n"  # W = {0, 1, 2.5, 4} on a line; a zero vector is legal
ROW_0 = {"zero": .4930065201, "one": .2990235699, "two": .1412487329, "four": .0667211770}
CERTIFIED = {"inf": .631857358923, "2": .543642618957, ".5": .25}


def sotto(*arguments):
    done = subprocess.run([SOTTO, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def explain(word, *arguments):
    return json.loads(sotto("explain", word, "--json", "--top", "0", *arguments))


def row(answer):
    return {output["word"]: output["p"] for output in answer["outputs"]}


def check_exact(model):
    answer = explain("zero", "--model", model, "--mechanism", "tem", "--epsilon", "1", "--gamma", "inf")
    assert list(answer)[:2] == ["schema", "sotto_version"], list(answer)
    assert answer["nominal_epsilon"] == 1 and answer["mechanism"] == "tem" and answer["word"] == "zero"
    assert "estimated" not in answer and "unknown" not in answer
    for word, p in row(answer).items():
        assert abs(p - ROW_0[word]) < 1e-9, (word, p)
    assert [output["word"] for output in answer["outputs"]] == ["zero", "one", "two", "four"]
    for gamma, expected in CERTIFIED.items():
        answer = explain("zero", "--model", model, "--epsilon", "1", "--gamma", gamma)
        certified, additive = answer["certified_epsilon"], answer["additive_loss"]
        assert abs(certified - expected) < 2e-9 and 0 < additive < 1e-8, (gamma, certified, additive)
        # The loss is at most certified * d + additive, and no two words are nearer than 1.
        assert certified + additive >= expected - 1e-12, "a certificate is an upper bound"


def check_unknown(model):
    answer = explain("elephant", "--model", model, "--epsilon", "1", "--unknown-word", "four")
    assert answer["unknown"] is True and answer["word"] == "elephant" and answer["explained_as"] == "four"
    assert row(answer) == row(explain("four", "--model", model, "--epsilon", "1"))


def check_estimated(model):
    """laplace on a line has a known law: the middles between words cut a two-sided exponential."""
    draws = 20000
    answer = explain("zero", "--model", model, "--mechanism", "laplace", "--epsilon", "1", "--draws", str(draws))
    assert answer["estimated"] is True and answer["draws"] == draws and answer["certified_epsilon"] is None
    tails = [math.exp(-cut) / 2 for cut in (.5, 1.75, 3.25)]
    law = {"zero": 1 - tails[0], "one": tails[0] - tails[1], "two": tails[1] - tails[2], "four": tails[2]}
    for output in answer["outputs"]:
        p = law[output["word"]]
        # 6 standard deviations: a false alarm in 10^8 runs.
        assert abs(output["p"] - p) < 6 * math.sqrt(p * (1 - p) / draws), (output, p)
        assert 0 <= output["low"] < output["p"] < output["high"] <= 1


def check_draws(model, folder):
    """One word per line in, one word per line out, with the law that explain shows."""
    lines = 20000
    source = pathlib.Path(folder) / "zeros.txt"
    source.write_text("zero\n" * lines, encoding="utf-8")
    out = sotto("privatize", source, "--model", model, "--epsilon", "1", "--gamma", "inf", "--seed-not-private", "7")
    words = out.split("\n")
    assert words.pop() == "" and len(words) == lines and set(words) <= set(ROW_0)
    chi_squared = sum((words.count(word) - lines * p) ** 2 / (lines * p) for word, p in ROW_0.items())
    # Seeded, so it passes always or never; 3 degrees of freedom: above 27 with probability 6e-6.
    assert chi_squared < 27, chi_squared


def that_is(word, *arguments):
    """The row `that is` of the text, on one line."""
    text = sotto("explain", word, "--draws", "100", *arguments)
    lines = text[text.index("that is"):].split("\n\n")[0].split("estimated")[0].split()
    return " ".join(lines[2:])


def check_odds(model, plane):
    """Each mechanism's own norm, or the computed loss, or no bound. On the plane x has variance 100 and y 1."""
    s = [.8 + .2 * 2 * 100 / 101, .8 + .2 * 2 * 1 / 101]  # lambda 0.2, Sigma / mean variance
    for mechanism in (["mahalanobis"], ["vickrey", "--noise", "mahalanobis"]):
        found = explain("a", "--model", plane, "--epsilon", "1.5", "--draws", "100", "--mechanism", *mechanism)
        bound = found["loss_bound"]
        assert bound["basis"] == "theorem" and bound["nearest"]["word"] == "b", bound
        # a and b differ by 2 along y, where the noise is short: more than epsilon times the Euclidean distance.
        assert abs(bound["nearest"]["loss"] - 1.5 * 2 / math.sqrt(s[1])) < 1e-5, bound
        assert bound["nearest"]["loss"] > 1.5 * bound["nearest"]["distance"] * 1.1
        text = that_is("a", "--model", plane, "--epsilon", "1.5", "--mechanism", *mechanism)
        factor = float(text.split("by a factor of at most ")[1].split(",")[0])
        assert math.exp(bound["nearest"]["loss"]) <= factor <= 1.01 * math.exp(bound["nearest"]["loss"]), text
    for arguments in (["vickrey", "--exclude-input", "--epsilon", "1.5"],):
        text = that_is("a", "--model", plane, "--mechanism", *arguments)
        assert text.startswith("no bound") and "factor" not in text, text
        assert explain("a", "--model", plane, "--draws", "9", "--mechanism", *arguments)["loss_bound"]["basis"] == "none"
    text = that_is("zero", "--model", model, "--mechanism", "identity")
    assert "without limit" in text and "factor" not in text, text
    answer = explain("zero", "--model", model, "--mechanism", "truncated-gumbel", "--epsilon", "20")
    assert answer["loss_bound"]["basis"] == "law", answer["loss_bound"]
    other = row(explain("one", "--model", model, "--mechanism", "truncated-gumbel", "--epsilon", "20"))
    loss = max(abs(math.log(p / other[word])) for word, p in row(answer).items())
    assert abs(loss - answer["loss_bound"]["nearest"]["loss"]) < 1e-9, (loss, answer["loss_bound"])
    for mechanism in ("uniform", "redact"):
        bound = explain("zero", "--model", model, "--mechanism", mechanism)["loss_bound"]
        assert bound["nearest"]["loss"] == 0 and bound["typical"]["loss"] == 0, bound
        assert "by a factor of at most 1," in that_is("zero", "--model", model, "--mechanism", mechanism)
    bound = explain("zero", "--model", model, "--mechanism", "laplace", "--epsilon", "2", "--draws", "9")["loss_bound"]
    assert abs(bound["nearest"]["loss"] - 2) < 1e-5 and abs(bound["typical"]["loss"] - 5) < 1e-5, bound


with tempfile.TemporaryDirectory(prefix="sotto-explain-") as temporary:
    vectors = pathlib.Path(temporary) / "line.txt"
    vectors.write_text(LINE, encoding="utf-8")
    line_model = str(pathlib.Path(temporary) / "line.sotto")
    sotto("model", "import", vectors, "-o", line_model)
    check_exact(line_model)
    check_unknown(line_model)
    check_estimated(line_model)
    check_draws(line_model, temporary)
    corners = pathlib.Path(temporary) / "plane.txt"
    corners.write_text("a 10 1\nb 10 -1\nc -10 1\nd -10 -1\n", encoding="utf-8")
    plane_model = str(pathlib.Path(temporary) / "plane.sotto")
    sotto("model", "import", corners, "-o", plane_model)
    check_odds(line_model, plane_model)
print("explain agrees with the numbers")
