#include "certify/float_pairs.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <numeric>

#include "certify/float_vocabularies.h"

namespace sotto {
namespace {

using test::float_vocabularies;
using test::FloatVocabulary;
using test::kAny;

// Calls body once for each instruction set of this machine.
template <typename Body>
void on_each_target(Body body) {
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    body();
    hwy::SetSupportedTargetsForTest(0);
  }
}

struct Violations {
  std::size_t pairs = 0;  // all that are not near
  std::size_t wrong = 0;  // of them, those whose float32 distance is further off than the tolerance
};
Violations violations(const FloatPairs& floats) {
  const AllPairs& pairs = floats.pairs();
  std::vector<std::size_t> order(pairs.rows());
  std::iota(order.begin(), order.end(), 0U);
  const FloatPairs::Panels panels(floats, order, std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> all(kFloatPanel / kFloatStrip, std::numeric_limits<float>::infinity());
  std::vector<FloatHit> hits(kFloatPanel * kFloatPanel);
  Violations out;
  std::size_t met = 0;
  for (std::size_t i = 0; i < panels.count(); ++i) {
    for (std::size_t j = 0; j < panels.count(); ++j) {
      const std::size_t count =
          find_float_pairs({.tile = panels.tile(i, j), .low = all.data(), .high = all.data()}, hits.data());
      met += count;
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t a = i * kFloatPanel + hits[k].place / kFloatPanel;
        const std::size_t b = j * kFloatPanel + hits[k].place % kFloatPanel;
        const double distance = std::sqrt(std::max(0.0, static_cast<double>(hits[k].square)));
        if (distance < floats.reach(a) + floats.reach(b)) continue;
        ++out.pairs;
        const double exact = pairs.space().distance(pairs.word(a), pairs.word(b));
        if (std::abs(distance - exact) > floats.tolerance()) ++out.wrong;
      }
    }
  }
  EXPECT_EQ(met, pairs.rows() * pairs.rows());
  return out;
}

TEST(FloatPairs, DistancesAreNearOrWithinTheTolerance) {
  for (const FloatVocabulary& vocabulary : float_vocabularies()) {
    const AllPairs pairs(Space::make(vocabulary.model, Metric::euclidean));
    const auto floats = FloatPairs::make(pairs, kAny);
    ASSERT_TRUE(floats) << vocabulary.name;
    on_each_target([&] {
      const Violations found = violations(*floats);
      EXPECT_EQ(found.wrong, 0U) << vocabulary.name;
      // Nearly all pairs are told apart by float32.
      EXPECT_GT(found.pairs, pairs.rows() * pairs.rows() * 3 / 5) << vocabulary.name;
    });
  }
}

// The check above finds an error bound that is too small.
TEST(FloatPairs, APlantedErrorBoundIsFound) {
  for (const FloatVocabulary& vocabulary : float_vocabularies()) {
    if (vocabulary.name != "copies and near-duplicates") continue;
    const AllPairs pairs(Space::make(vocabulary.model, Metric::euclidean));
    const auto floats = FloatPairs::make(pairs, {.least_rows = 2, .most_near = 1, .error_share = 1e-4});
    ASSERT_TRUE(floats);
    EXPECT_GT(violations(*floats).wrong, 0U);
  }
}

TEST(FloatPairs, LogSumsAreWithinTheirError) {
  for (const FloatVocabulary& vocabulary : float_vocabularies()) {
    const AllPairs pairs(Space::make(vocabulary.model, Metric::euclidean));
    const auto floats = FloatPairs::make(pairs, kAny);
    ASSERT_TRUE(floats) << vocabulary.name;
    std::vector<double> weights(pairs.multiplicities().begin(), pairs.multiplicities().end());
    for (std::size_t r = 0; r < weights.size(); ++r)
      weights[r] *= std::pow(10.0, -static_cast<double>(r % 4));
    for (const AllPairs::Kernel kernel :
         {AllPairs::Kernel{.slope = 0.3, .gamma = 2.5}, AllPairs::Kernel{.slope = 5, .gamma = 30},
          AllPairs::Kernel{.slope = 40, .gamma = 17}}) {
      const auto exact = pairs.kernel_sums(kernel, weights, {});
      const auto sums = floats->log_sums(kernel, weights, {.threads = 2});
      const double bound = floats->log_error(kernel);
      EXPECT_LT(bound, 0.02 * std::max(1.0, kernel.slope)) << vocabulary.name;
      for (std::size_t r = 0; r < pairs.rows(); ++r) {
        ASSERT_NEAR(sums.logs[r], std::log(exact[r]), bound) << vocabulary.name << ' ' << kernel.slope;
      }
      const auto again = floats->log_sums(kernel, weights, {.threads = 1});
      EXPECT_EQ(sums.logs, again.logs) << "threads change nothing";
    }
  }
}

TEST(FloatPairs, NearestAndFarthestAreWithinTheTolerance) {
  for (const FloatVocabulary& vocabulary : float_vocabularies()) {
    const AllPairs pairs(Space::make(vocabulary.model, Metric::euclidean));
    const auto floats = FloatPairs::make(pairs, kAny);
    ASSERT_TRUE(floats) << vocabulary.name;
    const auto sums = floats->log_sums({.slope = 1, .gamma = 9}, pairs.multiplicities(), {});
    for (std::size_t a = 0; a < pairs.rows(); ++a) {
      double nearest = HUGE_VAL;
      double farthest = 0;
      for (std::size_t b = 0; b < pairs.rows(); ++b) {
        if (a == b) continue;
        const double d = pairs.space().distance(pairs.word(a), pairs.word(b));
        nearest = std::min(nearest, d);
        farthest = std::max(farthest, d);
      }
      ASSERT_NEAR(sums.nearest[a], nearest, floats->tolerance()) << vocabulary.name;
      ASSERT_NEAR(sums.farthest[a], farthest, floats->tolerance()) << vocabulary.name;
    }
  }
}

// All exponents: every float of one step in 64 between -125 and 0.
TEST(FloatPairs, PowersOfTwoAreWithinTheirUnits) {
  std::vector<float> in;
  for (float t = -125; t < 0; t = std::nextafter(t * (1 - 3e-6F), 0.0F)) {
    in.push_back(t);
    if (t > -1e-9F) break;
  }
  in.push_back(0);
  while (in.size() % 16 != 0) in.push_back(-0.5F);
  std::vector<float> out(in.size());
  on_each_target([&] {
    float_exp2(in.data(), out.data(), in.size());
    double largest = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double exact = std::exp2(static_cast<double>(in[i]));
      largest = std::max(largest, std::abs(static_cast<double>(out[i]) / exact - 1));
    }
    EXPECT_LT(largest, kExp2Units * 0x1p-24);
    EXPECT_GT(largest, 0x1p-25);  // the test sees errors of this size
  });
}

TEST(FloatPairs, ServesEuclideanDistancesOfUsualLengthsOnly) {
  const auto model = test::gaussian_words(300, 5).model;
  for (const Metric metric : {Metric::manhattan, Metric::chebyshev, Metric::angular, Metric::chord}) {
    EXPECT_FALSE(FloatPairs::make(AllPairs(Space::make(model, metric)), kAny)) << metric_name(metric);
  }
  const AllPairs usual(Space::make(model, Metric::euclidean));
  EXPECT_TRUE(FloatPairs::make(usual, kAny));
  EXPECT_FALSE(FloatPairs::make(usual)) << "few rows";
  const auto scaled = test::gaussian_model({.words = 300, .dim = 5, .scale = 1e20});
  EXPECT_FALSE(FloatPairs::make(AllPairs(Space::make(scaled, Metric::euclidean)), kAny));
  // Far from the origin all pairs are near.
  test::VocabularyMaker make(5);
  for (std::size_t i = 0; i < 300; ++i) {
    std::vector<float> x = make.noise(1);
    for (float& value : x) value += 1000;
    make.add(x);
  }
  EXPECT_FALSE(
      FloatPairs::make(AllPairs(Space::make(make.take("far").model, Metric::euclidean)), {.least_rows = 2}));
}

}  // namespace
}  // namespace sotto
