// hyperbolic: tem with the Poincare distance.
//
// Paper: Feyisetan, Diethe, Drake 2019 ("Leveraging hierarchical representations for preserving privacy and
// utility in text"), which adds noise in the Poincare ball; here the exponential mechanism takes its place.
// Idea: hyperbolic vectors place general words near the centre and special ones near the edge, so that a word
// tends to become a more general one. Guarantee: that of tem, which needs only a true metric, and the
// Poincare distance is one. Caveat: the vectors must lie in the open unit ball (Poincare embeddings do, GloVe
// vectors do not); a vector too near the edge is refused.
#include <array>

#include "mechanisms/rows.h"
#include "mechanisms/tem/tem.h"

namespace sotto {
namespace {

LawRequest law_request(const Model& model, const Parameters& parameters) {
  return read_tem(model, Metric::poincare, parameters);
}

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  return build_tem(model, law_request(*model, parameters));
}

const std::array kParameters = {
    epsilon_parameter("privacy loss per unit of Poincare distance; smaller is more private"),
    kGammaParameter,
    kBetaParameter,
    kCalibrationParameter,
};

}  // namespace

const MechanismInfo kHyperbolic = {
    .name = "hyperbolic",
    .aliases = {},
    .title = "tem with the Poincare distance, for hyperbolic vectors",
    .paper = "Feyisetan et al. 2019 (hyperbolic vectors); tem-2021 for the mechanism",
    .guarantee = "epsilon * min(d, gamma); d is the Poincare distance",
    .slope = "epsilon / 2; with `calibration` exact or flat, the steepest that the certificate allows",
    .status = Status::proven,
    .caveat = "the vectors must lie inside the unit ball, as Poincare embeddings do",
    .parameters = kParameters,
    .build = build,
    .law_request = law_request,
};

}  // namespace sotto
