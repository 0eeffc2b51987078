// mahalanobis: elliptical noise that follows the public covariance of the vectors.
//
// Paper: Xu, Aggarwal, Feyisetan, Teissier 2020 ("A differentially private text perturbation method using a
// regularized Mahalanobis metric"); the baseline of vickrey-2021.
// Idea: like laplace, with noise R * A u, A A' = S = lambda Sigma / (mean variance) + (1 - lambda) I: longer
// along directions in which the vocabulary spreads, so that words in sparse regions move more. Guarantee:
// epsilon * |x - x'|_S, |x|_S = sqrt(x' S^-1 x). The density is exp(-epsilon |z|_S), and |.|_S is a norm.
// Caveat: the unit is not Euclidean: in Euclidean terms the guarantee is epsilon times the constant that the
// claim states. Normalising A u again, as a published package does, leaves no guarantee at all.
#include <fmt/format.h>

#include <array>

#include "core/bound_text.h"
#include "mechanisms/noise/noise.h"
#include "mechanisms/rows.h"

namespace sotto {
namespace {

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  const double epsilon = parameters.number("epsilon");
  NoiseShape shape = NoiseShape::mahalanobis(*model, parameters.number("lambda"));
  std::shared_ptr<const Space> space = Space::make(model, Metric::euclidean);
  const double constant = shape.euclidean_constant();
  Claim claim{
      .status = Status::proven,
      .epsilon = epsilon,
      .guarantee = per_word_guarantee(
          fmt::format("{} * d", number_text(epsilon)),
          fmt::format("regularised Mahalanobis distance, which is at most {} times the Euclidean one (so "
                      "{} per unit of Euclidean distance)",
                      rounded_up(constant, 4), rounded_up(product_up(epsilon, constant), 4))),
      .caveat = std::string(kMahalanobis.caveat),
      .arithmetic =
          "the proof is for exact arithmetic; the program computes in doubles, and what their rounding adds "
          "to the loss is not proven",
      .largest_word_loss = product_up(product_up(epsilon, constant), space->diameter_bound()),
      .distance = norm_between_words(model, shape),
      .stretch = constant};
  return {.space = std::move(space),
          .claim = std::move(claim),
          .words = std::make_shared<NearestOfNoise>(NoisySearch(model, std::move(shape), epsilon))};
}

constexpr std::array kParameters = {
    epsilon_parameter("privacy loss per unit of regularised Mahalanobis distance; smaller is more private"),
    kLambdaParameter,
};

}  // namespace

const MechanismInfo kMahalanobis = {
    .name = "mahalanobis",
    .aliases = {},
    .title = "Elliptical Laplace noise on the vector, then the nearest word",
    .paper = "Xu et al. 2020; the baseline of vickrey-2021",
    .guarantee = "epsilon * d; d is the regularised Mahalanobis distance",
    .slope = "epsilon",
    .status = Status::proven,
    .caveat = "proven for exact arithmetic; epsilon is per unit of Mahalanobis distance, not Euclidean",
    .parameters = kParameters,
    .build = build,
    .known_by = MechanismInfo::KnownBy::draws,
};

}  // namespace sotto
