// uniform: every word becomes any word of the vocabulary, all equally likely.
//
// Baseline: perfect privacy of the words, and the end of every comparison at which all meaning is lost. The
// law does not depend on the input, so the loss is 0. It is what tem becomes as epsilon goes to 0.
#include <cmath>

#include "core/uniform.h"
#include "mechanisms/rows.h"

namespace sotto {
namespace {

class Uniform final : public WordMechanism {
 public:
  explicit Uniform(std::size_t words) : words_(words) {}

  void sample_batch(std::span<const WordId> /*in*/, std::span<WordId> out, Rng& rng) const override {
    for (WordId& word : out) word = word_id(uniform_below(rng, words_));
  }
  [[nodiscard]] double log_law_error() const override { return 0; }
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId /*word*/) const override {
    return std::vector<double>(words_, -std::log(static_cast<double>(words_)));
  }

 private:
  std::size_t words_;
};

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& /*parameters*/) {
  return {.space = Space::make(model, Metric::euclidean),
          .claim = {.status = Status::proven,
                    .epsilon = 0,
                    .guarantee = "Per word: every output is equally likely whatever the input word, so an "
                                 "output tells nothing of it.",
                    .arithmetic = "exact sampling; loss 0",
                    .largest_word_loss = 0},
          .words = std::make_shared<Uniform>(model->size())};
}

}  // namespace

const MechanismInfo kUniform = {
    .name = "uniform",
    .aliases = {},
    .title = "Any word of the model, all equally likely",
    .paper = "A baseline for comparisons",
    .guarantee = "0: the output tells nothing about the word",
    .slope = "0",
    .status = Status::proven,
    .caveat = "",
    .parameters = {},
    .build = build,
};

}  // namespace sotto
