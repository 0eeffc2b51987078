#!/usr/bin/env python3
"""Makes the files of a new word mechanism, which compile and pass the conformance tests as they are.

    scripts/new_mechanism.py NAME [--root FOLDER]

NAME is what users will type: lower-case words with dashes, such as `my-coin`. Made are src/mechanisms/NAME.cpp, the test
tests/mechanisms/NAME_test.cpp, a line in registry.inc and one in each of the two CMakeLists.txt. The skeleton is
randomised response with status not_private: replace the law, then the claim (CONTRIBUTING.md, "Adding a mechanism").
"""
import argparse
import pathlib
import re
import sys

SOURCE = '''\
// {name}: TODO what it does, in one sentence.
//
// Paper: TODO. Idea: the input word is e^epsilon times as likely as each other word (randomised response;
// replace it). Guarantee: TODO, with its proof in docs/proofs/. Caveat: TODO.
#include <array>
#include <cmath>

#include "core/uniform.h"
#include "mechanisms/rows.h"

namespace sotto {{
namespace {{

class {type} final : public WordMechanism {{
 public:
  {type}(std::size_t words, double epsilon)
      : words_(words), epsilon_(epsilon), log_sum_(std::log1p(others() * std::exp(-epsilon))) {{}}

  // Draws must follow log_law() exactly: use bernoulli() and choose_by_sums(), never a rounded uniform.
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {{
    const double changed = others() * std::exp(-epsilon_ - log_sum_);
    for (std::size_t i = 0; i < in.size(); ++i) {{
      out[i] = in[i];
      if (words_ < 2 || !bernoulli(rng, changed)) continue;
      const std::size_t other = uniform_below(rng, words_ - 1);
      out[i] = word_id(other < index_of(in[i]) ? other : other + 1);
    }}
  }}
  // Leave this out if the law has no closed form, and add to the row: .known_by =
  // MechanismInfo::KnownBy::draws.
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override {{
    std::vector<double> law(words_, -epsilon_ - log_sum_);
    law[index_of(word)] = -log_sum_;
    return law;
  }}

 private:
  [[nodiscard]] double others() const {{ return static_cast<double>(words_) - 1; }}
  std::size_t words_;
  double epsilon_;
  double log_sum_;
}};

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {{
  const double epsilon = parameters.number("epsilon");
  return {{.space = Space::make(model, Metric::euclidean),
          .claim = {{.status = Status::not_private,  // `proven` takes a proof of the program as it runs
                    .epsilon = epsilon,
                    .guarantee = "None: nothing is proven yet.",
                    .caveat = std::string({row}.caveat),
                    .arithmetic = "exact comparisons with probabilities that are rounded to doubles"}},
          .words = std::make_shared<{type}>(model->size(), epsilon)}};
}}

constexpr std::array kParameters = {{
    epsilon_parameter("TODO what epsilon means here; smaller is more private"),
}};

}}  // namespace

const MechanismInfo {row} = {{
    .name = "{name}",
    .aliases = {{}},
    .title = "TODO a title",
    .paper = "TODO the paper",
    .guarantee = "none yet",
    .slope = "0",
    .status = Status::not_private,
    .caveat = "a skeleton: nothing is proven of it",
    .parameters = kParameters,
    .build = build,
}};

}}  // namespace sotto
'''

TEST = '''\
#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/build.h"
#include "support/models.h"

namespace sotto {{
namespace {{

// TODO: numbers worked out by hand, or taken from the paper and checked.
TEST({type}, LawOfThreeWords) {{
  const Mechanism made = build_uncertified("{name}", test::line_model({{0, 1, 3}}), {{{{"epsilon", "1"}}}});
  const std::vector<double> row = made.words->log_law(word_id(0)).value();
  const double sum = std::exp(1.0) + 2;
  EXPECT_NEAR(std::exp(row[0]), std::exp(1.0) / sum, 1e-12);
  EXPECT_NEAR(std::exp(row[1]), 1 / sum, 1e-12);
  EXPECT_NEAR(std::exp(row[2]), 1 / sum, 1e-12);
}}

}}  // namespace
}}  // namespace sotto
'''


def insert(path, after, text):
    """Inserts a line behind the last line that `after` matches."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if re.search(after, line)]
    if not places:
        sys.exit(f"{path}: no line matches {after!r}; add the line by hand: {text.strip()}")
    lines.insert(places[-1] + 1, text)
    path.write_text("".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    name, root = arguments.name, arguments.root
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        sys.exit(f"{name}: the name is lower-case words with dashes, such as my-coin")
    file = name.replace("-", "_")
    type_name = "".join(part.capitalize() for part in name.split("-"))
    registry = root / "src/mechanisms/registry.inc"
    row = f"k{type_name}"
    made = {root / f"src/mechanisms/{file}.cpp": SOURCE, root / f"tests/mechanisms/{file}_test.cpp": TEST}
    if f"SOTTO_MECHANISM({row})" in registry.read_text(encoding="utf-8") or any(path.exists() for path in made):
        sys.exit(f"{name}: there is a mechanism of this name, or a file of it; choose another name")
    for path, text in made.items():
        path.write_text(text.format(name=name, type=type_name, row=row), encoding="utf-8")
        print(f"made {path.relative_to(root)}")
    insert(registry, r"^SOTTO_MECHANISM\(kHyperbolic\)", f"SOTTO_MECHANISM({row})\n")
    insert(root / "src/mechanisms/CMakeLists.txt", r"^  SOURCES", f"    {file}.cpp\n")
    insert(root / "tests/mechanisms/CMakeLists.txt", r"^sotto_test\(mechanisms", f"  {file}_test.cpp\n")
    print("added a line to src/mechanisms/registry.inc, src/mechanisms/CMakeLists.txt and tests/mechanisms/CMakeLists.txt")
    print(f"""next:
  cmake --preset release && cmake --build --preset release --target sotto_cli mechanisms_tests conformance_tests
  ctest --test-dir build -R '{type_name}|/{file}'     # its own test and the conformance tests
  build/sotto explain doctor --mechanism {name} --epsilon 8
  build/sotto mechanisms --markdown > docs/mechanisms.md
then replace the law, the claim and the TODOs""")


if __name__ == "__main__":
    main()
