#!/usr/bin/env python3
"""Measures what docs/results/vickrey.md reports: figure 2 (A), (B) and figure 3 (A), (B) of vickrey-2021, and the
values that its text prints.

Usage: results_vickrey.py SOTTO MODEL.sotto LEXICON_FOLDER OUT_FOLDER [PART...]

PART is figures, choices or utility; without one all are measured. Finished settings are kept and not repeated.

The paper's vocabulary is the lexicon itself, so a model of its words alone is made first, from the public
vectors of MODEL (the folder has positive-words.txt and negative-words.txt). Everything else is `sotto tune`.
"""
import csv
import json
import pathlib
import struct
import subprocess
import sys

EPSILONS = "2,5,10,15,20,30,50,100"
FIRST, LAST = 1, 5  # figure 3: the k-th neighbour, always
FIGURE_2 = ["laplace", "mahalanobis"] + [f"vickrey --t {t}" for t in (0.25, 0.5, 0.75, 1)]
# Weights exp(-t_r d_r): a huge t rules a neighbour out.
FIGURE_3 = ["laplace"] + [f"vickrey --t {','.join(['1e6'] * (k - 1) + ['0'])}" for k in range(2, LAST + 1)]


# The budgets of the text, and the t that it names for each.
BUDGETS = {0.06: 0.75, 0.02: 0.25}
DRAWS = (65536, 262144)  # N and 4N: how far the bias of the plug-in reaches
# "up to 50% improvement in utility": a curve of Laplace that is close enough to be read at the E of each point of vickrey.
LAPLACE = "laplace --epsilon 5,6,7,8,9,10,11,12,13,14,15,17,20"


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


def question(sotto, out, folder, draws):
    return [sotto, "tune", "--model", out / "lexicon.sotto", "--prior", "uniform", "--loss", "label",
            "--labels", f"positive={folder / 'positive-words.txt'}",
            "--labels", f"negative={folder / 'negative-words.txt'}", "--draws", str(draws), "--force", "--quiet"]


def tune(sotto, out, name, lines, folder):
    candidates = out / f"{name}.candidates"
    candidates.write_text("\n".join(lines) + "\n")
    subprocess.run(
        [*question(sotto, out, folder, DRAWS[0]), "--candidates", candidates, "--csv", out / f"{name}.csv",
         "--html", out / f"{name}.html", "--svg", out / name, "--resume", out / f"{name}.state"],
        check=True, stdout=(out / f"{name}.txt").open("w"))


def figures(sotto, out, folder):
    for name, series in (("figure2", FIGURE_2), ("figure3", FIGURE_3)):
        tune(sotto, out, name, [f"{line} --epsilon {EPSILONS}" for line in series], folder)
        # As line 5 of the paper's Algorithm 1 prints it: the input is no candidate. Not private; marked so by
        # the program. Line 5 is probably a misprint (docs/results/vickrey.md).
        excluded = [line + " --exclude-input" for line in series if line.startswith("vickrey")]
        tune(sotto, out, name + "-as-printed", [f"{line} --epsilon {EPSILONS}" for line in excluded], folder)


def choices(sotto, out, folder):
    """What Algorithm 2 chooses for the budgets of the text, by several first epsilons: it only doubles them."""
    rows = []
    for first in (1, 1.25, 1.5625):
        for draws in DRAWS:
            for budget, printed in BUDGETS.items():
                done = subprocess.run(
                    [*question(sotto, out, folder, draws), "--algorithm", "paper", "--first-epsilon", str(first),
                     "--max-loss", str(budget), "--resume", out / f"choices-{draws}.state", "--json"],
                    stdout=subprocess.PIPE)
                answer = json.loads(done.stdout)
                best = answer["recommended"]
                row = {"draws": draws, "first_epsilon": first, "budget": budget, "printed_t": printed}
                if best:
                    figures = best["figures"]
                    row |= {"epsilon": best["nominal_epsilon"], "t": best["parameters"]["t"],
                            "L": figures["label_not_kept"]["value"], "E_plug_in": figures["e_post"]["bracket"][0],
                            "E_post_low": figures["e_post"]["interval"][0], "E_post_high": figures["e_post"]["interval"][1],
                            "E_opt_low": figures["e_opt"]["interval"][0], "E_opt_high": figures["e_opt"]["interval"][1],
                            "allow_weak": answer["needs_allow_weak"]}
                rows.append(row)
                write(out / "choices.csv", rows)


def at_equal(curve, error):
    """L where a falling curve of (E, L) has that E, by lines between its points; None outside of them."""
    curve = sorted(curve)
    for (low, left), (high, right) in zip(curve, curve[1:]):
        if low <= error <= high:
            return left + (right - left) * ((error - low) / (high - low) if high > low else 0)
    return None


def utility(sotto, out, folder):
    """How much smaller L of vickrey (figure2.csv) is than that of Laplace at the same E_opt, and at which epsilons."""
    tune(sotto, out, "utility", [LAPLACE], folder)
    laplace = list(csv.DictReader((out / "utility.csv").open()))
    rows = []
    for point in csv.DictReader((out / "figure2.csv").open()):
        if point["mechanism"] != "vickrey":
            continue
        loss = float(point["label_not_kept"])
        row = {"t": point["family"].split()[-1], "epsilon": point["epsilon"], "L": loss,
               "E_opt_low": point["e_opt_low"], "E_opt_high": point["e_opt_high"]}
        # The cautious end: Laplace is given the lowest E that vickrey may have, so its L is the smallest.
        for name, own, column in (("cautious", "e_opt_low", "e_opt_high"), ("hopeful", "e_opt_high", "e_opt_low")):
            other = at_equal([(float(p[column]), float(p["label_not_kept"])) for p in laplace], float(point[own]))
            epsilon = at_equal([(float(p[column]), float(p["epsilon"])) for p in laplace], float(point[own]))
            row |= {f"laplace_L_{name}": other, f"laplace_epsilon_{name}": epsilon,
                    f"gain_{name}": None if other is None else 1 - loss / other}
        rows.append(row)
    write(out / "utility-gain.csv", rows)


def write(path, rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, names, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def main():
    sotto, model, folder, out = (pathlib.Path(word).absolute() for word in sys.argv[1:5])
    parts = sys.argv[5:] or ["figures", "choices", "utility"]
    out.mkdir(parents=True, exist_ok=True)
    words = lexicon_words(folder)
    if not (out / "lexicon.sotto").exists():
        print(write_vectors(model, words, out / "lexicon.txt"), "of", len(words), "words have vectors")
        subprocess.run([sotto, "model", "import", out / "lexicon.txt", "-o", out / "lexicon.sotto"], check=True)
    for part in parts:
        {"figures": figures, "choices": choices, "utility": utility}[part](sotto, out, folder)


if __name__ == "__main__":
    main()
