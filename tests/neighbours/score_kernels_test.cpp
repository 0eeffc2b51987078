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
  std::vector<float> minima;
  for (std::size_t c = 0; c < kChunks; ++c) {
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(c * kChunk);
    minima.push_back(*std::min_element(first, first + kChunk));
  }
  minima[3] = 9.5F;  // a chunk whose minimum is above the limit is not looked at
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    for (const float limit : {-1.0F, 0.0F, 4.0F, 4.5F, 9.0F}) {
      for (const auto& [first, last] : {std::pair{0UL, kChunks}, {2UL, 5UL}, {7UL, 7UL}, {39UL, 40UL}}) {
        std::vector<std::uint32_t> expected;
        for (std::size_t place = first * kChunk; place < last * kChunk; ++place) {
          if (minima[place / kChunk] <= limit && scores[place] <= limit) {
            expected.push_back(static_cast<std::uint32_t>(place));
          }
        }
        std::vector<std::uint32_t> found(kChunks * kChunk);
        found.resize(places_up_to(scores.data(), minima.data(), first, last, limit, found.data()));
        EXPECT_EQ(found, expected) << hwy::TargetName(rest & -rest) << ' ' << limit << ' ' << first;
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace sotto
