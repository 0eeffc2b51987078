#include "certify/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "certify/flat_weights.h"
#include "support/models.h"

namespace sotto {
namespace {

using test::kLine;
using test::line_model;

ExponentialLaw plain(double slope, double gamma = HUGE_VAL) {
  return {.slope = slope, .gamma = gamma, .base_weights = {}};
}

// The manhattan case of docs/specification.md section 4.2: words 0, .5 e_0, 3 e_1 .. 3 e_2000.
std::shared_ptr<const Model> manhattan_star() {
  constexpr std::size_t kDim = 2001;
  std::vector<std::string> words = {"a0", "a1"};
  std::vector<float> vectors(2002 * kDim, 0.0F);
  vectors[kDim] = 0.5F;
  for (std::size_t i = 2; i < 2002; ++i) {
    words.push_back("b" + std::to_string(i));
    vectors[i * kDim + i - 1] = 3;
  }
  return Model::from_words(words, vectors, kDim);
}

TEST(Calibration, TheCertificateIsNotMonotoneAndBisectionIsFooled) {
  const AllPairs pairs(Space::make(manhattan_star(), Metric::manhattan));
  const auto realised = [&](double slope) {
    return certify_tem(pairs, plain(slope), {}).certificate.realised_epsilon;
  };
  EXPECT_NEAR(realised(2.25), 3.378975, 1e-6);
  EXPECT_NEAR(realised(2.75), 3.246671, 1e-6);
  const CalibratedLaw found =
      calibrate(pairs, {.calibration = Calibration::exact, .epsilon = 3.3, .gamma = HUGE_VAL}, {});
  EXPECT_NEAR(found.law.slope, 3.0574, 1e-4);  // bisection stops at 1.8726
  EXPECT_LE(found.certified.certificate.realised_epsilon, 3.3);
}

TEST(Calibration, ExactKeepsToEpsilonAndUsesItUp) {
  for (const Metric metric : {Metric::euclidean, Metric::angular, Metric::chebyshev}) {
    const AllPairs pairs(Space::make(test::gaussian_model({.words = 300, .dim = 6}), metric));
    for (const double epsilon : {0.3, 1.0, 4.0}) {
      for (const double gamma : {0.4, HUGE_VAL}) {
        const CalibratedLaw found =
            calibrate(pairs, {.calibration = Calibration::exact, .epsilon = epsilon, .gamma = gamma}, {});
        const double realised = certify_tem(pairs, found.law, {}).certificate.realised_epsilon;
        EXPECT_LE(realised, epsilon);
        EXPECT_GE(found.law.slope, epsilon / 2 * (1 - 1e-3));
        // No step of 1% above it passes, up to the top of the scan.
        const double top = 1.02 * found.law.slope;
        EXPECT_GT(certify_tem(pairs, plain(top, gamma), {}).certificate.realised_epsilon, epsilon)
            << metric_name(metric) << ' ' << epsilon << ' ' << gamma;
      }
    }
  }
}

// gamma below every distance: the slope may exceed epsilon, since the loss slope * gamma is divided by D0.
TEST(Calibration, ASmallGammaAllowsASteeperSlope) {
  const AllPairs pairs(Space::make(line_model({0, 2, 4, 6}), Metric::euclidean));
  const CalibratedLaw found =
      calibrate(pairs, {.calibration = Calibration::exact, .epsilon = 1, .gamma = 0.5}, {});
  EXPECT_GT(found.law.slope, 1.0);
  EXPECT_LE(found.certified.certificate.realised_epsilon, 1.0);
}

TEST(FlatWeights, TheLineOfTheSpecification) {  // docs/specification.md section 4.2
  const AllPairs pairs(Space::make(line_model(kLine), Metric::euclidean));
  const FlatWeights flat = flat_weights(pairs, {.kernel = {.slope = 1, .gamma = HUGE_VAL}}, {});
  const double expected[] = {.7310585786, .5486330548, .6351489524, .8175744762};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(flat.weights[i], expected[i], 1e-10);
    EXPECT_NEAR(flat.sums[i], 1, 1e-10);
  }
  const ExponentialLaw law{.slope = 1, .gamma = HUGE_VAL, .base_weights = flat.weights};
  EXPECT_NEAR(certify_tem(pairs, law, {}).certificate.realised_epsilon, 1, 1e-9);
  const auto row = Tem(Space::make(line_model(kLine), Metric::euclidean), law).log_law(word_id(0)).value();
  const double probabilities[] = {.7310585786, .2018308216, .0521362009, .0149743989};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(std::exp(row[i]), probabilities[i], 1e-9);
}

// The iteration of the specification, slow and obvious: c <- c/(Kc), then the floor.
TEST(FlatWeights, AreThoseOfTheMultiplicativeIteration) {
  const AllPairs pairs(Space::make(test::gaussian_model({.words = 80, .dim = 4}), Metric::euclidean));
  const AllPairs::Kernel kernel{.slope = 4, .gamma = HUGE_VAL};
  std::vector<double> c(80, 1.0);
  for (int round = 0; round < 20'000; ++round) {
    const auto sums = pairs.kernel_sums(kernel, c, {});
    for (std::size_t i = 0; i < c.size(); ++i) c[i] /= sums[i];
  }
  const FlatWeights flat = flat_weights(pairs, {.kernel = kernel}, {});
  ASSERT_EQ(flat.held, 0U);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(flat.weights[i], c[i], 1e-6);
}

// Where no positive solution exists some rows are held at the floor, whose Z is then above 1; all others
// have 1.
TEST(FlatWeights, HoldRowsAtTheFloor) {
  const AllPairs pairs(Space::make(test::gaussian_model({.words = 200, .dim = 4}), Metric::euclidean));
  const FlatWeights flat =
      flat_weights(pairs, {.kernel = {.slope = 0.8, .gamma = HUGE_VAL}, .tolerance = 1e-9}, {});
  ASSERT_GT(flat.held, 0U);
  const double largest = *std::max_element(flat.weights.begin(), flat.weights.end());
  std::size_t held = 0;
  for (std::size_t i = 0; i < flat.weights.size(); ++i) {
    EXPECT_GE(flat.weights[i], 0.9e-3 * largest);
    if (flat.weights[i] < 1.1e-3 * largest) {
      ++held;
      EXPECT_GE(flat.sums[i], 1 - 1e-8);
    } else {
      EXPECT_NEAR(flat.sums[i], 1, 1e-7);
    }
  }
  EXPECT_EQ(held, flat.held);
}

// Gradients by distances of 8 bits, residuals by float32: the normalisers come out as equal as asked for.
TEST(FlatWeights, AreSharpWithRoughDistances) {
  const AllPairs pairs(Space::make(test::gaussian_model({.words = 600, .dim = 6}), Metric::euclidean));
  const auto floats = FloatPairs::make(pairs, {.least_rows = 2, .most_near = 1});
  ASSERT_TRUE(floats);
  const auto rough = pairs.rough_distances(pairs.space().diameter_bound(), {});
  for (const double slope : {1.0, 3.0}) {
    const AllPairs::Kernel kernel{.slope = slope, .gamma = HUGE_VAL};
    const auto worst_of = [&](const FloatPairs* sharp) {
      FlatRequest request{.kernel = kernel, .tolerance = 2e-5, .rough = &rough, .floats = sharp};
      const FlatWeights flat = flat_weights(pairs, request, {});
      const auto sums = pairs.kernel_sums(kernel, flat.weights, {});
      // The certificate takes these for its first pass: they must belong to the weights that came out.
      EXPECT_EQ(flat.float_sums.has_value(), sharp != nullptr);
      for (std::size_t i = 0; sharp != nullptr && i < sums.size(); ++i) {
        EXPECT_NEAR(flat.float_sums->logs[i], std::log(sums[i]), sharp->log_error(kernel));
      }
      const double largest = *std::max_element(flat.weights.begin(), flat.weights.end());
      double worst = 0;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        if (flat.weights[i] > 1.1e-3 * largest) worst = std::max(worst, std::abs(sums[i] - 1));
      }
      return worst;
    };
    EXPECT_LT(worst_of(&*floats), 5e-5) << slope;
    EXPECT_GT(worst_of(nullptr), 2e-4) << "8 bits alone do not suffice";
  }
}

TEST(Calibration, FlatKeepsToEpsilon) {
  for (const Metric metric : {Metric::euclidean, Metric::chebyshev, Metric::angular}) {
    const AllPairs pairs(Space::make(test::gaussian_model({.words = 200, .dim = 5}), metric));
    for (const double epsilon : {0.8, 3.0, 12.0}) {
      const CalibratedLaw found =
          calibrate(pairs, {.calibration = Calibration::flat, .epsilon = epsilon, .gamma = 5}, {});
      const double realised = certify_tem(pairs, found.law, {}).certificate.realised_epsilon;
      EXPECT_LE(realised, epsilon);
      // The kernel of the maximum metric is not positive definite: weights then come from a number of
      // multiplicative rounds, and the certificate may jump across epsilon between two slopes.
      const double reached = metric == Metric::chebyshev ? 0.98 : 0.998;
      EXPECT_GE(realised, epsilon * reached) << metric_name(metric) << ' ' << epsilon;
    }
  }
}

TEST(Calibration, AnInterruptedRunGoesOnWhereItWas) {
  const AllPairs pairs(Space::make(test::gaussian_model({.words = 300, .dim = 6}), Metric::euclidean));
  for (const Calibration calibration : {Calibration::exact, Calibration::flat}) {
    CalibrationRequest request{.calibration = calibration, .epsilon = 1.5, .gamma = HUGE_VAL};
    std::vector<CalibrationState> states;
    request.checkpoint = [&](const CalibrationState& state) { states.push_back(state); };
    const CalibratedLaw whole = calibrate(pairs, request, {});
    ASSERT_GE(states.size(), 2U);
    request.checkpoint = {};
    request.state = states[states.size() - 2];
    const CalibratedLaw resumed = calibrate(pairs, request, {});
    EXPECT_LE(resumed.certified.certificate.realised_epsilon, 1.5);
    EXPECT_NEAR(resumed.law.slope, whole.law.slope, 2e-3 * whole.law.slope);
  }
}

}  // namespace
}  // namespace sotto
