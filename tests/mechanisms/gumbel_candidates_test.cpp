#include "mechanisms/gumbel/gumbel_candidates.h"

#include <gtest/gtest.h>

#include <thread>

#include "gumbel_support.h"
#include "support/sampling.h"

namespace sotto {
namespace {

TEST(CandidateCount, IsThePoissonLawWithItsEndsAtN) {
  for (const std::size_t n : {2U, 3U, 5U, 40U, 1000U, 50000U}) {
    const double mean = std::log(static_cast<double>(n));
    const CandidateCount count(n, mean);
    const std::vector<double> expected = test::count_law(n, mean);
    const auto few = count.log_few();
    ASSERT_LT(few.size(), n);
    double sum = std::exp(count.log_all());
    for (std::size_t k = 1; k <= few.size(); ++k) {
      // lgamma of the reference is good to about 1e-14 * 700.
      EXPECT_NEAR(few[k - 1], std::log(expected[k - 1]), 1e-11) << n << ' ' << k;
      sum += std::exp(few[k - 1]);
    }
    EXPECT_NEAR(sum, 1, 1e-14) << n;
    EXPECT_NEAR(count.log_all(), std::log(expected[n - 1]), 1e-13) << n;
    // What the proof of gumbel-topk needs: all words are candidates with probability 1/n at least.
    EXPECT_GE(count.log_all(), -mean * (1 + 1e-15)) << n;
    EXPECT_GE(few.size(), std::min<std::size_t>(n - 1, 100)) << n;
  }
}

TEST(CandidateCount, DrawsFollowIt) {
  Rng rng = Rng::seeded_not_private(51);
  for (const std::size_t n : {2U, 3U, 20U}) {
    const double mean = std::log(static_cast<double>(n));
    const CandidateCount count(n, mean);
    std::vector<std::uint64_t> counts(n);
    for (int i = 0; i < 400000; ++i) ++counts[count.draw(rng) - 1];
    EXPECT_GT(test::fit(counts, test::count_law(n, mean)), test::kFalseAlarm) << n;  // 1e-9 each
  }
}

TEST(Candidates, AreTheWordThenTheOthersByDistanceAndIndex) {
  std::vector<float> places;  // a grid: every distance but 0 comes twice
  places.reserve(301);
  for (int i = 0; i < 301; ++i) places.push_back(static_cast<float>((i * 97) % 301));
  const auto space = Space::make(test::line_model(places), Metric::euclidean);
  const Candidates candidates(space);
  Candidates::Scratch scratch;
  for (const std::size_t word : {0U, 150U, 300U}) {
    const auto expected = test::ranked(*space, word);
    ASSERT_EQ(expected[0], word);
    for (const std::size_t count : {1U, 2U, 128U, 129U, 300U, 301U, 5U}) {  // within the head and beyond it
      const Head& head = candidates.first(word_id(word), count, scratch);
      ASSERT_GE(head.words.size(), count);
      for (std::size_t r = 0; r < count; ++r) {
        ASSERT_EQ(head.words[r], word_id(expected[r])) << word << ' ' << count << ' ' << r;
        ASSERT_EQ(head.distances[r], space->distance(word_id(word), word_id(expected[r])));
      }
    }
    EXPECT_EQ(candidates.all(word_id(word)).words.size(), space->size());
  }
}

TEST(Candidates, ManyThreadsSeeTheSameHeads) {
  const auto space =
      Space::make(test::gaussian_model({.words = 400, .dim = 3, .scale = 1, .seed = 52}), Metric::euclidean);
  const Candidates candidates(space);
  std::vector<std::vector<WordId>> seen(4);
  {
    std::vector<std::jthread> threads;
    threads.reserve(seen.size());
    for (auto& words : seen) {
      threads.emplace_back([&candidates, &words] {
        Candidates::Scratch scratch;
        for (std::size_t w = 0; w < 400; ++w)
          words.push_back(candidates.first(word_id(w), 7, scratch).words[6]);
      });
    }
  }
  for (const auto& words : seen) EXPECT_EQ(words, seen[0]);
}

TEST(Candidates, RefuseASpaceWhereWordsShareRows) {
  EXPECT_THROW(Candidates(Space::make(test::line_model({0, 1, 1}), Metric::euclidean)), Error);
}

}  // namespace
}  // namespace sotto
