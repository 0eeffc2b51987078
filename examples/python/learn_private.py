#!/usr/bin/env python3
"""From a clean CSV to a private CSV to a classifier, in two minutes: direct and lifted training side by side.

The data holder privatises the reviews and hands out the private CSV with its labels. The learner has that file,
public reviews without labels, and the public model. Without --data the reviews are the invented ones of
scripts/make_reviews.py.

    learn_private.py [--data TSV] [--model FILE] [--rows N] [--epsilon E]

A TSV has columns `label` (0 or 1) and `text`; .gz and .xz are read as they are.
"""

import argparse
import pathlib
import tempfile

import numpy as np
import pandas as pd
import sotto
from classify import read_reviews
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sotto.learn import PrivateTextClassifier


def small_model(path: str | None, words: int = 10_000) -> sotto.Model:
    """The most frequent words: enough for reviews, and the lift takes seconds."""
    model = sotto.Model.open(path) if path else sotto.Model.default()
    return sotto.Model.from_words(model.words[:words], np.ascontiguousarray(model.vectors[:words]), name="frequent")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--model", help="a .sotto file; the default model if not given")
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--epsilon", type=float, default=2.5)
    arguments = parser.parse_args()

    reviews = read_reviews(arguments).reset_index(drop=True)
    part = np.arange(len(reviews)) % 3
    holder, public, test = (reviews[part == number] for number in range(3))
    mechanism = sotto.Mechanism("tem", small_model(arguments.model), epsilon=arguments.epsilon)

    with tempfile.TemporaryDirectory() as folder:
        # The data holder: one release, kept.
        path = pathlib.Path(folder) / "private.csv"
        privatizer = sotto.Privatizer(mechanism, strip_html=True)
        holder.assign(text=list(privatizer.privatize(list(holder["text"])))).to_csv(path, index=False)
        # The learner: the private CSV, public texts and the public model.
        private = pd.read_csv(path, keep_default_na=False)

    direct = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(private["text"], private["label"])
    lifted = PrivateTextClassifier(privatizer, list(public["text"])).fit(list(private["text"]), private["label"])
    clear = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(holder["text"], holder["label"])
    print(f"{len(private)} private reviews, {len(public)} public ones without labels, {len(test)} clear ones to test on")
    print(f"trained on clear text (the ceiling)   {clear.score(test['text'], test['label']):.3f}")
    print(f"trained on private text, direct       {direct.score(test['text'], test['label']):.3f}")
    print(f"trained on private text, lifted       {lifted.score(list(test['text']), test['label']):.3f}")
    print(f"always the larger class               {test['label'].value_counts(normalize=True).max():.3f}")
    print(lifted.report())
    print(f"The promise: {mechanism.guarantee} The losses of the words of a text add up.")


if __name__ == "__main__":
    main()
