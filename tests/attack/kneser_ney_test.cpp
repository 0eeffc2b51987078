#include "attack/kneser_ney.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attack/small_lm.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// Every context, seen or not: a discount that is not given back would show.
TEST(KneserNey, ProbabilitiesSumToOne) {
  const auto file = test::trained(test::chained_text({.words = 30, .documents = 60}), 32, 3);
  const LanguageModel& lm = file->model();
  for (std::size_t v = 0; v <= lm.size; ++v) {
    double total = 0;
    for (std::size_t w = 0; w < lm.size; ++w) {
      EXPECT_GT(lm.bigram(v, w), 0);
      total += lm.bigram(v, w);
    }
    EXPECT_NEAR(total, 1, 1e-5) << v;
  }
  for (std::size_t u = 0; u <= lm.size; ++u) {
    for (std::size_t v = 0; v < lm.size; ++v) {
      double total = 0;
      for (std::size_t w = 0; w < lm.size; ++w) total += lm.trigram(u, v, w);
      EXPECT_NEAR(total, 1, 1e-5) << u << " " << v;
    }
  }
}

// One document "0 1 0 1 0 2", by hand: too few counts for estimated discounts, so each is one half.
TEST(KneserNey, CountsByHand) {
  TokenText text;
  for (const std::size_t w : {0, 1, 0, 1, 0, 2}) text.words.push_back(word_id(w));
  text.ends = {6};
  const auto parts = train_kneser_ney(text, test::kSomeIdentity, 4, word_id(3), {.order = 2});
  // Word counts (3,2,1,0). Discounts: n1 = n2 = n3 = 1, n4 = 0, y = 1/3; D1 = 1 - 2y/1 = 1/3,
  // D2 = 2 - 3y = 1, D3 = 3 - 0 = clamped to 2.95.
  const double freed = (1.0 / 3 + 1 + 2.95) / 6 / 4;
  EXPECT_NEAR(parts.unigram[0], 0.05 / 6 + freed, 1e-6);
  EXPECT_NEAR(parts.unigram[1], 1.0 / 6 + freed, 1e-6);
  EXPECT_NEAR(parts.unigram[3], freed, 1e-6);
  // Bigrams: start 0:1, 0 1:2, 0 2:1, 1 0:2. n1 = 2, n2 = 2, n3 = 0; y = 1/3; D1 = 1 - 2y = 1/3; D2 = 2.
  // clamped to 1.95 since n3 = 0.
  const auto file = LanguageModelFile::make(parts);
  const LanguageModel& lm = file->model();
  const auto entry = lm.bigrams.find(0, 1);
  ASSERT_TRUE(entry.has_value());
  EXPECT_NEAR(lm.values[*entry], (2 - 1.95) / 3, 1e-6);
  EXPECT_NEAR(lm.lambda[0], (1.95 + 1.0 / 3) / 3, 1e-6);
  EXPECT_FALSE(lm.bigrams.find(0, 3).has_value());
  EXPECT_EQ(lm.anchor, word_id(3));
}

TEST(KneserNey, LearnsWhatFollows) {
  const auto file = test::trained(test::chained_text({.words = 20, .documents = 400}), 20, 3);
  const LanguageModel& lm = file->model();
  EXPECT_GT(lm.bigram(3, 7), 0.6);  // 2 * 3 + 1, with probability .7 + .3 / 20
  EXPECT_LT(lm.bigram(3, 8), 0.05);
}

TEST(KneserNey, HoldsDocumentsOut) {
  const TokenText text = test::chained_text({.documents = 40, .length = 12});
  const auto parts = train_kneser_ney(text, test::kSomeIdentity, 6, word_id(0),
                                      {.order = 2, .held_out_every = 10, .most_held_out = 30});
  EXPECT_EQ(parts.held_out_ends, (std::vector<std::uint64_t>{12, 24}));  // a third would exceed 30 tokens
  EXPECT_EQ(parts.held_out[0], static_cast<std::uint32_t>(text.document(9)[0]));
}

TEST(KneserNey, RefusesTextWithoutWords) {
  TokenText text;
  text.ends = {0, 0};
  EXPECT_THROW(train_kneser_ney(text, test::kSomeIdentity, 4, word_id(0), {}), Error);
}

}  // namespace
}  // namespace sotto
