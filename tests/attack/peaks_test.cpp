#include "attack/peaks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "attack/vector_kernels.h"
#include "core/uniform.h"
#include "sotto/rng.h"

namespace sotto {
namespace {

// Values with many ties, so that the order of equal ones matters.
std::vector<float> tied_values(std::size_t count, Rng& rng) {
  std::vector<float> out(count);
  for (float& value : out) value = static_cast<float>(uniform_below(rng, 40)) / 40;
  return out;
}

// Sorting everything is the definition.
std::vector<std::size_t> sorted_largest(const std::vector<float>& values, const Peaks::Question& question) {
  std::vector<std::size_t> all;
  for (std::size_t w = question.first; w < values.size(); ++w) {
    if (w != question.left_out) all.push_back(w);
  }
  std::ranges::stable_sort(all, std::greater<>(), [&](std::size_t w) { return values[w]; });
  all.resize(std::min(all.size(), question.count));
  return all;
}

TEST(Peaks, AreThoseOfSorting) {
  Rng rng = Rng::seeded_not_private(8);
  for (const std::size_t size : {1U, 7U, 63U, 64U, 65U, 301U, 2000U}) {
    const std::vector<float> values = tied_values(size, rng);
    const Peaks peaks(values);
    for (const std::size_t count : {1U, 8U, 16U}) {
      for (const std::size_t first : {std::size_t{0}, size / 3}) {
        // The largest value of all is left out, or none is.
        const std::size_t largest = sorted_largest(values, {.left_out = size}).front();
        for (const std::size_t left_out : {size, largest}) {
          const Peaks::Question question{.first = first, .count = count, .left_out = left_out};
          EXPECT_EQ(peaks.largest(question), sorted_largest(values, question)) << size << " " << count;
        }
      }
    }
  }
}

TEST(VectorKernels, AreTheObviousLoops) {
  Rng rng = Rng::seeded_not_private(9);
  for (const std::size_t size : {1U, 15U, 16U, 33U, 1000U}) {
    const std::vector<float> a = tied_values(size, rng);
    const std::vector<float> b = tied_values(size, rng);
    const double dot = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    EXPECT_NEAR(dot_product(a, b), dot, 1e-5);
    EXPECT_NEAR(sum_of(a), std::accumulate(a.begin(), a.end(), 0.0), 1e-9);
    std::vector<float> out(size);
    EXPECT_NEAR(multiply(a, b, out), dot, 1e-5);
    scale(out, 0.5F);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(out[i], a[i] * b[i] * 0.5F) << i;
  }
}

}  // namespace
}  // namespace sotto
