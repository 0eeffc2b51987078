#include "mechanisms/privemb/projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/samplers.h"
#include "mechanisms/privemb/eigenvectors.h"
#include "mechanisms/privemb/sensitivity.h"
#include "support/models.h"
#include "support/vector_sums.h"

namespace sotto {
namespace {

using test::length;
using test::product;

void expect_orthonormal(const Projection& projection) {
  for (std::size_t i = 0; i < projection.output_dim(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_NEAR(product(projection.row(i), projection.row(j)), i == j ? 1 : 0, 1e-14);
    }
  }
  EXPECT_GE(projection.orthonormal_bound(), 1);
  EXPECT_LT(projection.orthonormal_bound(), 1 + 1e-12);
}

TEST(Eigenvectors, OfAKnownMatrix) {
  // 2 on the diagonal and -1 beside it: 2 - 2 cos(k pi / 4), k = 3, 2, 1.
  const Eigen eigen = symmetric_eigenvectors({2, -1, 0, -1, 2, -1, 0, -1, 2}, 3);
  EXPECT_NEAR(eigen.values[0], 2 + std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(eigen.values[1], 2, 1e-14);
  EXPECT_NEAR(eigen.values[2], 2 - std::sqrt(2.0), 1e-14);
  // The largest entry is positive.
  const double first[] = {-0.5, std::sqrt(0.5), -0.5};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(eigen.vectors[k], first[k], 1e-14);
}

TEST(Eigenvectors, SatisfyTheirEquation) {
  Rng rng = Rng::seeded_not_private(81);
  for (const std::size_t size : {1U, 2U, 7U, 60U}) {
    for (const bool is_deficient : {false, true}) {  // half of the eigenvalues 0, many equal
      std::vector<double> a(size * size, 0.0);
      for (std::size_t term = 0; term < (is_deficient ? size / 2 : 2 * size); ++term) {
        std::vector<double> x(size);
        for (double& value : x) value = gaussian(rng);
        for (std::size_t i = 0; i < size * size; ++i) a[i] += x[i / size] * x[i % size];
      }
      const Eigen eigen = symmetric_eigenvectors(a, size);
      EXPECT_TRUE(std::ranges::is_sorted(eigen.values, std::greater<>()));
      const double scale = std::max(1.0, eigen.values[0]);
      for (std::size_t i = 0; i < size; ++i) {
        const auto v = std::span(eigen.vectors).subspan(i * size, size);
        for (std::size_t j = 0; j < size; ++j) {
          EXPECT_NEAR(product(std::span(a).subspan(j * size, size), v), eigen.values[i] * v[j],
                      1e-13 * scale);
          const auto other = std::span(eigen.vectors).subspan(j * size, size);
          EXPECT_NEAR(product(v, other), i == j ? 1 : 0, 1e-13);
        }
        EXPECT_GT(*std::ranges::max_element(v, {}, [](double x) { return std::abs(x); }), 0);
      }
    }
  }
}

TEST(Projection, OrthonormalRowsAreOrthonormalAndSeeded) {
  const Projection::Shape shape{.output_dim = 40, .input_dim = 60};
  const Projection projection = Projection::orthonormal(shape, 1);
  expect_orthonormal(projection);
  EXPECT_EQ(projection.row(3)[5], Projection::orthonormal(shape, 1).row(3)[5]);
  EXPECT_NE(projection.row(3)[5], Projection::orthonormal(shape, 2).row(3)[5]);
  expect_orthonormal(Projection::orthonormal({.output_dim = 60, .input_dim = 60}, 1));
}

TEST(Projection, GaussianEntriesHaveVarianceOneOverTheDimension) {
  const Projection projection = Projection::gaussian({.output_dim = 50, .input_dim = 400}, 1);
  double squares = 0;
  for (std::size_t j = 0; j < 50; ++j) squares += product(projection.row(j), projection.row(j));
  EXPECT_NEAR(squares, 400, 6.2 * std::sqrt(2.0 / 20000) * 400);  // 20,000 chi-squared: rate 1e-9
}

// Vectors a u + b v with a far more spread than b, u and v oblique, and a large mean that PCA must not take
// for a direction.
TEST(Projection, PcaFindsTheDirectionsOfTheSpread) {
  const std::vector<double> u = {0.6, 0, 0.8, 0};
  const std::vector<double> v = {0, 1, 0, 0};
  std::vector<std::string> words;
  std::vector<float> vectors;
  Rng rng = Rng::seeded_not_private(82);
  for (int i = 0; i < 4000; ++i) {
    words.push_back("w" + std::to_string(i));
    const double a = 3 * gaussian(rng);
    const double b = gaussian(rng);
    for (std::size_t k = 0; k < 4; ++k) {
      vectors.push_back(static_cast<float>(a * u[k] + b * v[k] + 0.01 * gaussian(rng) + (k == 3 ? 50 : 0)));
    }
  }
  const auto model = Model::from_words(words, vectors, 4);
  const Projection projection = Projection::pca(*model, 2);
  expect_orthonormal(projection);
  EXPECT_GT(product(projection.row(0), u), 0.999);  // with its sign: the largest entry is positive
  EXPECT_GT(product(projection.row(1), v), 0.999);
  // P x, not centred.
  const std::vector<double> x = {0, 2, 0, 50};
  std::vector<double> y(2);
  projection.apply(x, y);
  EXPECT_NEAR(y[1], product(projection.row(1), x), 1e-12);
}

TEST(Projection, AProductIsWithinItsBoundWhereverItStands) {
  Rng rng = Rng::seeded_not_private(83);
  const Projection projection = Projection::gaussian({.output_dim = 13, .input_dim = 77}, 5);
  std::vector<double> in(385);  // 5 rows
  for (double& value : in) value = gaussian(rng) * std::ldexp(1.0, static_cast<int>(rng.bits() % 40));
  std::vector<double> out(65);
  projection.apply(in, out);
  for (std::size_t r = 0; r < 5; ++r) {
    const auto x = std::span(in).subspan(r * 77, 77);
    std::vector<double> alone(13);
    projection.apply(x, alone);
    for (std::size_t j = 0; j < 13; ++j) {
      EXPECT_EQ(alone[j], out[r * 13 + j]);
      long double sum = 0;
      for (std::size_t k = 0; k < 77; ++k) sum += static_cast<long double>(projection.row(j)[k]) * x[k];
      EXPECT_LE(std::abs(static_cast<double>(sum - alone[j])), projection.relative_error() * length(x));
    }
  }
}

TEST(Sensitivity, SpectralIsTheLargestSingularValueRoundedUp) {
  for (const Projection::Shape shape : {Projection::Shape{.output_dim = 20, .input_dim = 50},
                                        Projection::Shape{.output_dim = 50, .input_dim = 20},
                                        Projection::Shape{.output_dim = 1, .input_dim = 9}}) {
    const Projection projection = Projection::gaussian(shape, 3);
    std::vector<double> gram(shape.output_dim * shape.output_dim);
    for (std::size_t i = 0; i < gram.size(); ++i) {
      gram[i] = product(projection.row(i / shape.output_dim), projection.row(i % shape.output_dim));
    }
    const double largest = std::sqrt(symmetric_eigenvectors(gram, shape.output_dim).values[0]);
    EXPECT_GT(spectral_stretch(projection), largest);
    EXPECT_LT(spectral_stretch(projection), largest * (1 + 1e-8));
    Rng rng = Rng::seeded_not_private(84);
    std::vector<double> y(shape.output_dim);
    for (int round = 0; round < 200; ++round) {
      std::vector<double> x(shape.input_dim);
      for (double& value : x) value = gaussian(rng);
      projection.apply(x, y);
      EXPECT_LE(length(y), length(x) * spectral_stretch(projection));
    }
  }
  EXPECT_EQ(spectral_stretch(Projection::identity(4)), 1);
}

// Two equal largest singular values, and a matrix whose leading direction the power method starts blind to.
TEST(Sensitivity, SpectralOfDegenerateMatrices) {
  const Projection equal = Projection::from_rows({.output_dim = 2, .input_dim = 3}, {3, 0, 0, 0, 3, 0});
  EXPECT_NEAR(spectral_stretch(equal), 3, 1e-8);
  EXPECT_GE(spectral_stretch(equal), 3);
  const double a = 1 + 0.37 * std::sin(1.0);
  const double b = 1 + 0.37 * std::sin(4.0);
  const double n = std::hypot(a, b);
  // Rows orthogonal to (a, b) with singular value 5; along it, 1.
  const Projection blind =
      Projection::from_rows({.output_dim = 2, .input_dim = 2}, {5 * -b / n, a / n, 5 * a / n, b / n});
  EXPECT_GE(spectral_stretch(blind), 5);
}

TEST(Sensitivity, VocabularyIsTheLargestOverAllPairs) {
  // Over 512 words: several tiles and blocks. Among them duplicates, and two that differ in a last digit.
  auto model = test::gaussian_model({.words = 700, .dim = 12, .scale = 1, .seed = 85});
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t w = 0; w < 700; ++w) {
    words.push_back("w" + std::to_string(w));
    const auto row = model->vector(word_id(w >= 690 ? 3 : w));
    vectors.insert(vectors.end(), row.begin(), row.end());
  }
  for (const bool is_close : {false, true}) {
    if (is_close) vectors[695 * 12 + 4] = std::nextafter(vectors[695 * 12 + 4], 10.0F);
    model = Model::from_words(words, vectors, 12);
    const Projection projection = Projection::gaussian({.output_dim = 5, .input_dim = 12}, 1);
    double largest = 0;
    for (std::size_t a = 0; a < 700; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        std::vector<double> x(12);
        for (std::size_t k = 0; k < 12; ++k) {
          x[k] = static_cast<double>(model->vector(word_id(a))[k]) - model->vector(word_id(b))[k];
        }
        std::vector<double> y(5);
        projection.apply(x, y);
        if (length(x) > 0) largest = std::max(largest, length(y) / length(x));
      }
    }
    const double found = vocabulary_stretch(projection, *model);
    EXPECT_GE(found, largest);
    EXPECT_LT(found, largest * (1 + 1e-12));
    EXPECT_LE(found, spectral_stretch(projection));
  }
}

// docs/specification.md section 6.
TEST(Sensitivity, ThePapersPairsAndWhereTheyHold) {
  struct Case {
    double beta;
    std::size_t dimension;
    std::size_t words;
    double bound;
  };
  for (const Case& c :
       {Case{0.93, 50, 376562, 1.932}, Case{0.66, 100, 905564, 1.645}, Case{0.468, 200, 1964994, 1.448}}) {
    EXPECT_EQ(paper_dimension({.input_dim = 300, .beta = c.beta, .delta = 1e-6}),
              static_cast<double>(c.dimension));
    EXPECT_TRUE(paper_beta_holds({.dimension = c.dimension, .words = c.words, .delta = 1e-6}, c.beta));
    EXPECT_FALSE(paper_beta_holds({.dimension = c.dimension, .words = c.words + 1, .delta = 1e-6}, c.beta));
    EXPECT_NEAR(paper_stretch({.dimension = c.dimension, .words = 400000, .delta = 1e-6}), c.bound, 0.0005);
    const PaperCase at{.dimension = c.dimension, .words = c.words, .delta = 1e-6};
    EXPECT_NEAR(paper_stretch(at), 1 + c.beta, 1e-6);
  }
}

}  // namespace
}  // namespace sotto
