// laplace (alias madlib): multivariate Laplace noise on the word's vector.
//
// Paper: Feyisetan, Balle, Drake, Diethe 2020 ("Privacy- and utility-preserving textual analysis via
// calibrated multivariate perturbations"), Algorithm 1 of tem-2021.
// Idea: add Z with density proportional to exp(-epsilon |z|) to the vector, that is a radius
// R ~ Gamma(dim, 1/epsilon) times a direction uniform on the sphere, and print the nearest word.
// Guarantee: epsilon * Euclidean distance. The density ratio at any point is at most exp(epsilon |v - v'|),
// and the search for the nearest word sees the noisy vector only.
// Caveat: proven for real numbers; the sum here is made of doubles (docs/privacy.md, floating point). A
// direction drawn in the ball instead of on the sphere, as one paper prints, has no such guarantee.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/samplers.h"
#include "mechanisms/rows.h"
#include "neighbours/nearest.h"

namespace sotto {
namespace {

class Laplace final : public WordMechanism {
 public:
  Laplace(std::shared_ptr<const Model> model, double epsilon)
      : model_(std::move(model)), epsilon_(epsilon), nearest_(*model_) {}

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    constexpr std::size_t kTogether = 128;  // noisy vectors that share a pass over the model
    const std::size_t stride = model_->stride();
    std::vector<double> noisy(std::min(in.size(), kTogether) * stride, 0.0);
    for (std::size_t begin = 0; begin < in.size(); begin += kTogether) {
      const std::size_t count = std::min(kTogether, in.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        add_noise(in[begin + i], {noisy.data() + i * stride, model_->dim()}, rng);
      }
      nearest_.find(noisy, out.subspan(begin, count));
    }
  }

 private:
  void add_noise(WordId word, std::span<double> out, Rng& rng) const {
    unit_sphere(rng, out);
    const double radius = gamma(rng, static_cast<double>(out.size())) / epsilon_;
    const std::span<const float> centre = model_->vector(word);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = centre[j] + radius * out[j];
  }

  std::shared_ptr<const Model> model_;
  double epsilon_;
  NearestWord nearest_;
};

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  const double epsilon = parameters.number("epsilon");
  std::shared_ptr<const Space> space = Space::make(model, Metric::euclidean);
  Claim claim{
      .status = Status::proven,
      .epsilon = epsilon,
      .guarantee = fmt::format("For any two words, the probability of every output changes by a factor of at "
                               "most exp({} * d), d their Euclidean distance; per word, losses add up.",
                               number_text(epsilon)),
      .caveat = std::string(kLaplace.caveat),
      .arithmetic = "pure in exact arithmetic; computed in doubles",
      .largest_word_loss = epsilon * space->diameter_bound()};
  return {.space = std::move(space),
          .claim = std::move(claim),
          .words = std::make_shared<Laplace>(model, epsilon)};
}

constexpr std::array<std::string_view, 1> kAliases = {"madlib"};
constexpr std::array kParameters = {
    epsilon_parameter("privacy loss per unit of Euclidean distance; smaller is more private. The noise has "
                      "mean length dim / epsilon"),
};

}  // namespace

const MechanismInfo kLaplace = {
    .name = "laplace",
    .aliases = kAliases,
    .title = "Multivariate Laplace noise, nearest word",
    .paper = "Feyisetan et al. 2020 (Madlib); tem-2021, Algorithm 1",
    .guarantee = "epsilon * d, d the Euclidean distance",
    .slope = "epsilon",
    .status = Status::proven,
    .caveat = "pure in exact arithmetic: the noise is added in doubles",
    .parameters = kParameters,
    .build = build,
};

}  // namespace sotto
