#!/usr/bin/env python3
"""mldp-text on the words and vectors of a .sotto model: milliseconds a token, as JSON.

    VENV/bin/python bench/peers.py MODEL.sotto

Run by run.py in a virtual environment of its own. The package calls words one by one; so does this. Its
TruncatedGumbel is left out where it cannot be built (random.sample of a dictionary's keys fails from Python 3.11 on).
"""

import json
import struct
import sys
import time

import numpy


def read_model(path):
    """Words and vectors; the layout is that of src/model/model_header.h."""
    data = open(path, "rb").read()
    words, dim, stride = struct.unpack_from("<QII", data, 32)
    sections = [struct.unpack_from("<QQ", data, 56 + 16 * i) for i in range(5)]
    _, ends, text, _, rows = sections
    word_ends = numpy.frombuffer(data, "<u4", words, ends[0])
    raw = data[text[0]:text[0] + text[1]]
    names = [raw[begin:end].decode() for begin, end in zip([0, *word_ends[:-1]], word_ends)]
    vectors = numpy.frombuffer(data, "<f4", words * stride, rows[0]).reshape(words, stride)[:, :dim]
    return names, numpy.ascontiguousarray(vectors)


def milliseconds(mechanism, words, seconds):
    """Mean time of replace_word over as many words as fit."""
    mechanism.replace_word(words[0])
    started = time.perf_counter()
    done = 0
    while time.perf_counter() - started < seconds:
        mechanism.replace_word(words[done % len(words)])
        done += 1
    return 1000 * (time.perf_counter() - started) / done


def main():
    import gensim.models
    import mldp_text.mechanisms as peer

    names, vectors = read_model(sys.argv[1])
    matrix = gensim.models.KeyedVectors(vectors.shape[1])
    matrix.add_vectors(names, vectors)
    words = [names[int(20000 ** (i / 200)) - 1] for i in range(200)]
    settings = {"TEM": ("TEM", 2), "MultivariateCalibrated (laplace)": ("MultivariateCalibrated", 10),
                "Mahalanobis": ("Mahalanobis", 10), "VickreyMechanism": ("VickreyMechanism", 10),
                "TruncatedGumbel": ("TruncatedGumbel", 60)}
    results = {}
    for label, (name, epsilon) in settings.items():
        try:
            mechanism = getattr(peer, name)(epsilon, embedding_matrix=matrix, dim=vectors.shape[1], vocab=set(names))
            results[label] = {"epsilon": epsilon, "milliseconds": milliseconds(mechanism, words, 8)}
        except Exception as error:  # a peer's failure is a result, too
            results[label] = {"epsilon": epsilon, "failed": type(error).__name__}
    print(json.dumps(results))


if __name__ == "__main__":
    main()
