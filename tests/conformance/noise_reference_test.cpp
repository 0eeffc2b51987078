// laplace, mahalanobis and vickrey in the plane, held to an independent reference: quadrature over the radius
// and the angle of the noise. (On a line their own tests do the same.) 20 comparisons at 1e-9 each.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mechanisms/build.h"
#include "sotto/mechanism.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

constexpr std::size_t kPlaceCount = 5;
constexpr std::array<std::array<double, 2>, kPlaceCount> kPlaces = {
    {{0, 0}, {1, 0.25}, {-0.5, 1}, {2, -1}, {0.5, 2}}};

std::shared_ptr<const Model> plane_model() {
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t w = 0; w < kPlaceCount; ++w) {
    words.push_back("w" + std::to_string(w));
    for (const double x : kPlaces[w]) vectors.push_back(static_cast<float>(x));
  }
  return Model::from_words(words, vectors, 2);
}

using Matrix = std::array<std::array<double, 2>, 2>;

// S = lambda * Sigma / (mean variance) + (1 - lambda) I, written out for the plane; its root by Cholesky.
Matrix root_of_shape(double lambda) {
  std::array<double, 2> mean{};
  for (const auto& place : kPlaces) {
    for (std::size_t i = 0; i < 2; ++i) mean[i] += place[i] / kPlaceCount;
  }
  Matrix s{};
  for (const auto& place : kPlaces) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j)
        s[i][j] += (place[i] - mean[i]) * (place[j] - mean[j]) / (kPlaceCount - 1);
    }
  }
  const double variance = (s[0][0] + s[1][1]) / 2;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) s[i][j] = lambda * s[i][j] / variance + (i == j ? 1 - lambda : 0);
  }
  Matrix root{};
  root[0][0] = std::sqrt(s[0][0]);
  root[1][0] = s[1][0] / root[0][0];
  root[1][1] = std::sqrt(s[1][1] - root[1][0] * root[1][0]);
  return root;
}

// Adds `mass` to the outputs of one noisy place: t < 0 is the nearest word, else the rule of two.
void add_outputs(const std::array<double, 2>& noisy, double mass, double t, std::vector<double>& law) {
  std::size_t first = kPlaceCount;
  std::size_t second = kPlaceCount;
  std::array<double, kPlaceCount> d{};
  for (std::size_t y = 0; y < kPlaceCount; ++y) {
    d[y] = std::hypot(noisy[0] - kPlaces[y][0], noisy[1] - kPlaces[y][1]);
    if (first == kPlaceCount || d[y] < d[first]) {
      second = first;
      first = y;
    } else if (second == kPlaceCount || d[y] < d[second]) {
      second = y;
    }
  }
  const double p = t < 0 ? 1 : (1 - t) * d[second] / (t * d[first] + (1 - t) * d[second]);
  law[first] += mass * p;
  law[second] += mass * (1 - p);
}

struct Setting {
  double epsilon;
  double lambda = 0;
  double t = -1;
};

std::vector<double> reference_law(std::size_t word, const Setting& setting) {
  constexpr int kAngles = 1200;
  constexpr int kRadii = 1500;
  const double reach = 40;  // exp(-40): nothing beyond
  const Matrix root = root_of_shape(setting.lambda);
  std::vector<double> law(kPlaceCount, 0.0);
  for (int a = 0; a < kAngles; ++a) {
    const double angle = 2 * std::numbers::pi * (a + 0.5) / kAngles;
    const std::array<double, 2> u = {std::cos(angle), std::sin(angle)};
    const std::array<double, 2> z = {root[0][0] * u[0], root[1][0] * u[0] + root[1][1] * u[1]};
    for (int i = 0; i < kRadii; ++i) {
      // r = reach * v^2 puts more points where the noise is.
      const double v = (i + 0.5) / kRadii;
      const double r = reach * v * v;
      const double mass = r * std::exp(-r) * (2 * reach * v / kRadii) / kAngles;  // Gamma(2, 1)
      add_outputs(
          {kPlaces[word][0] + r / setting.epsilon * z[0], kPlaces[word][1] + r / setting.epsilon * z[1]},
          mass, setting.t, law);
    }
  }
  return law;
}

void expect_reference(const char* name, const ParameterTexts& texts, const Setting& setting) {
  const Mechanism mechanism = build_uncertified(name, plane_model(), texts);
  Rng rng = Rng::seeded_not_private(81);
  for (const std::size_t word : {0U, 3U}) {
    const std::vector<double> law = reference_law(word, setting);
    double sum = 0;
    for (const double p : law) sum += p;
    ASSERT_NEAR(sum, 1, 1e-5);
    const auto counts = test::sample_counts(*mechanism.words, word_id(word), kPlaceCount, 400000, rng);
    EXPECT_GT(test::fit(counts, law), test::kFalseAlarm) << name << " word " << word;
  }
}

TEST(NoiseReference, LaplaceInThePlane) {
  expect_reference("laplace", {{"epsilon", "1"}}, {.epsilon = 1});
  expect_reference("laplace", {{"epsilon", "4"}}, {.epsilon = 4});
}

TEST(NoiseReference, MahalanobisInThePlane) {
  expect_reference("mahalanobis", {{"epsilon", "1"}, {"lambda", "0.9"}}, {.epsilon = 1, .lambda = 0.9});
  expect_reference("mahalanobis", {{"epsilon", "3"}, {"lambda", "0.2"}}, {.epsilon = 3, .lambda = 0.2});
}

TEST(NoiseReference, VickreyInThePlane) {
  expect_reference("vickrey", {{"epsilon", "2"}, {"t", "0.25"}}, {.epsilon = 2, .t = 0.25});
  expect_reference("vickrey", {{"epsilon", "2"}, {"t", "0.75"}, {"noise", "mahalanobis"}, {"lambda", "0.9"}},
                   {.epsilon = 2, .lambda = 0.9, .t = 0.75});
}

// The reference is sharp enough to tell neighbouring settings apart: a plausible bug would not pass.
TEST(NoiseReference, SeesAWrongShape) {
  const Mechanism mechanism =
      build_uncertified("mahalanobis", plane_model(), {{"epsilon", "1"}, {"lambda", "0.9"}});
  Rng rng = Rng::seeded_not_private(82);
  const auto counts = test::sample_counts(*mechanism.words, word_id(3), kPlaceCount, 400000, rng);
  EXPECT_LT(test::fit(counts, reference_law(3, {.epsilon = 1, .lambda = 0.8})), test::kFalseAlarm);
}

}  // namespace
}  // namespace sotto
