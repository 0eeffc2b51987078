// coin: a toy that extend_test.py adds to a copy of the tree. Randomised response on whole words.
//
// Paper: Warner 1965 ("Randomized response"). Idea: the input word is e^L times as likely as each other word,
// L = epsilon * D0, D0 the smallest distance between two words. Guarantee: L between any two words, and
// L <= epsilon * d because no d is below D0. Caveat: far words are as likely as near ones.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/bound_text.h"
#include "core/uniform.h"
#include "mechanisms/rows.h"
#include "sotto/extremes.h"

namespace sotto {
namespace {

constexpr double kRounding = 1e-12;  // of a logarithm of a probability, up to 600

class Coin final : public WordMechanism {
 public:
  Coin(std::size_t words, double loss)
      : words_(words), log_sum_(std::log1p(others() * std::exp(-loss))), loss_(loss) {}

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    const double changed = others() * std::exp(-loss_ - log_sum_);
    for (std::size_t i = 0; i < in.size(); ++i) {
      out[i] = in[i];
      if (!bernoulli(rng, changed)) continue;
      const std::size_t other = uniform_below(rng, words_ - 1);
      out[i] = word_id(other < index_of(in[i]) ? other : other + 1);
    }
  }
  [[nodiscard]] double log_law_error() const override { return kRounding; }
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override {
    std::vector<double> law(words_, -loss_ - log_sum_);
    law[index_of(word)] = -log_sum_;
    return law;
  }

 private:
  [[nodiscard]] double others() const { return static_cast<double>(words_ - 1); }
  std::size_t words_;
  double log_sum_;
  double loss_;
};

// Words that share a row must have one law, so that nothing of the input may be left.
double smallest_distance(const Space& space) {
  if (!shared_rows(space, 1).empty() || space.size() < 2) return 0;
  const double smallest = find_extremes(space, 0).smallest;
  return std::max(0.0, smallest - space.distance_error().at(smallest));
}

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  const double epsilon = parameters.number("epsilon");
  std::shared_ptr<const Space> space = Space::make(model, Metric::euclidean);
  constexpr double kLargestLoss = 600;  // exp(-loss) stays a normal double
  const double loss = std::min(epsilon * smallest_distance(*space), kLargestLoss) - 4 * kRounding;
  const double most = product_up(epsilon, space->diameter_bound());
  return {.space = std::move(space),
          .claim = {.status = Status::proven,
                    .epsilon = epsilon,
                    .guarantee =
                        per_word_guarantee(fmt::format("{} * d", number_text(epsilon)), "Euclidean distance"),
                    .caveat = std::string(kCoin.caveat),
                    .arithmetic =
                        "exact comparisons; probabilities are rounded to doubles, which the loss allows for",
                    .largest_word_loss = most},
          .words = std::make_shared<Coin>(model->size(), std::max(0.0, loss))};
}

constexpr std::array kParameters = {
    epsilon_parameter("privacy loss per unit of Euclidean distance; smaller is more private"),
};

}  // namespace

const MechanismInfo kCoin = {
    .name = "coin",
    .aliases = {},
    .title = "Randomised response on words",
    .paper = "Warner 1965",
    .guarantee = "epsilon * D0, D0 the smallest distance between two words",
    .slope = "0",
    .status = Status::proven,
    .caveat = "far words are as likely as near ones",
    .parameters = kParameters,
    .build = build,
    .costs_all_pairs = true,
};

}  // namespace sotto
