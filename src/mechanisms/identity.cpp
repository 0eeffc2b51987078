// identity: every word stays. Not private: the end of every comparison at which nothing is lost.
#include <algorithm>

#include "core/infinity.h"
#include "mechanisms/rows.h"

namespace sotto {
namespace {

class Identity final : public WordMechanism {
 public:
  explicit Identity(std::size_t words) : words_(words) {}

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& /*rng*/) const override {
    std::copy(in.begin(), in.end(), out.begin());
  }
  [[nodiscard]] double log_law_error() const override { return 0; }
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override {
    std::vector<double> law(words_, -kInfinity);
    law[index_of(word)] = 0;
    return law;
  }

 private:
  std::size_t words_;
};

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& /*parameters*/) {
  return {.space = Space::make(model, Metric::euclidean),
          .claim = {.status = Status::not_private,
                    .epsilon = kInfinity,
                    .guarantee = "None: every word of the model stays as it is.",
                    .caveat = std::string(kIdentity.caveat),
                    .arithmetic = "nothing is computed"},
          .words = std::make_shared<Identity>(model->size())};
}

}  // namespace

const MechanismInfo kIdentity = {
    .name = "identity",
    .aliases = {},
    .title = "No privacy: returns the input",
    .paper = "A baseline for comparisons",
    .guarantee = "no bound",
    .slope = "none",
    .status = Status::not_private,
    .caveat = "the text is released in clear; for comparisons only",
    .parameters = {},
    .build = build,
    .tuning = {.even_unproven = true},
};

}  // namespace sotto
