#!/usr/bin/env python3
"""Release private sentence vectors, and see what is left in them.

A sentence's vector is the mean of its words' public vectors; `PrivEmb` projects it and adds noise, and only
the result is shown to the classifier. The projection is the public vectors' principal axes (model given),
never those of the texts.

    sentence_vectors.py [--model FILE] [--rows N] [--dimension M] [--epsilon E ...]
"""

import argparse
import re

import numpy as np
import sotto
from classify import invented_reviews
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split


def sentence_vectors(texts: list[str], model: sotto.Model) -> np.ndarray:
    vectors = np.zeros((len(texts), model.dim), dtype=np.float32)
    for row, text in enumerate(texts):
        known = [model.vector(word) for word in re.findall(r"\w+", text.lower()) if word in model]
        if known:
            vectors[row] = np.mean(known, axis=0)
    return vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="a .sotto file; the default model if not given")
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--dimension", type=int, default=25)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[10.0, 50.0, 100.0, 200.0])
    arguments = parser.parse_args()

    model = sotto.Model.open(arguments.model) if arguments.model else sotto.Model.default()
    reviews = invented_reviews(arguments.rows)
    vectors = sentence_vectors(list(reviews["text"]), model)
    split = train_test_split(vectors, reviews["label"], test_size=0.4, random_state=1)
    train, test, train_label, test_label = split
    most = test_label.value_counts(normalize=True).max()
    apart = np.median(np.linalg.norm(train[: len(train) // 2] - train[-(len(train) // 2) :], axis=1))

    clear = LogisticRegression(max_iter=1000).fit(train, train_label)
    print(f"{len(vectors)} sentence vectors of {model.dim} dimensions, a median of {apart:.2f} apart")
    print(f"always the larger class: {most:.3f}; clear vectors: {clear.score(test, test_label):.3f}")
    print("epsilon   loss between two texts   accuracy")
    for epsilon in arguments.epsilon:
        privatizer = sotto.PrivEmb(dimension=arguments.dimension, epsilon=epsilon, model=model)
        private_train, private_test = privatizer.fit_transform(train), privatizer.transform(test)
        classifier = LogisticRegression(max_iter=1000).fit(private_train, train_label)
        score = classifier.score(private_test, test_label)
        print(f"{epsilon:7g}   {epsilon * apart:22.1f}   {score:8.3f}")
    print(f"The promise: {privatizer.guarantee}")


if __name__ == "__main__":
    main()
