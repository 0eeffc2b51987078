#!/usr/bin/env python3
"""The mechanisms of mldp-text (PyPI, 0.1.2) as an outside program for `sotto audit`.

    pip install mldp-text==0.1.2
    sotto audit --command "python3 mldp_text.py vickrey 2 vectors.txt" --epsilon 2 --model small.sotto

Reads a word a line and writes a word a line. The vectors file is word2vec text ("COUNT DIM", then a word and its
numbers a line), the same that `sotto model import` made the model from.
"""
import contextlib
import sys

sys.path.pop(0)  # this file's own folder: the package has its name

import numpy as np

with contextlib.redirect_stdout(sys.stderr):  # the package prints when it loads; only words may go out
    import mldp_text
    from gensim.models import KeyedVectors

# By name, so that the audit's pairs differ in nothing but the word; no seed: the noise is the package's own.
MECHANISMS = {
    "tem": lambda epsilon, vectors: mldp_text.TEM(
        epsilon, embedding_matrix=vectors, dim=vectors.vector_size, vocab=set(vectors.index_to_key)),
    # Exact search: the approximate one needs 100 words or more, and would be a second difference.
    "vickrey": lambda epsilon, vectors: mldp_text.VickreyMechanism(
        epsilon, embedding_matrix=vectors, dim=vectors.vector_size, use_faiss=False,
        vocab=set(vectors.index_to_key)),
    "laplace": lambda epsilon, vectors: mldp_text.MultivariateCalibrated(
        epsilon, embedding_matrix=vectors, dim=vectors.vector_size, use_faiss=False,
        vocab=set(vectors.index_to_key)),
}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in MECHANISMS:
        sys.exit(f"usage: mldp_text.py {'|'.join(MECHANISMS)} EPSILON VECTORS")
    vectors = KeyedVectors.load_word2vec_format(sys.argv[3], binary=False, datatype=np.float64)
    mechanism = MECHANISMS[sys.argv[1]](float(sys.argv[2]), vectors)
    for line in sys.stdin:
        sys.stdout.write(mechanism.replace_word(line.rstrip("\n")) + "\n")


if __name__ == "__main__":
    main()
