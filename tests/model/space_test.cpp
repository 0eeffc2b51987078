#include "sotto/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <map>
#include <numbers>

#include "model/distance_kernels.h"
#include "sotto/error.h"
#include "support/exact_reference.h"
#include "support/models.h"

namespace sotto {
namespace {

constexpr Metric kAllMetrics[] = {Metric::euclidean, Metric::manhattan, Metric::chebyshev,
                                  Metric::angular,   Metric::chord,     Metric::poincare};

using test::gaussian_model;
using test::line_model;

// The contract of distance_kernels.h, written out.
double reference_squared_distance(std::span<const float> a, std::span<const float> b) {
  double sums[16] = {};
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double difference = static_cast<double>(a[j]) - static_cast<double>(b[j]);
    const double square = difference * difference;
    sums[j % 16] += square;
  }
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

TEST(Space, DistancesHaveTheSameBitsAtEverySimdWidth) {
  for (const std::size_t dim : {1U, 15U, 16U, 17U, 100U, 300U}) {
    const auto model = gaussian_model({.words = 40, .dim = dim, .scale = 3, .seed = dim});
    const std::int64_t all = hwy::SupportedTargets();
    std::size_t targets = 0;
    for (std::int64_t rest = all; rest != 0; rest &= rest - 1, ++targets) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      for (std::size_t i = 0; i < 40; ++i) {
        for (std::size_t j = 0; j < 40; ++j) {
          const double expected =
              reference_squared_distance(model->vector(word_id(i)), model->vector(word_id(j)));
          double seen = 0;
          squared_distances(model->rows() + i * model->stride(), model->rows() + j * model->stride(), 1,
                            model->stride(), &seen);
          ASSERT_EQ(std::bit_cast<std::uint64_t>(expected), std::bit_cast<std::uint64_t>(seen)) << dim;
        }
      }
    }
    hwy::SetSupportedTargetsForTest(0);
    EXPECT_GE(targets, 1U);
  }
}

TEST(Space, EveryMetricHasTheSameBitsAtEverySimdWidth) {
  const auto model = gaussian_model({.words = 60, .dim = 50, .scale = 0.08});
  const std::int64_t all = hwy::SupportedTargets();
  for (const Metric metric : kAllMetrics) {
    std::vector<double> first;
    for (std::int64_t rest = all; rest != 0; rest &= rest - 1) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      const auto space = Space::make(model, metric);
      std::vector<double> seen;
      for (std::size_t i = 0; i < 60; ++i) {
        for (std::size_t j = 0; j < 60; ++j) seen.push_back(space->distance(word_id(i), word_id(j)));
      }
      if (first.empty()) first = seen;
      EXPECT_EQ(first, seen) << metric_name(metric);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Space, DistancesAreSymmetricToTheBitAndZeroOnIdenticalVectors) {
  for (const Metric metric : kAllMetrics) {
    const auto base = gaussian_model({.words = 50, .dim = 37, .scale = 0.1});
    std::vector<std::string> words;
    std::vector<float> vectors;
    for (int copy = 0; copy < 2; ++copy) {
      for (std::size_t i = 0; i < 50; ++i) {
        words.push_back("c" + std::to_string(copy) + "x" + std::to_string(i));
        const auto row = base->vector(word_id(i));
        vectors.insert(vectors.end(), row.begin(), row.end());
      }
    }
    const auto space = Space::make(Model::from_words(words, vectors, 37), metric);
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(space->distance(word_id(i), word_id((i + 50) % 100)), 0.0);
      for (std::size_t j = 0; j < 100; ++j) {
        EXPECT_EQ(space->distance(word_id(i), word_id(j)), space->distance(word_id(j), word_id(i)));
      }
    }
    EXPECT_EQ(space->merged_words(), 50U);
    EXPECT_EQ(space->representative(word_id(70)), word_id(20));
  }
}

TEST(Space, RowsAgreeWithSingleDistances) {
  for (const Metric metric : kAllMetrics) {
    const auto space = Space::make(gaussian_model({.words = 70, .dim = 9, .scale = 0.1}), metric);
    std::vector<double> row(70);
    for (std::size_t i = 0; i < 70; ++i) {
      space->distances_from(word_id(i), row);
      for (std::size_t j = 0; j < 70; ++j) EXPECT_EQ(row[j], space->distance(word_id(i), word_id(j)));
    }
  }
}

TEST(Space, AngularIsTheAngle) {
  const auto model =
      Model::from_words({"right", "up", "left", "diagonal", "long"}, {1, 0, 0, 1, -1, 0, 2, 2, 7, 0}, 2);
  const auto space = Space::make(model, Metric::angular);
  EXPECT_DOUBLE_EQ(space->distance(word_id(0), word_id(1)), std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(space->distance(word_id(0), word_id(2)), std::numbers::pi);
  EXPECT_DOUBLE_EQ(space->distance(word_id(0), word_id(3)), std::numbers::pi / 4);
  EXPECT_EQ(space->distance(word_id(0), word_id(4)), 0.0);  // parallel: one group
}

TEST(Space, EveryMetricIsItsFormula) {
  const auto model = Model::from_words({"x", "y"}, {0.3F, -0.2F, 0.1F, -0.4F, 0.5F, 0.25F}, 3);
  double squares = 0, norm_x = 0, norm_y = 0, inner = 0, sum = 0, largest = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    const double x = model->vector(word_id(0))[j];
    const double y = model->vector(word_id(1))[j];
    squares += (x - y) * (x - y);
    sum += std::abs(x - y);
    largest = std::max(largest, std::abs(x - y));
    norm_x += x * x;
    norm_y += y * y;
    inner += x * y;
  }
  const double cosine = inner / std::sqrt(norm_x * norm_y);
  const auto between = [&](Metric metric) {
    return Space::make(model, metric)->distance(word_id(0), word_id(1));
  };
  EXPECT_NEAR(between(Metric::euclidean), std::sqrt(squares), 1e-15);
  EXPECT_NEAR(between(Metric::manhattan), sum, 1e-15);
  EXPECT_NEAR(between(Metric::chebyshev), largest, 1e-15);
  EXPECT_NEAR(between(Metric::angular), std::acos(cosine), 1e-14);
  EXPECT_NEAR(between(Metric::chord), std::sqrt(2 - 2 * cosine), 1e-14);
  EXPECT_NEAR(between(Metric::poincare), std::acosh(1 + 2 * squares / ((1 - norm_x) * (1 - norm_y))), 1e-14);
}

TEST(Space, TriangleInequalityHolds) {
  const auto model = gaussian_model({.words = 40, .dim = 3, .scale = 0.2, .seed = 5});
  for (const Metric metric : kAllMetrics) {
    const auto space = Space::make(model, metric);
    for (std::size_t a = 0; a < 40; ++a) {
      for (std::size_t b = 0; b < 40; ++b) {
        for (std::size_t c = 0; c < 40; ++c) {
          EXPECT_LE(space->distance(word_id(a), word_id(c)), space->distance(word_id(a), word_id(b)) +
                                                                 space->distance(word_id(b), word_id(c)) +
                                                                 3 * space->distance_error().at(7));
        }
      }
    }
  }
}

TEST(Space, PoincareRefusesVectorsAtTheEdgeOfTheBall) {
  for (const float length : {0.9999999F, 1.0F, 3.0F}) {
    try {
      Space::make(line_model({0, length}), Metric::poincare);
      FAIL() << length;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("rank 2"));
    }
  }
}

TEST(Space, ZeroVectorsAreLegalForEuclideanAndRefusedForAngular) {
  const auto model = line_model({0, 1, 2});
  EXPECT_EQ(Space::make(model, Metric::euclidean)->distance(word_id(0), word_id(2)), 2.0);
  try {
    Space::make(model, Metric::angular);
    FAIL() << "a zero vector has no angle";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("rank 1"));
  }
}

TEST(Space, OnlyIdenticalVectorsShareARow) {
  const float next = std::nextafter(0.5F, 1.0F);
  const auto model =
      Model::from_words({"a", "b", "c", "d", "e", "far"},
                        {0.5F, 0.0F, next, 0.0F, 0.5F, -0.0F, 0.25F, 0.0F, 0.5F, 1e-45F, 1e30F, 0.0F}, 2);
  for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::chebyshev}) {
    const auto space = Space::make(model, metric);
    EXPECT_EQ(space->merged_words(), 1U);
    EXPECT_EQ(space->representative(word_id(2)), word_id(0));  // 0 and -0 are equal
    EXPECT_EQ(space->distance(word_id(0), word_id(2)), 0.0);
    EXPECT_EQ(space->distance(word_id(0), word_id(1)), std::ldexp(1.0, -24));
    EXPECT_GT(space->distance(word_id(0), word_id(4)), 0.0);
    EXPECT_FALSE(space->has_one_row());
  }
}

// The exact distance of parallel vectors is 0, and the computed one need not be: they share a row. Vectors
// that differ in the last bit of one coordinate do not.
TEST(Space, WordsOfOneDirectionShareARowWhereOnlyTheAngleCounts) {
  Rng rng = Rng::seeded_not_private(8);
  std::size_t merged = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<float> x;
    for (int j = 0; j < 6; ++j) x.push_back(static_cast<float>(static_cast<int>(rng.bits() % 2001) - 1000));
    x[2] = 0;
    if (x[0] == 0) x[0] = 7;
    std::vector<float> parallel = x;  // exactly: small whole numbers
    std::vector<float> near = x;
    std::vector<float> opposite = x;
    for (int j = 0; j < 6; ++j) {
      parallel[static_cast<std::size_t>(j)] *= 3;
      near[static_cast<std::size_t>(j)] *= 5;
      opposite[static_cast<std::size_t>(j)] *= -1;
    }
    near[0] = std::nextafter(near[0], 1e9F);
    std::vector<float> vectors;
    for (const auto& one : {x, parallel, near, opposite})
      vectors.insert(vectors.end(), one.begin(), one.end());
    const auto model = Model::from_words({"x", "parallel", "near", "opposite"}, vectors, 6);
    for (const Metric metric : {Metric::angular, Metric::chord}) {
      const auto space = Space::make(model, metric);
      merged += space->merged_words();
      EXPECT_EQ(space->representative(word_id(1)), word_id(0));
      EXPECT_EQ(space->representative(word_id(2)), word_id(2));
      EXPECT_EQ(space->representative(word_id(3)), word_id(3));
    }
    EXPECT_EQ(Space::make(model, Metric::euclidean)->merged_words(), 0U);
  }
  EXPECT_EQ(merged, 400U);
}

// Against long double: near-duplicates, words of very different lengths, and coordinates whose squares round
// in one direction, so that a plain sum of many of them drifts.
TEST(Space, DistancesKeepToTheirErrorBound) {
  for (const std::size_t dim : {1U, 2U, 7U, 300U, 3000U}) {
    Rng rng = Rng::seeded_not_private(dim);
    std::vector<std::string> words;
    std::vector<float> vectors;
    const auto add = [&](const std::vector<float>& x) {
      words.push_back("w" + std::to_string(words.size()));
      vectors.insert(vectors.end(), x.begin(), x.end());
    };
    const float size = 0.9F / std::sqrt(static_cast<float>(dim));
    for (const float scale : {1.0F, 0.7F, 1e-4F, 1e-9F}) {
      std::vector<float> x;
      for (std::size_t j = 0; j < dim; ++j) x.push_back(scale * size * static_cast<float>(gaussian(rng)) / 4);
      add(x);
      for (std::size_t j = 0; j < dim; j += 3) x[j] = std::nextafter(x[j], 1.0F);
      add(x);
      std::vector<float> even(dim, scale * size * 1.0000004F);
      add(even);
      for (float& value : even) value *= 0.3333333F;
      even[0] = std::nextafter(even[0], 1.0F);
      add(even);
    }
    const auto model = Model::from_words(words, vectors, dim);
    for (const Metric metric : kAllMetrics) {
      const auto space = Space::make(model, metric);
      for (std::size_t a = 0; a < words.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const long double exact =
              test::exact_distance(model->vector(word_id(a)), model->vector(word_id(b)), metric);
          const double d = space->distance(word_id(a), word_id(b));
          EXPECT_LE(std::fabs(exact - d), space->distance_error().at(static_cast<double>(exact)) + 1e-18L)
              << metric_name(metric) << ' ' << dim << ' ' << a << ' ' << b;
          EXPECT_LE(exact, space->diameter_bound());
          EXPECT_LE(d, space->diameter_bound());
        }
      }
    }
  }
}

TEST(Space, ManyEqualVectorsTakeLinearTime) {
  std::vector<float> places(60000, 1.0F);  // quadratic work would be 1.8e9 distances
  places.push_back(2.0F);
  const auto space = Space::make(line_model(places), Metric::euclidean);
  EXPECT_EQ(space->merged_words(), 59999U);
}

// So many that their slots collide.
TEST(Space, GroupsAmongManyWordsAreThoseOfTheirVectors) {
  constexpr std::size_t kDifferent = 3001;
  std::vector<float> places(20000);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<float>(i * i % kDifferent);
  const auto space = Space::make(line_model(places), Metric::euclidean);
  std::map<float, std::size_t> first_of;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t first = first_of.try_emplace(places[i], i).first->second;
    ASSERT_EQ(space->representative(word_id(i)), word_id(first)) << i;
  }
  EXPECT_EQ(space->merged_words(), places.size() - first_of.size());
}

TEST(Space, OneMinusCosineIsRefusedWithItsReason) {
  for (const Parameter::Refusal& refusal : metric_refusals()) {
    EXPECT_THROW(parse_metric(refusal.value), Error);
    EXPECT_NE(refusal.reason.find("angular"), std::string_view::npos);
    EXPECT_NE(refusal.reason.find("triangle inequality"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace sotto
