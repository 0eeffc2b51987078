#!/usr/bin/env python3
"""Train a classifier on private text, and see what privacy costs.

The texts of the training set are privatised before the classifier sees them, as if they had left the
building. It is then asked about texts in clear (a model trained on a private corpus, used inside) and about
private ones (queries are privatised too). Without --data the reviews are the invented ones of
scripts/make_reviews.py.

    classify.py [--data TSV] [--model FILE] [--rows N] [--epsilon E ...]

A TSV has columns `label` (0 or 1) and `text`; .gz and .xz are read as they are.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import pandas as pd
import sotto
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

ROOT = pathlib.Path(__file__).resolve().parents[2]


def invented_reviews(rows: int) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "reviews.csv"
        subprocess.run([sys.executable, ROOT / "scripts/make_reviews.py", str(rows), path], check=True)
        reviews = pd.read_csv(path)
    reviews = reviews[reviews["stars"] != 3]
    return reviews.assign(label=(reviews["stars"] > 3).astype(int))


def read_reviews(arguments: argparse.Namespace) -> pd.DataFrame:
    if arguments.data is None:
        return invented_reviews(arguments.rows)
    table = pd.read_csv(arguments.data, sep="\t", quoting=3)
    return table.sample(min(arguments.rows, len(table)), random_state=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--model", help="a .sotto file; the default model if not given")
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[2.0, 2.5, 3.0, 4.0])
    arguments = parser.parse_args()

    reviews = read_reviews(arguments)
    train, test, train_label, test_label = train_test_split(
        reviews["text"], reviews["label"], test_size=0.4, random_state=1
    )
    most = test_label.value_counts(normalize=True).max()
    clear = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(train, train_label)
    print(f"{len(train)} texts to learn from, {len(test)} to judge by; always the larger class: {most:.3f}")
    print("epsilon   accuracy on clear text   on private text")
    print(f"  clear   {clear.score(test, test_label):22.3f}   {'-':>15}")

    for epsilon in arguments.epsilon:
        privatizer = sotto.TextPrivatizer("tem", model=arguments.model, epsilon=epsilon, strip_html=True)
        # One release of each text, kept: a pipeline with the privatiser inside would release at every call.
        private_train, private_test = privatizer.transform(train), privatizer.transform(test)
        classifier = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(private_train, train_label)
        on_clear = classifier.score(test, test_label)
        on_private = classifier.score(private_test, test_label)
        print(f"{epsilon:7g}   {on_clear:22.3f}   {on_private:15.3f}")
    print(f"The promise: {privatizer.guarantee} The losses of the words of a text add up.")


if __name__ == "__main__":
    main()
