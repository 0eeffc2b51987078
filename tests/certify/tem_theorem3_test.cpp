// Theorem 3 of tem-2021 (theorem 4.2 of tem-2023): with gamma >= (2/eps) ln((1-beta)(n-1)/beta), tem returns
// a word within gamma of the input with probability at least 1 - beta. docs/proofs/tem.md has the conditions.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mechanisms/tem/tem.h"
#include "sotto/certificate.h"
#include "sotto/error.h"
#include "support/models.h"

namespace sotto {
namespace {

// The law itself, not draws. Rounding of a sum of n terms is far below this.
constexpr double kRounding = 1e-12;

double gamma_of(const Mechanism& mechanism) {
  return mechanism.words->exponential_law()->gamma;
}

// P(d(w, output) > gamma), from the exact law.
double beyond(const Mechanism& mechanism, WordId word) {
  const std::vector<double> law = mechanism.words->log_law(word).value();
  double out = 0;
  for (std::size_t y = 0; y < law.size(); ++y) {
    if (mechanism.space->distance(word, word_id(y)) > gamma_of(mechanism)) out += std::exp(law[y]);
  }
  return out;
}

double largest_beyond(const Mechanism& mechanism) {
  double out = 0;
  for (std::size_t w = 0; w < mechanism.space->size(); ++w) {
    out = std::max(out, beyond(mechanism, word_id(w)));
  }
  return out;
}

Mechanism built(const std::shared_ptr<const Model>& model, ParameterTexts parameters) {
  return build_mechanism("tem", model, parameters, {}).mechanism;
}

// A gamma from eps in place of eps/2, or a slope of eps/4, would break this at the large scale.
TEST(TemTheorem3, HoldsOnRandomSpacesForEveryMetric) {
  int checked = 0;
  for (const double scale : {1.0, 5.0, 40.0}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto model = test::gaussian_model({.words = 60, .dim = 3, .scale = scale, .seed = seed});
      for (const char* metric : {"euclidean", "manhattan", "chebyshev", "angular"}) {
        for (const char* epsilon : {"0.5", "2", "8"}) {
          for (const char* beta : {"0.3", "0.05", "0.001"}) {
            const Mechanism tem = built(model, {{"epsilon", epsilon}, {"beta", beta}, {"metric", metric}});
            const double limit = parse_number("beta", beta, Infinity::refused);
            const double largest = largest_beyond(tem);
            EXPECT_LE(largest, limit + kRounding) << metric << " " << epsilon << " " << beta;
            if (largest > 0) ++checked;  // elsewhere gamma exceeds every distance, and nothing is said
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 30);
}

// The worst case of the proof: all other words are beyond gamma. The probability is then beta itself, so no
// smaller gamma would do.
TEST(TemTheorem3, IsAttainedWhereAllOtherWordsAreFar) {
  const auto model = test::line_model({0, 1000, 2000, 3000, 4000, 5000});
  for (const char* beta : {"0.3", "0.05", "0.001"}) {
    const double limit = parse_number("beta", beta, Infinity::refused);
    const Mechanism tem = built(model, {{"epsilon", "1"}, {"beta", beta}});
    EXPECT_NEAR(gamma_of(tem), 2 * std::log((1 - limit) * 5 / limit), 1e-12);
    for (std::size_t w = 0; w < 6; ++w) EXPECT_NEAR(beyond(tem, word_id(w)), limit, kRounding);
    const Mechanism smaller = built(model, {{"epsilon", "1"}, {"gamma", number_text(0.99 * gamma_of(tem))}});
    EXPECT_GT(beyond(smaller, word_id(0)), limit * 1.005);
  }
}

// The printed statement asks for beta > 0 only. From beta = 1 on its gamma is not a number or not positive,
// and on two words from beta = 0.5 on: tem refuses them.
TEST(TemTheorem3, NeedsABetaThatLeavesAPositiveGamma) {
  const auto model = test::line_model({0, 1000});
  for (const char* beta : {"0.5", "0.7", "1", "1.5"}) {
    EXPECT_THROW(built(model, {{"epsilon", "1"}, {"beta", beta}}), Error) << beta;
  }
  EXPECT_NEAR(beyond(built(model, {{"epsilon", "1"}, {"beta", "0.4"}}), word_id(0)), 0.4, kRounding);
}

// `exact` keeps gamma and has a larger slope: words beyond gamma are less likely still.
TEST(TemTheorem3, HoldsForTheExactCalibration) {
  for (const double scale : {5.0, 40.0}) {
    const auto model = test::gaussian_model({.words = 60, .dim = 3, .scale = scale});
    for (const char* epsilon : {"0.5", "2"}) {
      const ParameterTexts paper = {{"epsilon", epsilon}, {"beta", "0.05"}};
      ParameterTexts exact = paper;
      exact["calibration"] = "exact";
      const Mechanism calibrated = built(model, exact);
      EXPECT_EQ(gamma_of(calibrated), gamma_of(built(model, paper)));
      EXPECT_LE(largest_beyond(calibrated), largest_beyond(built(model, paper)) + kRounding);
    }
  }
}

// The proof gives the input the weight 1, and each of the others at most that. With base weights it fails:
// two words, eps 1, beta 0.1, weights 0.1 and 1. Then P(beyond gamma | w0) = (1/9) / (0.1 + 1/9) = 10/19.
TEST(TemTheorem3, FailsWithBaseWeights) {
  const auto model = test::line_model({0, 1000});
  const double gamma = 2 * std::log(9);
  const Tem tem(Space::make(model, Metric::euclidean),
                {.slope = 0.5, .gamma = gamma, .base_weights = {0.1, 1}});
  EXPECT_NEAR(std::exp(tem.log_law(word_id(0)).value()[1]), 10.0 / 19, kRounding);
  EXPECT_LE(std::exp(tem.log_law(word_id(1)).value()[0]), 0.1);
}

// The weights of `flat` come near Z = 1, where c <= 1, so P(beyond gamma) <= (n-1) exp(-e0 gamma): at most
// beta / (1 - beta) if e0 is eps/2, and less for the larger slopes that `flat` finds.
TEST(TemTheorem3, FlatCalibrationKeepsTheWeakerBound) {
  for (const double scale : {5.0, 40.0}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto model = test::gaussian_model({.words = 60, .dim = 3, .scale = scale, .seed = seed});
      const Mechanism flat = built(model, {{"epsilon", "1"}, {"beta", "0.05"}, {"calibration", "flat"}});
      EXPECT_LE(largest_beyond(flat), 0.05 / 0.95 + kRounding);
    }
  }
}

}  // namespace
}  // namespace sotto
