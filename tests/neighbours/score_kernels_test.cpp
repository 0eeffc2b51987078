#include "neighbours/score_kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/rng.h"

namespace sotto {
namespace {

// Scores of a few values, so that many equal the limit, and places without a word.
std::vector<float> some_scores(std::size_t chunks, Rng& rng) {
  std::vector<float> scores;
  for (std::size_t i = 0; i < chunks * kChunk; ++i) {
    const std::uint64_t value = rng.bits() % 12;
    scores.push_back(value < 10 ? static_cast<float>(value) : std::numeric_limits<float>::infinity());
  }
  return scores;
}

TEST(ScoreKernels, PlacesUpToALimitAreTheDefinitionOnEveryTarget) {
  constexpr std::size_t kChunks = 40;
  Rng rng = Rng::seeded_not_private(1);
  const std::vector<float> scores = some_scores(kChunks, rng);
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    // Every other chunk, from the last to the first, each with a limit of its own.
    std::vector<ChunkLimit> chunks;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t chunk = kChunks - 1; chunk > 1; chunk -= 2) {
      const float limit = -1.0F + 0.5F * static_cast<float>(chunk % 23);
      chunks.push_back({.chunk = chunk, .limit = limit});
      for (std::uint32_t place = chunk * kChunk; place < (chunk + 1) * kChunk; ++place) {
        if (scores[place] <= limit) expected.push_back(place);
      }
    }
    std::vector<std::uint32_t> found(kChunks * kChunk);
    found.resize(places_up_to(scores.data(), chunks, found.data()));
    EXPECT_EQ(found, expected) << hwy::TargetName(rest & -rest);
    EXPECT_EQ(places_up_to(scores.data(), {}, found.data()), 0U);
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Integers of 16 bits at both ends of their range, for which sums of products come close to 2^31.
TEST(ScoreKernels, ScoresAreSquaredDistancesOnEveryTarget) {
  constexpr std::size_t kChunks = 3;
  constexpr std::size_t kPairsEach = 5;
  const auto score_of = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return static_cast<double>(sum);
  };
  const auto norm_of = [&](const std::vector<std::int64_t>& a) {
    return static_cast<float>(score_of(a, std::vector<std::int64_t>(a.size())));
  };
  for (const std::int64_t largest : {3, 14654}) {  // 10 * 14654^2 < 2^31
    Rng rng = Rng::seeded_not_private(2);
    const auto vectors = [&](std::size_t count) {
      std::vector<std::vector<std::int64_t>> out(count);
      for (std::size_t v = 0; v < count; ++v) {
        for (std::size_t j = 0; j < 2 * kPairsEach; ++j) {
          const auto any =
              static_cast<std::int64_t>(rng.bits() % static_cast<std::uint64_t>(2 * largest + 1));
          out[v].push_back(v % 3 == 0 ? largest : v % 3 == 1 ? -largest : any - largest);
        }
      }
      return out;
    };
    const auto words = vectors(kChunks * kChunk);
    const auto queries = vectors(kQueries);
    const auto pair_of = [](const std::vector<std::int64_t>& a, std::size_t j) {
      return IntegerPair{.first = static_cast<std::int16_t>(a[2 * j]),
                         .second = static_cast<std::int16_t>(a[2 * j + 1])};
    };
    std::vector<IntegerPair> packed(words.size() * kPairsEach);
    std::vector<IntegerPair> packed_queries(queries.size() * kPairsEach);
    std::vector<float> norms(words.size());
    std::vector<float> query_norms(queries.size());
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (std::size_t j = 0; j < kPairsEach; ++j)
        packed[w / kChunk * kChunk * kPairsEach + j * kChunk + w % kChunk] = pair_of(words[w], j);
      norms[w] = w == 50 ? std::numeric_limits<float>::infinity() : norm_of(words[w]);
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
      for (std::size_t j = 0; j < kPairsEach; ++j) packed_queries[j * kQueries + q] = pair_of(queries[q], j);
      query_norms[q] = norm_of(queries[q]);
    }
    for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      SCOPED_TRACE(hwy::TargetName(rest & -rest));
      std::vector<float> scores(kQueries * words.size(), -1.0F);
      std::vector<float> minima(kQueries * kChunks, -1.0F);
      score_block({.packed = packed.data(),
                   .norms = norms.data(),
                   .chunks = kChunks,
                   .pairs = kPairsEach,
                   .queries = packed_queries.data(),
                   .query_norms = query_norms.data(),
                   .scores = scores.data(),
                   .score_stride = words.size(),
                   .minima = minima.data(),
                   .minima_stride = kChunks});
      for (std::size_t q = 0; q < kQueries; ++q) {
        for (std::size_t w = 0; w < words.size(); ++w) {
          const float score = scores[q * words.size() + w];
          ASSERT_GE(score, minima[q * kChunks + w / kChunk]);
          if (w == 50) {
            ASSERT_EQ(score, std::numeric_limits<float>::infinity());
            continue;
          }
          const double reach = std::sqrt(query_norms[q]) + std::sqrt(norms[w]);
          ASSERT_NEAR(score, score_of(queries[q], words[w]), 4 * 0x1p-24 * reach * reach) << q << " " << w;
        }
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(ScoreKernels, BoundOfTheSmallestOnEveryTarget) {
  Rng rng = Rng::seeded_not_private(3);
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    SCOPED_TRACE(hwy::TargetName(rest & -rest));
    for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 128U, 1601U}) {
      for (const std::size_t k : {std::size_t{1}, count / 2 + 1, count}) {
        std::vector<float> all_different;
        for (std::size_t i = 0; i < count; ++i)
          all_different.push_back(static_cast<float>(rng.bits() >> 40U) - 1e6F);
        const std::vector<float> all_equal(count, 7.5F);
        for (const std::vector<float>& values : {all_different, all_equal}) {
          const float bound = bound_of_smallest(values, k);
          const auto found =
              std::count_if(values.begin(), values.end(), [&](float value) { return value <= bound; });
          ASSERT_GE(static_cast<std::size_t>(found), k) << count << " values";
        }
        // Far fewer than all where they can be told apart.
        const float bound = bound_of_smallest(all_different, k);
        const auto found = std::count_if(all_different.begin(), all_different.end(),
                                         [&](float value) { return value <= bound; });
        ASSERT_LE(static_cast<std::size_t>(found), k + k / 16) << count << " values";
      }
    }
    // Places without a word count for nothing.
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(bound_of_smallest(std::vector<float>{infinity, 4, infinity, 2, infinity}, 2), 4);
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace sotto
