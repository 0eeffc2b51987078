#!/usr/bin/env python3
"""A grid search on private text, which releases each text once.

A TextPrivatizer inside the searched pipeline would release the texts again in every fold and for every setting: here
that is 31 releases, whose losses add up (sotto warns of it). So the texts are privatised once, outside, and the search
sees the private texts alone. Without --data the reviews are the invented ones of scripts/make_reviews.py.

    grid_search.py [--data TSV] [--model FILE] [--rows N] [--epsilon E]
"""

import argparse

import sotto
from classify import read_reviews
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--model", help="a .sotto file; the default model if not given")
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--epsilon", type=float, default=2.5)
    arguments = parser.parse_args()

    reviews = read_reviews(arguments)
    train, test, train_label, test_label = train_test_split(
        reviews["text"], reviews["label"], test_size=0.4, random_state=1
    )
    privatizer = sotto.TextPrivatizer("tem", model=arguments.model, epsilon=arguments.epsilon, strip_html=True)
    private_train = privatizer.transform(train)  # the one release

    steps = Pipeline([("tfidf", TfidfVectorizer()), ("classifier", LogisticRegression())])
    grid = {"tfidf__min_df": [1, 3], "classifier__C": [0.1, 1.0, 10.0]}
    search = GridSearchCV(steps, grid, cv=5).fit(private_train, train_label)
    print(f"releases of each text: 1; with the privatiser inside the search: {5 * 6 + 1}")
    print(f"best setting, by private text alone: {search.best_params_}")
    print(f"accuracy on private text (cross-validated): {search.best_score_:.3f}")
    print(f"accuracy on clear text: {search.score(test, test_label):.3f}")
    print(f"The promise: {privatizer.guarantee} The losses of the words of a text add up.")


if __name__ == "__main__":
    main()
