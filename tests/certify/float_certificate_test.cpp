#include "certify/float_certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "certify/float_vocabularies.h"
#include "core/median.h"

namespace sotto {
namespace {

using test::float_vocabularies;
using test::FloatVocabulary;
using test::kAny;

// The passes in doubles.
struct Reference {
  std::vector<double> logs;
  AllPairs::LossAnswer losses;
  double additive = 0;
};
Reference reference(const AllPairs& pairs, const ExponentialLaw& law) {
  Reference out;
  const AllPairs::Kernel kernel{.slope = law.slope, .gamma = usable_gamma(law.gamma, law.slope)};
  out.logs = pairs.kernel_sums(kernel, row_weights(pairs, law), {});
  for (double& value : out.logs) value = std::log(value);
  const auto question = loss_question(pairs.space(), law, out.logs);
  out.losses = pairs.largest_losses(question, {});
  out.additive = question.allowance;
  return out;
}

void expect_same(const PairLoss& one, const PairLoss& other, const FloatVocabulary& vocabulary) {
  if (!vocabulary.has_ties) {
    EXPECT_EQ(one.first, other.first) << vocabulary.name;
    EXPECT_EQ(one.second, other.second) << vocabulary.name;
  }
  // Less the last digits: ln Z is added up in another order, and what rounding does to it is divided by a
  // distance that may be tiny.
  const double slack = 1e-12 / std::max(one.distance, 1e-9);
  EXPECT_NEAR(one.epsilon, other.epsilon, 1e-11 * other.epsilon + slack) << vocabulary.name;
}

std::vector<ExponentialLaw> laws_for(const Model& model) {
  std::vector<double> weights(model.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::pow(0.7, static_cast<double>(i % 12));
  return {{.slope = 1, .gamma = 1e9, .base_weights = {}},
          {.slope = 0.5, .gamma = 1.5, .base_weights = {}},
          {.slope = 12, .gamma = 6, .base_weights = {}},
          {.slope = 2, .gamma = 1e9, .base_weights = weights}};
}

TEST(FloatCertificate, IsThatOfThePassesInDoubles) {
  for (const FloatVocabulary& vocabulary : float_vocabularies()) {
    const AllPairs pairs(Space::make(vocabulary.model, Metric::euclidean));
    const auto floats = FloatPairs::make(pairs, kAny);
    ASSERT_TRUE(floats) << vocabulary.name;
    for (const ExponentialLaw& law : laws_for(*vocabulary.model)) {
      SCOPED_TRACE(vocabulary.name + ", slope " + std::to_string(law.slope));
      const Reference slow = reference(pairs, law);
      const auto quick = float_answer(*floats, law, {.threads = 2});
      ASSERT_TRUE(quick);
      ASSERT_EQ(quick->losses.worst.size(), slow.losses.worst.size());
      for (std::size_t i = 0; i < slow.losses.worst.size(); ++i) {
        expect_same(quick->losses.worst[i], slow.losses.worst[i], vocabulary);
      }
      ASSERT_EQ(quick->losses.bands.size(), slow.losses.bands.size());
      for (std::size_t i = 0; i < slow.losses.bands.size(); ++i) {
        expect_same(quick->losses.bands[i], slow.losses.bands[i], vocabulary);
      }
      EXPECT_NEAR(quick->losses.largest_loss, slow.losses.largest_loss, 1e-12 * slow.losses.largest_loss);
      EXPECT_EQ(quick->losses.largest_unbounded_loss, slow.losses.largest_unbounded_loss);
      EXPECT_EQ(quick->losses.largest_distance, slow.losses.largest_distance);
      std::vector<double> nearest = slow.losses.nearest;
      EXPECT_EQ(quick->smallest_distance, *std::min_element(nearest.begin(), nearest.end()));
      EXPECT_EQ(quick->median_nearest, median(nearest));

      // What is stored: exact for the worst pairs, and so exact that no pair exceeds the certificate.
      const double gamma = usable_gamma(law.gamma, law.slope);
      const double error = floats->log_error({.slope = law.slope, .gamma = gamma});
      const double realised = quick->losses.worst.empty() ? 0 : quick->losses.worst.front().epsilon;
      for (std::size_t r = 0; r < pairs.rows(); ++r) {
        ASSERT_NEAR(quick->log_partitions[r], slow.logs[r], error);
        for (std::size_t y = 0; y < pairs.rows(); ++y) {
          if (y == r) continue;
          const double d = pairs.space().distance(pairs.word(r), pairs.word(y));
          const double loss =
              law.slope * std::min(d, gamma) + std::abs(slow.logs[r] - quick->log_partitions[y]);
          ASSERT_LE(loss, quick->losses.largest_loss);
          ASSERT_LE(loss, realised * d + slow.additive);
        }
      }
      for (const PairLoss& pair : quick->losses.worst) {
        for (const WordId word : {pair.first, pair.second}) {
          ASSERT_NEAR(quick->log_partitions[pairs.row(word)], slow.logs[pairs.row(word)], 1e-12);
        }
      }
    }
  }
}

TEST(FloatCertificate, ThreadsAndAKnownFirstPassChangeNothing) {
  const auto vocabulary = test::gaussian_words(1500, 12);
  const AllPairs pairs(Space::make(vocabulary.model, Metric::euclidean));
  const auto floats = FloatPairs::make(pairs, kAny);
  ASSERT_TRUE(floats);
  const ExponentialLaw law{.slope = 1.5, .gamma = 1e9, .base_weights = {}};
  const auto one = float_answer(*floats, law, {.threads = 1});
  const auto many = float_answer(*floats, law, {.threads = 5});
  const auto known =
      float_answer(*floats, law, {},
                   floats->log_sums({.slope = law.slope, .gamma = law.gamma}, row_weights(pairs, law), {}));
  for (const auto& other : {many, known}) {
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->log_partitions, other->log_partitions);
    ASSERT_EQ(one->losses.worst.size(), other->losses.worst.size());
    for (std::size_t i = 0; i < one->losses.worst.size(); ++i) {
      EXPECT_EQ(one->losses.worst[i].epsilon, other->losses.worst[i].epsilon);
    }
  }
}

// With an error bound that is too small, near pairs are misjudged: the comparison with the passes in doubles
// finds that.
TEST(FloatCertificate, APlantedErrorBoundIsFound) {
  // Forty words close together far from the origin: the squares of their lengths, 3600, drown the squares of
  // their distances.
  test::VocabularyMaker make(4);
  for (std::size_t i = 0; i < 400; ++i) make.add(make.noise(40));
  for (std::size_t i = 0; i < 40; ++i) {
    std::vector<float> x = make.noise(0.004);
    x[1] += 60;
    make.add(x);
  }
  const AllPairs pairs(Space::make(make.take("planted").model, Metric::euclidean));
  const auto mistakes = [&](double error_share) {
    std::size_t count = 0;
    const auto floats =
        FloatPairs::make(pairs, {.least_rows = 2, .most_near = 1, .error_share = error_share});
    for (const double slope : {4.0, 60.0, 200.0}) {
      const ExponentialLaw law{.slope = slope, .gamma = 1e9, .base_weights = {}};
      const Reference slow = reference(pairs, law);
      const auto quick = float_answer(*floats, law, {});
      const auto differ = [](const std::vector<PairLoss>& one, const std::vector<PairLoss>& other) {
        return !std::equal(one.begin(), one.end(), other.begin(), other.end(),
                           [](const PairLoss& a, const PairLoss& b) {
                             return std::abs(a.epsilon - b.epsilon) <= 1e-9 * b.epsilon;
                           });
      };
      count += !quick || differ(quick->losses.worst, slow.losses.worst) ? 1 : 0;
      count += !quick || differ(quick->losses.bands, slow.losses.bands) ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(mistakes(1), 0U);
  EXPECT_GT(mistakes(1e-5), 0U);
}

// So many ties that float32 cannot decide: the caller then takes the passes in doubles.
TEST(FloatCertificate, GivesUpWhereItDecidesTooLittle) {
  const auto vocabulary = test::gaussian_words(2500, 3);
  const AllPairs pairs(Space::make(vocabulary.model, Metric::euclidean));
  const auto floats = FloatPairs::make(pairs);
  ASSERT_TRUE(floats);
  // All losses are far below what float32 can tell apart, and below the allowance.
  const ExponentialLaw law{.slope = 1e-12, .gamma = 1e9, .base_weights = {}};
  EXPECT_FALSE(float_answer(*floats, law, {}));
  const TemCertificate certified = certify_tem(pairs, law, {});
  EXPECT_EQ(certified.certificate.realised_epsilon, 0);
}

}  // namespace
}  // namespace sotto
