#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/samplers.h"
#include "mechanisms/privemb/private_vectors.h"
#include "mechanisms/privemb/sensitivity.h"
#include "sotto/error.h"
#include "support/models.h"
#include "support/vector_sums.h"

namespace sotto {
namespace {

using test::length;
using ::testing::HasSubstr;
using Domain = VectorInput::Domain;

Projection dense_copy(const Projection& sparse) {
  std::vector<double> rows;
  for (std::size_t j = 0; j < sparse.output_dim(); ++j) {
    for (std::size_t k = 0; k < sparse.input_dim(); ++k) rows.push_back(sparse.entry(j, k));
  }
  return Projection::from_rows({.output_dim = sparse.output_dim(), .input_dim = sparse.input_dim()},
                               std::move(rows));
}

std::vector<double> gaussians(std::size_t size, Rng& rng) {
  std::vector<double> x(size);
  for (double& value : x) value = gaussian(rng);
  return x;
}

TEST(SparseProjection, HasOneEntryInEachBandOfEachColumn) {
  for (const std::size_t m : {3U, 8U, 19U}) {
    const std::size_t bands = std::min<std::size_t>(m, Projection::kSparseEntries);
    const Projection p = Projection::sparse({.output_dim = m, .input_dim = 200}, 1);
    int signs = 0;
    for (std::size_t k = 0; k < 200; ++k) {
      std::vector<double> column;
      for (std::size_t j = 0; j < m; ++j) column.push_back(p.entry(j, k));
      EXPECT_NEAR(length(column), 1, 1e-15);
      for (std::size_t band = 0; band < bands; ++band) {
        const auto part =
            std::span(column).subspan(band * m / bands, (band + 1) * m / bands - band * m / bands);
        EXPECT_EQ(std::ranges::count_if(part, [](double x) { return x != 0; }), 1);
        for (const double x : part) signs += x > 0 ? 1 : x < 0 ? -1 : 0;
      }
    }
    // 200 * bands fair signs: 6.5 standard deviations, rate 1e-10.
    EXPECT_LT(std::abs(signs), 6.5 * std::sqrt(200.0 * static_cast<double>(bands)));
  }
}

// The matrix of a seed stays the same for ever: released vectors are compared across versions.
TEST(SparseProjection, OfASeedStaysTheSame) {
  const Projection p = Projection::sparse({.output_dim = 4, .input_dim = 3}, 1);
  std::string signs;
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t k = 0; k < 3; ++k) signs += p.entry(j, k) > 0 ? '+' : '-';
  }
  EXPECT_EQ(signs, "--++-+++---+");
}

TEST(SparseProjection, MultipliesAsTheSameDenseMatrixDoes) {
  Rng rng = Rng::seeded_not_private(71);
  const Projection sparse = Projection::sparse({.output_dim = 20, .input_dim = 300}, 5);
  const Projection dense = dense_copy(sparse);
  for (int i = 0; i < 50; ++i) {
    std::vector<double> x = gaussians(300, rng);
    for (std::size_t k = 0; k < 300; ++k) {
      if (k % 3 != 0) x[k] = 0;
    }
    std::vector<double> a(20);
    std::vector<double> b(20);
    sparse.apply(x, a);
    dense.apply(x, b);
    for (std::size_t j = 0; j < 20; ++j) {
      EXPECT_NEAR(a[j], b[j], (sparse.relative_error() + dense.relative_error()) * length(x));
    }
  }
  EXPECT_NEAR(sparse.longest_row(), dense.longest_row(), 1e-12);
}

// Two ways to the same bound: whole numbers here, rounded products there. And no pair is stretched more.
TEST(SparseProjection, SensitivityIsTheSpectralNormRoundedUp) {
  Rng rng = Rng::seeded_not_private(72);
  for (const auto& [m, dim] : {std::pair<std::size_t, std::size_t>{3, 40}, {20, 300}, {50, 5000}}) {
    const Projection sparse = Projection::sparse({.output_dim = m, .input_dim = dim}, 1);
    const double bound = spectral_stretch(sparse);
    EXPECT_NEAR(bound, spectral_stretch(dense_copy(sparse)), 1e-8 * bound);
    std::vector<double> image(m);
    double most = 0;
    std::vector<double> x = gaussians(dim, rng);
    for (int round = 0; round < 300; ++round) {
      sparse.apply(x, image);
      const double stretch = length(image) / length(x);
      EXPECT_LE(stretch, bound);
      most = std::max(most, stretch);
      if (round % 2 == 0 || round < 20) {
        x = gaussians(dim, rng);  // a random pair's difference
        continue;
      }
      for (std::size_t k = 0; k < dim; ++k) {  // towards the vector that is stretched most: x = P' P x
        double sum = 0;
        for (std::size_t i = 0; i < sparse.sparse_entries(); ++i) {
          sum += sparse.place(k, i).sign * image[sparse.place(k, i).row];
        }
        x[k] = sum;
      }
    }
    for (int round = 0; round < 400; ++round) {
      sparse.apply(x, image);
      const double scale = length(image);
      most = std::max(most, scale / length(x));
      for (std::size_t k = 0; k < dim; ++k) {
        x[k] = 0;
        for (std::size_t i = 0; i < sparse.sparse_entries(); ++i) {
          x[k] += sparse.place(k, i).sign * image[sparse.place(k, i).row] / scale;
        }
      }
    }
    EXPECT_LE(most, bound);
    EXPECT_GT(most, bound * (1 - 1e-4));
  }
}

// On a grid so fine that doubles decide nothing, the slow path computes the same P x from the entries.
TEST(SparseProjection, TheSlowPathKnowsTheEntries) {
  const VectorInput input{.domain = Domain::free, .dim = 300};
  const Mechanism mechanism = build_vector_mechanism("privemb", input,
                                                     {{"epsilon", "1e15"},
                                                      {"dimension", "6"},
                                                      {"projection", "sparse"},
                                                      {"grid-bits", "70"},
                                                      {"clip", "5"}});
  Rng rng = Rng::seeded_not_private(73);
  const std::vector<double> x = gaussians(300, rng);  // about 17 long: clipped
  std::vector<double> y(6);
  std::vector<double> centre(6);
  mechanism.vectors->release_batch(x, y, rng);
  mechanism.vectors->centre_batch(x, centre);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(y[j], centre[j], 1e-11);
  EXPECT_EQ(dynamic_cast<const PrivateVectors&>(*mechanism.vectors).recounts().vectors, 1U);
}

std::string refusal(std::size_t dim, ParameterTexts texts) {
  texts.insert({"epsilon", "1"});
  try {
    (void)build_vector_mechanism("privemb", {.domain = Domain::free, .dim = dim}, texts);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "accepted";
}

TEST(SparseProjection, RefusesWhatCannotBeCertifiedOrHelpsNobody) {
  EXPECT_THAT(refusal(100'000, {{"projection", "sparse"}, {"dimension", "3000"}}), HasSubstr("up to 2048"));
  EXPECT_THAT(refusal(100, {{"projection", "sparse"}, {"dimension", "60"}}), HasSubstr("`projection` none"));
  EXPECT_THAT(refusal(1'000'000, {{"projection", "gaussian"}, {"dimension", "500"}}),
              HasSubstr("`projection` sparse"));
  EXPECT_THAT(refusal(100, {{"projection", "sparse"}, {"dimension", "20"}, {"sensitivity", "paper"}}),
              HasSubstr("gaussian only"));
}

TEST(SparseProjection, OfWordsMeasuresTheVocabulary) {
  const auto model = test::gaussian_model({.words = 60, .dim = 40, .scale = 1, .seed = 91});
  const Mechanism mechanism =
      build_vector_mechanism("privemb", {.model = model, .domain = Domain::words, .dim = 40},
                             {{"epsilon", "1"}, {"dimension", "5"}, {"projection", "sparse"}});
  const auto stretch = mechanism.vectors->stretch_on(*model, VectorMechanism::Measured::again);
  ASSERT_TRUE(stretch.has_value());
  EXPECT_LT(stretch->vocabulary, stretch->spectral);
  EXPECT_NEAR(stretch->noise_scale, stretch->vocabulary, 1e-12);
}

}  // namespace
}  // namespace sotto
