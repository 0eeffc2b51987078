#include "learn/features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/samplers.h"
#include "learn/evaluate.h"
#include "mechanisms/privemb/eigenvectors.h"
#include "support/models.h"

namespace sotto {
namespace {

constexpr std::size_t kFeatureWords = 60;

// Texts of two topics and a common part, so that the spectrum falls.
TokenLists topic_texts(std::size_t count) {
  Rng rng = Rng::seeded_not_private(5);
  TokenLists out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = 20 * (i % 3);
    for (std::size_t t = 0; t < 30; ++t) {
      const bool is_common = rng.bits() % 2 == 0;
      out.words.push_back(word_id(is_common ? rng.bits() % kFeatureWords : first + rng.bits() % 20));
    }
    out.ends.push_back(out.words.size());
  }
  return out;
}

TEST(Documents, MeanCountsAndTransposition) {
  const TokenLists texts{.ends = {3, 3, 4}, .words = {word_id(2), word_id(0), word_id(2), word_id(1)}};
  const Documents documents = mean_counts(texts, 3);
  EXPECT_EQ(documents.ends, (std::vector<std::size_t>{2, 2, 3}));
  EXPECT_EQ(documents.words, (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_DOUBLE_EQ(documents.values[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(documents.values[1], 2.0 / 3);
  const Documents turned = transposed(documents);
  EXPECT_EQ(turned.columns, 3U);
  EXPECT_EQ(turned.ends, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(turned.words, (std::vector<std::uint32_t>{0, 2, 0}));
  EXPECT_DOUBLE_EQ(turned.values[2], 2.0 / 3);
  const std::vector<double> shares = smoothed_shares(texts, 3);
  EXPECT_DOUBLE_EQ(shares[2], 3.0 / 7);
}

TEST(Documents, ReadsTextsAsPrivatizeDoes) {
  const auto model = Model::from_words({"good", "soup", "something"}, {0, 1, 2}, 1);
  const std::vector<std::string_view> texts = {"Good, SOUP! <br />unheard", "", "soup"};
  const TokenLists tokens =
      read_tokens(texts, model, {.anchor = word_id(2), .strip_html = true}, {.threads = 2});
  EXPECT_EQ(tokens.ends, (std::vector<std::size_t>{3, 3, 4}));
  EXPECT_EQ(tokens.words, (std::vector<WordId>{word_id(0), word_id(1), word_id(2), word_id(1)}));
  EXPECT_EQ(tokens.unknown, 1U);
  EXPECT_EQ(tokens.unknown_in, (std::vector<std::uint32_t>{1, 0, 0}));
  EXPECT_DOUBLE_EQ(tokens.known_share(), 0.75);
  const TokenLists last = chosen_texts(tokens, std::vector<std::size_t>{2, 1});
  EXPECT_EQ(last.unknown, 0U);
  EXPECT_EQ(joined(last, tokens).unknown_in, (std::vector<std::uint32_t>{0, 0, 1, 0, 0}));
}

// "something" is the anchor: it occurs once as itself and twice for unknown words.
TEST(Documents, KnownWordCountsLeaveUnknownWordsOut) {
  const auto model = Model::from_words({"good", "soup", "something"}, {0, 1, 2}, 1);
  const std::vector<std::string_view> texts = {"soup something unheard", "unheard soup soup"};
  const TokenLists tokens = read_tokens(texts, model, {.anchor = word_id(2)}, {});
  EXPECT_EQ(word_counts(tokens, 3).weights, (std::vector<double>{0, 0.5, 0.5}));
  EXPECT_EQ(known_word_counts(tokens, 3, word_id(2)).weights, (std::vector<double>{0, 0.75, 0.25}));
  const TokenLists second = chosen_texts(tokens, std::vector<std::size_t>{1});
  const Prior prior = known_word_counts(second, 3, word_id(2));
  EXPECT_EQ(prior.weights, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(prior.support, (std::vector<WordId>{word_id(1)}));
}

// The reference: the dense covariance of the centred, weighted documents, and its eigenvectors.
TEST(Features, EqualADenseDecomposition) {
  const TokenLists texts = topic_texts(300);
  const Documents documents = mean_counts(texts, kFeatureWords);
  const std::vector<double> shares = smoothed_shares(texts, kFeatureWords);
  const WordId unknown = word_id(7);
  const FeatureSettings settings{.features = 2, .smoothing = 1e-3};
  const DenseMatrix found = word_features(documents, shares, unknown, settings, {.threads = 2});
  ASSERT_EQ(found.columns, 2U);

  DenseMatrix dense = DenseMatrix::zeros(documents.size(), kFeatureWords);
  std::vector<double> weights(kFeatureWords);
  for (std::size_t w = 0; w < kFeatureWords; ++w) {
    weights[w] = w == 7 ? 0 : std::pow(shares[w] + settings.smoothing, -0.5);
  }
  for (std::size_t row = 0; row < documents.size(); ++row) {
    for (std::size_t i = documents.begin_of(row); i < documents.ends[row]; ++i) {
      dense.row(row)[documents.words[i]] = documents.values[i] * weights[documents.words[i]];
    }
  }
  subtract_from_rows(dense, column_means(dense));
  const Eigen eigen = symmetric_eigenvectors(transposed_product(dense, dense, 1).values, kFeatureWords);
  for (std::size_t j = 0; j < 2; ++j) {
    std::vector<double> expected(kFeatureWords);
    double mean = 0;
    for (std::size_t w = 0; w < kFeatureWords; ++w) {
      expected[w] = eigen.vectors[j * kFeatureWords + w] * weights[w];
      mean += shares[w] * expected[w];
    }
    // A singular vector may have either sign.
    const double sign = (found.row(0)[j] > 0) == (expected[0] - mean > 0) ? 1 : -1;
    for (std::size_t w = 0; w < kFeatureWords; ++w) {
      EXPECT_NEAR(found.row(w)[j], sign * (expected[w] - mean), 1e-5) << w;
    }
  }
}

TEST(Features, FewDirectionsGiveFewFeatures) {
  const TokenLists texts = topic_texts(3);
  const DenseMatrix found =
      word_features(mean_counts(texts, kFeatureWords), smoothed_shares(texts, kFeatureWords), std::nullopt,
                    {.features = 50}, {});
  EXPECT_EQ(found.columns, 2U);  // three centred documents span two
}

TEST(Features, VectorsAndFrequentWordsAreCentred) {
  const auto model = test::gaussian_model({.words = 30, .dim = 4});
  const std::vector<double> shares = rank_prior(*model);
  const DenseMatrix found = vector_features(*model, shares);
  EXPECT_EQ(found.columns, 34U);
  for (std::size_t j = 0; j < found.columns; ++j) {
    double mean = 0;
    for (std::size_t w = 0; w < 30; ++w) mean += shares[w] * found.row(w)[j];
    EXPECT_NEAR(mean, 0, 1e-9);
  }
  // Word 0 is the most frequent: the first identity column, q^-1/4 above what the others have there.
  EXPECT_NEAR(found.row(0)[4] - found.row(1)[4], std::pow(shares[0], -0.25), 1e-12);
}

}  // namespace
}  // namespace sotto
