#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mechanisms/build.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

using test::kLine;

using Law = std::vector<std::vector<double>>;

struct Rule {
  std::vector<double> t;
  bool exclude_input = false;
};

// An independent slow reference on a line: midpoint quadrature over the noisy place.
Law line_law(const std::vector<float>& places, double epsilon, const Rule& rule) {
  const std::size_t n = places.size();
  Law law(n, std::vector<double>(n, 0.0));
  const double step = 2e-4;
  for (std::size_t w = 0; w < n; ++w) {
    for (int i = 0; i < 380000; ++i) {
      const double x = -36 + (i + 0.5) * step;
      std::vector<std::pair<double, std::size_t>> near;
      for (std::size_t y = 0; y < n; ++y) {
        if (rule.exclude_input && y == w) continue;
        near.emplace_back(std::abs(x - places[y]), y);
      }
      std::sort(near.begin(), near.end());
      const double mass = step * epsilon / 2 * std::exp(-epsilon * std::abs(x - places[w]));
      if (rule.t.size() == 1) {
        const double t = rule.t[0];
        const double first = (1 - t) * near[1].first / (t * near[0].first + (1 - t) * near[1].first);
        law[w][near[0].second] += mass * first;
        law[w][near[1].second] += mass * (1 - first);
      } else {
        double z = 0;
        for (std::size_t r = 0; r < rule.t.size(); ++r) z += std::exp(-rule.t[r] * near[r].first);
        for (std::size_t r = 0; r < rule.t.size(); ++r) {
          law[w][near[r].second] += mass * std::exp(-rule.t[r] * near[r].first) / z;
        }
      }
    }
  }
  return law;
}

double realised(const Law& law, const std::vector<float>& places) {
  double worst = 0;
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t y = 0; y < places.size(); ++y) {
        worst = std::max(worst, std::abs(std::log(law[a][y] / law[b][y])) / std::abs(places[a] - places[b]));
      }
    }
  }
  return worst;
}

void expect_sampled(const std::vector<float>& places, const ParameterTexts& texts, const Law& law) {
  const Mechanism vickrey = build_uncertified("vickrey", test::line_model(places), texts);
  Rng rng = Rng::seeded_not_private(17);
  for (std::size_t w = 0; w < places.size(); ++w) {
    const auto counts = test::sample_counts(*vickrey.words, word_id(w), places.size(), 400000, rng);
    EXPECT_GT(test::fit(counts, law[w]), test::kFalseAlarm) << w;  // 1e-9 each
  }
}

TEST(Vickrey, FollowsTheRuleOfTwoAndKeepsItsEpsilon) {  // docs/specification.md section 3
  for (const char* t : {"0", "0.25", "0.5", "0.75", "1"}) {
    const Law law = line_law(kLine, 1, {.t = {std::stod(t)}});
    EXPECT_NEAR(realised(law, kLine), 1, 1e-5) << t;
    expect_sampled(kLine, {{"epsilon", "1"}, {"t", t}}, law);
  }
  const Law half = line_law(kLine, 1, {.t = {0.5}});
  const double expected[] = {.553011, .354974, .072863, .019152};
  for (std::size_t y = 0; y < 4; ++y) EXPECT_NEAR(half[0][y], expected[y], 1e-6);
}

TEST(Vickrey, FollowsTheExponentialRule) {
  const Law law = line_law(kLine, 1, {.t = {0.5, 2, 0}});
  EXPECT_LE(realised(law, kLine), 1 + 1e-5);
  expect_sampled(kLine, {{"epsilon", "1"}, {"t", "0.5,2,0"}}, law);
}

TEST(Vickrey, WithoutTheInputNothingIsPrivate) {  // W = {0, 1, 3}, t = 0
  const std::vector<float> places = {0, 1, 3};
  const Law law = line_law(places, 1, {.t = {0}, .exclude_input = true});
  EXPECT_EQ(law[0][0], 0);
  EXPECT_NEAR(law[1][0], 0.696735, 1e-6);
  const ParameterTexts texts = {{"epsilon", "1"}, {"t", "0"}, {"exclude-input", "true"}};
  expect_sampled(places, texts, law);
  const Mechanism vickrey = build_uncertified("vickrey", test::line_model(places), texts);
  EXPECT_EQ(vickrey.claim.status, Status::not_private);
  EXPECT_FALSE(vickrey.claim.largest_word_loss.has_value());
}

// Squares of the noise overflow: the first words stand for the nearest ones. Both rules then go by t alone,
// and the input word is left out of the candidates as ever. Without that the rules computed NaN, and the
// second had no candidates.
TEST(Vickrey, HasADefinedAnswerWhereDistancesOverflow) {
  Rng rng = Rng::seeded_not_private(19);
  const auto counts = [&](const ParameterTexts& texts) {
    const Mechanism vickrey = build_uncertified("vickrey", test::line_model({0, 1, 3, 7}), texts);
    return test::sample_counts(*vickrey.words, word_id(0), 4, 10000, rng);
  };
  const auto of_two = counts({{"epsilon", "1e-300"}, {"t", "0.25"}});
  EXPECT_NEAR(static_cast<double>(of_two[0]), 7500, 270);  // false-alarm rate below 1e-9
  EXPECT_EQ(of_two[0] + of_two[1], 10000U);
  const auto by_weight = counts({{"epsilon", "1e-300"}, {"t", "0,0,0"}});
  for (std::size_t word = 0; word < 3; ++word) {
    EXPECT_NEAR(static_cast<double>(by_weight[word]), 10000.0 / 3, 300);  // the same
  }
  const auto others = counts({{"epsilon", "1e-300"}, {"t", "0"}, {"exclude-input", "true"}});
  EXPECT_EQ(others[1], 10000U);
}

TEST(Vickrey, OnMahalanobisNoise) {
  // Two words: with t = 1 the farther of the two always comes out.
  const auto model = Model::from_words({"left", "right"}, {-1, 0, 1, 0}, 2);
  const Mechanism vickrey = build_uncertified(
      "vickrey", model, {{"epsilon", "100"}, {"t", "1"}, {"noise", "mahalanobis"}, {"lambda", "0.5"}});
  Rng rng = Rng::seeded_not_private(18);
  EXPECT_EQ(test::sample_counts(*vickrey.words, word_id(0), 2, 1000, rng)[1], 1000U);
  EXPECT_THAT(vickrey.claim.guarantee, ::testing::HasSubstr("Mahalanobis"));
}

TEST(Vickrey, RefusesWhatItCannotProve) {
  const auto model = test::line_model(kLine);
  for (const char* metric : {"angular", "chord", "poincare", "cosine"}) {
    try {
      build_uncertified("vickrey", model, {{"epsilon", "1"}, {"metric", metric}});
      FAIL() << metric;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("`metric` euclidean"));
    }
  }
  for (const char* t : {"1.5", "-0.1", "1,2,3,4,5", "nan", ""}) {
    EXPECT_THROW(build_uncertified("vickrey", model, {{"epsilon", "1"}, {"t", t}}), Error) << t;
  }
  EXPECT_THROW(
      build_uncertified("vickrey", test::line_model({0, 1}), {{"epsilon", "1"}, {"exclude-input", "true"}}),
      Error);
}

}  // namespace
}  // namespace sotto
