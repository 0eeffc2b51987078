// redact: every word is printed as one fixed public text.
//
// Baseline: the loss is 0, since the output never depends on the word; only the number of words is left. As a
// word mechanism it always gives the first word of the model, which stands for the token: laws, adversaries
// and certificates need no special case, and Mechanism::token is what gets written.
#include <algorithm>
#include <array>
#include <limits>

#include "mechanisms/rows.h"

namespace sotto {
namespace {

class Redact final : public WordMechanism {
 public:
  explicit Redact(std::size_t words) : words_(words) {}

  void sample_batch(std::span<const WordId> /*in*/, std::span<WordId> out, Rng& /*rng*/) const override {
    std::fill(out.begin(), out.end(), word_id(0));
  }
  [[nodiscard]] double log_law_error() const override { return 0; }
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId /*word*/) const override {
    std::vector<double> law(words_, -std::numeric_limits<double>::infinity());
    law[0] = 0;
    return law;
  }

 private:
  std::size_t words_;
};

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  return {.space = Space::make(model, Metric::euclidean),
          .claim = {.status = Status::proven,
                    .epsilon = 0,
                    .guarantee = "Per word: every word is printed as the same text, so an output tells "
                                 "nothing of it.",
                    .arithmetic = "nothing is computed; loss 0",
                    .largest_word_loss = 0},
          .words = std::make_shared<Redact>(model->size()),
          .token = parameters.text("token")};
}

constexpr std::array kParameters = {
    Parameter{.name = "token",
              .help = "the text that is printed for every word; public",
              .kind = Parameter::Kind::text,
              .default_text = "[word]"},
};

}  // namespace

const MechanismInfo kRedact = {
    .name = "redact",
    .aliases = {},
    .title = "The same fixed text for every word",
    .paper = "A baseline for comparisons",
    .guarantee = "0: the output tells nothing about the word",
    .slope = "0",
    .status = Status::proven,
    .caveat = "",
    .parameters = kParameters,
    .build = build,
};

}  // namespace sotto
