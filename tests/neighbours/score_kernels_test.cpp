#include "neighbours/score_kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
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

}  // namespace
}  // namespace sotto
