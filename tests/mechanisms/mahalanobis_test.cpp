#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/distributions.h"
#include "mechanisms/build.h"
#include "mechanisms/noise/noise.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

// A cloud that is ten times as long in one direction as in the others.
std::shared_ptr<const Model> long_cloud(std::size_t words, std::size_t dim) {
  const auto round = test::gaussian_model({.words = words, .dim = dim, .scale = 1, .seed = 2});
  std::vector<std::string> names;
  std::vector<float> vectors;
  for (std::size_t w = 0; w < words; ++w) {
    names.emplace_back(round->word(word_id(w)));
    for (std::size_t j = 0; j < dim; ++j)
      vectors.push_back(round->vector(word_id(w))[j] * (j == 0 ? 10.0F : 1.0F));
  }
  return Model::from_words(names, vectors, dim);
}

TEST(NoiseShape, TheNormOfTheNoiseIsItsRadius) {  // Z' S^-1 Z = R^2, R ~ Gamma(dim, 1/epsilon)
  const auto model = long_cloud(300, 6);
  const double epsilon = 2.5;
  for (const double lambda : {0.0, 0.2, 0.9}) {
    const NoiseShape shape = NoiseShape::mahalanobis(*model, lambda);
    Rng rng = Rng::seeded_not_private(3);
    const std::vector<float> centre(6, 0.0F);
    std::vector<double> radii;
    for (int i = 0; i < 20000; ++i) {
      std::vector<double> noise(6);
      shape.add(centre, epsilon, noise, rng);
      radii.push_back(shape.norm(noise) * epsilon);
    }
    std::sort(radii.begin(), radii.end());
    double gap = 0;
    for (std::size_t i = 0; i < radii.size(); ++i) {
      const double cdf = test::gamma_cdf({.shape = 6, .x = radii[i]});
      gap = std::max({gap, std::abs(cdf - static_cast<double>(i) / 20000),
                      std::abs(cdf - static_cast<double>(i + 1) / 20000)});
    }
    EXPECT_LT(gap * std::sqrt(20000.0), 3.3);  // Kolmogorov: false-alarm rate 7e-10
  }
}

TEST(NoiseShape, FollowsTheCovariance) {
  const NoiseShape shape = NoiseShape::mahalanobis(*long_cloud(2000, 4), 0.5);
  const std::vector<float> centre(4, 0.0F);
  Rng rng = Rng::seeded_not_private(4);
  double along = 0;
  double across = 0;
  std::vector<double> noise(4);
  for (int i = 0; i < 20000; ++i) {
    shape.add(centre, 1, noise, rng);
    along += noise[0] * noise[0];
    across += noise[1] * noise[1];
  }
  // S is diagonal up to sampling: 0.5 * 100 / 25.75 + 0.5 against 0.5 * 1 / 25.75 + 0.5.
  EXPECT_NEAR(along / across, (0.5 * 100 / 25.75 + 0.5) / (0.5 / 25.75 + 0.5), 0.6);
}

TEST(NoiseShape, TheEuclideanConstantBoundsAllPairs) {
  const auto model = long_cloud(200, 5);
  const NoiseShape shape = NoiseShape::mahalanobis(*model, 0.7);
  double largest = 0;
  for (std::size_t a = 0; a < 200; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      std::vector<double> x(5);
      double squares = 0;
      for (std::size_t j = 0; j < 5; ++j) {
        x[j] = static_cast<double>(model->vector(word_id(a))[j]) - model->vector(word_id(b))[j];
        squares += x[j] * x[j];
      }
      largest = std::max(largest, shape.norm(x) / std::sqrt(squares));
    }
  }
  EXPECT_LE(largest, shape.euclidean_constant());
  EXPECT_GE(largest, 0.9 * shape.euclidean_constant());
  EXPECT_DOUBLE_EQ(NoiseShape::sphere(5).euclidean_constant(), 1);
}

// Words on the axes: S is diagonal, and its smallest eigenvalue known. Many eigenvalues lie within 1e-4 of
// the smallest, where a power method is still far from its limit after thousands of rounds.
TEST(NoiseShape, TheEuclideanConstantHoldsForClusteredEigenvalues) {
  for (const double gap : {0.0, 1e-9, 1e-6, 1e-4, 1e-2, 0.5}) {
    for (const std::size_t dim : {2U, 12U, 60U}) {
      std::vector<std::string> words;
      std::vector<float> vectors;
      std::vector<double> squares;
      for (std::size_t j = 0; j < dim; ++j) {
        // The smallest is the last axis, on which the starting vector of the method has little weight.
        const auto place = static_cast<float>(1 + gap * static_cast<double>(dim - 1 - j));
        squares.push_back(double{place} * place);
        for (const float sign : {1.0F, -1.0F}) {
          words.push_back("w" + std::to_string(words.size()));
          vectors.resize(words.size() * dim, 0.0F);
          vectors[(words.size() - 1) * dim + j] = sign * place;
        }
      }
      const double mean = std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(dim);
      const double exact = std::sqrt(mean / *std::min_element(squares.begin(), squares.end()));
      const double bound =
          NoiseShape::mahalanobis(*Model::from_words(words, vectors, dim), 1).euclidean_constant();
      EXPECT_GE(bound, exact * (1 - 1e-14)) << gap << ' ' << dim;
      EXPECT_LE(bound, exact * (1 + 1e-3)) << gap << ' ' << dim;
    }
  }
}

TEST(Mahalanobis, RefusesASingularShape) {
  const auto model = test::gaussian_model({.words = 5, .dim = 8});
  try {
    build_uncertified("mahalanobis", model, {{"epsilon", "1"}, {"lambda", "1"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("singular"));
  }
  EXPECT_NO_THROW(build_uncertified("mahalanobis", model, {{"epsilon", "1"}, {"lambda", "0.99"}}));
}

// On a line S = 1 whatever lambda is (the covariance is divided by the mean variance): exactly laplace.
TEST(Mahalanobis, IsLaplaceOnALine) {
  const Mechanism mechanism =
      build_uncertified("mahalanobis", test::line_model({0, 2}), {{"epsilon", "0.5"}, {"lambda", "0.6"}});
  Rng rng = Rng::seeded_not_private(5);
  const auto counts = test::sample_counts(*mechanism.words, word_id(0), 2, 400000, rng);
  const double p = std::exp(-0.5) / 2;
  EXPECT_LT(std::abs(static_cast<double>(counts[1]) - 400000 * p) / std::sqrt(400000 * p * (1 - p)), 6);
}

}  // namespace
}  // namespace sotto
