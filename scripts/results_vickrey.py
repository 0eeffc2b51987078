#!/usr/bin/env python3
"""Measures what docs/results/vickrey.md reports: figure 2 (A), (B) and figure 3 (A), (B) of vickrey-2021.

Usage: results_vickrey.py SOTTO MODEL.sotto LEXICON_FOLDER OUT_FOLDER

The paper's vocabulary is the lexicon itself, so a model of its words alone is made first, from the public
vectors of MODEL (the folder has positive-words.txt and negative-words.txt). Everything else is `sotto tune`.
"""
import pathlib
import struct
import subprocess
import sys

EPSILONS = "2,5,10,15,20,30,50,100"
FIRST, LAST = 1, 5  # figure 3: the k-th neighbour, always
FIGURE_2 = ["laplace", "mahalanobis"] + [f"vickrey --t {t}" for t in (0.25, 0.5, 0.75, 1)]
# Weights exp(-t_r d_r): a huge t rules a neighbour out.
FIGURE_3 = ["laplace"] + [f"vickrey --t {','.join(['1e6'] * (k - 1) + ['0'])}" for k in range(2, LAST + 1)]


def lexicon_words(folder):
    words = set()
    for name in ("positive-words.txt", "negative-words.txt"):
        for line in (folder / name).read_text(encoding="latin-1").splitlines():
            if line.strip() and not line.startswith(";"):
                words.add(line.strip().lower())
    return words


def write_vectors(model, words, out):
    """The rows of a .sotto file (docs/model-format.md) whose words are in the list, as GloVe text."""
    data = model.read_bytes()
    count, = struct.unpack_from("<Q", data, 32)
    dim, stride = struct.unpack_from("<II", data, 40)
    sections = [struct.unpack_from("<QQ", data, 56 + 16 * i) for i in range(5)]
    ends = struct.unpack_from(f"<{count}I", data, sections[1][0])
    text, rows = sections[2][0], sections[4][0]
    found = 0
    with out.open("w", encoding="utf-8") as file:
        for i in range(count):
            word = data[text + (ends[i - 1] if i else 0):text + ends[i]].decode()
            if word not in words:
                continue
            found += 1
            vector = struct.unpack_from(f"<{dim}f", data, rows + 4 * i * stride)
            file.write(word + " " + " ".join(f"{x:.9g}" for x in vector) + "\n")
    return found


def tune(sotto, out, name, lines, folder):
    candidates = out / f"{name}.candidates"
    candidates.write_text("\n".join(lines) + "\n")
    subprocess.run(
        [sotto, "tune", "--model", out / "lexicon.sotto", "--prior", "uniform", "--loss", "label",
         "--labels", f"positive={folder / 'positive-words.txt'}",
         "--labels", f"negative={folder / 'negative-words.txt'}",
         "--candidates", candidates, "--draws", "65536", "--csv", out / f"{name}.csv", "--html", out / f"{name}.html",
         "--svg", out / name, "--resume", out / f"{name}.state", "--force", "--quiet"],
        check=True, stdout=(out / f"{name}.txt").open("w"))


def main():
    sotto, model, folder, out = (pathlib.Path(word).absolute() for word in sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    words = lexicon_words(folder)
    print(write_vectors(model, words, out / "lexicon.txt"), "of", len(words), "words have vectors")
    subprocess.run([sotto, "model", "import", out / "lexicon.txt", "-o", out / "lexicon.sotto", "--force"], check=True)
    for name, series in (("figure2", FIGURE_2), ("figure3", FIGURE_3)):
        tune(sotto, out, name, [f"{line} --epsilon {EPSILONS}" for line in series], folder)
        # As line 5 of the paper's Algorithm 1 prints it: the input is no candidate. Not private; marked so by
        # the program. Line 5 is probably a misprint (docs/results/vickrey.md).
        excluded = [line + " --exclude-input" for line in series if line.startswith("vickrey")]
        tune(sotto, out, name + "-as-printed", [f"{line} --epsilon {EPSILONS}" for line in excluded], folder)


if __name__ == "__main__":
    main()
