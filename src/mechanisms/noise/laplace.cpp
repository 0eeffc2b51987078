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

#include <array>

#include "core/bound_text.h"
#include "mechanisms/noise/noise.h"
#include "mechanisms/rows.h"

namespace sotto {
namespace {

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  const double epsilon = parameters.number("epsilon");
  std::shared_ptr<const Space> space = Space::make(model, Metric::euclidean);
  Claim claim{
      .status = Status::proven,
      .epsilon = epsilon,
      .guarantee = per_word_guarantee(fmt::format("{} * d", number_text(epsilon)), "Euclidean distance"),
      .caveat = std::string(kLaplace.caveat),
      .arithmetic =
          "the proof is for exact arithmetic; the program computes in doubles, and what their rounding adds "
          "to the loss is not proven",
      .largest_word_loss = product_up(epsilon, space->diameter_bound())};
  return {.space = std::move(space),
          .claim = std::move(claim),
          .words = std::make_shared<NearestOfNoise>(
              NoisySearch(model, NoiseShape::sphere(model->dim()), epsilon))};
}

constexpr std::array<Alias, 1> kAliases = {{{.name = "madlib", .note = "the name of Feyisetan et al. 2020"}}};
constexpr std::array kParameters = {
    epsilon_parameter("privacy loss per unit of Euclidean distance; smaller is more private. The noise has "
                      "mean length dim / epsilon"),
};

}  // namespace

const MechanismInfo kLaplace = {
    .name = "laplace",
    .aliases = kAliases,
    .title = "Laplace noise on the vector, then the nearest word",
    .paper = "Feyisetan et al. 2020 (Madlib); tem-2021, Algorithm 1",
    .guarantee = "epsilon * d; d is the Euclidean distance",
    .slope = "epsilon",
    .status = Status::proven,
    .caveat = "proven for exact arithmetic; the program adds the noise in doubles",
    .parameters = kParameters,
    .build = build,
    .known_by = MechanismInfo::KnownBy::draws,
};

}  // namespace sotto
