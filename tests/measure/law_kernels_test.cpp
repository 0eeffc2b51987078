#include "measure/law_kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <vector>

#include "certify/exponential_row.h"
#include "core/samplers.h"
#include "sotto/rng.h"

namespace sotto {
namespace {

template <typename Body>
void on_each_target(Body body) {
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    body();
    hwy::SetSupportedTargetsForTest(0);
  }
}

std::vector<double> numbers(std::size_t count, std::uint64_t seed) {
  Rng rng = Rng::seeded_not_private(seed);
  std::vector<double> out(count);
  for (double& value : out) value = std::abs(3 * gaussian(rng));
  return out;
}

// Sizes around those of registers.
constexpr std::size_t kSizes[] = {1, 2, 7, 8, 9, 31, 33, 100};

TEST(LawKernels, ExponentialWeightsAreThoseOfTheDefinition) {
  on_each_target([] {
    for (const std::size_t n : kSizes) {
      std::vector<double> distances = numbers(n, 1);
      distances[0] = 0;
      const std::vector<double> base = numbers(n, 2);
      for (const bool has_base : {false, true}) {
        const ExponentialRow row{.distances = distances,
                                 .base = has_base ? std::span(base) : std::span<const double>(),
                                 .slope = 20,
                                 .gamma = 4};
        std::vector<double> weights(n);
        const double sum = exponential_weights(row, weights);
        double expected_sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const double expected = (has_base ? base[i] : 1) * std::exp(-20 * std::min(distances[i], 4.0));
          expected_sum += expected;
          ASSERT_NEAR(weights[i], expected, 1e-15 * expected);
        }
        EXPECT_NEAR(sum, expected_sum, 1e-14 * expected_sum);
      }
    }
  });
}

TEST(LawKernels, JointsAreGatheredAndTheFirstLargestIsTheGuess) {
  on_each_target([] {
    for (const std::size_t n : kSizes) {
      const std::vector<double> law = numbers(n, 3);
      std::vector<double> totals(n, 0.25);
      std::vector<double> squares(n, 0.5);
      std::vector<double> largest(n, 0.0);
      std::vector<std::uint32_t> guesses(n, 0);
      for (const std::uint32_t word : {5U, 6U, 7U}) {  // 6 is as likely as 5, 7 less
        gather_joint({.law = law,
                      .prior = word == 7 ? 0.1 : 0.3,
                      .word = word,
                      .totals = totals.data(),
                      .squares = squares.data(),
                      .largest = largest.data(),
                      .guesses = guesses.data()});
      }
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_NEAR(totals[i], 0.25 + 0.7 * law[i], 1e-14);
        ASSERT_NEAR(squares[i], 0.5 + 0.19 * law[i] * law[i], 1e-14);
        ASSERT_EQ(largest[i], 0.3 * law[i]);
        ASSERT_EQ(guesses[i], law[i] > 0 ? 5U : 0U);
      }
    }
  });
}

TEST(LawKernels, SumsAreThoseOfTheDefinition) {
  on_each_target([] {
    for (const std::size_t n : kSizes) {
      const std::vector<double> one = numbers(n, 4);
      const std::vector<double> other = numbers(n, 5);
      double expected = 0;
      for (std::size_t i = 0; i < n; ++i) expected += one[i] * other[i];
      EXPECT_NEAR(dot(one, other), expected, 1e-14 * expected);
      std::vector<double> sums = other;
      add_scaled(one, 0.75, sums.data());
      std::vector<double> scaled = one;
      scale(scaled, 3);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_NEAR(sums[i], other[i] + 0.75 * one[i], 1e-14);
        ASSERT_EQ(scaled[i], 3 * one[i]);
      }
    }
  });
}

TEST(LawKernels, ProductsAreThoseOfTheDefinition) {
  on_each_target([] {
    for (const std::size_t columns : {8U, 16U, 40U, 64U, 72U}) {
      constexpr std::size_t kGuesses = 8;
      constexpr std::size_t kWords = 300;  // more than are done at once
      const std::vector<double> distances = numbers(kGuesses * kWords, 6);
      const std::vector<double> values = numbers(kWords * columns, 7);
      std::vector<double> losses(kGuesses * columns, 1.0);
      add_products({.guesses = kGuesses,
                    .words = kWords,
                    .columns = columns,
                    .distances = distances.data(),
                    .values = values.data(),
                    .losses = losses.data()});
      for (std::size_t g = 0; g < kGuesses; ++g) {
        for (std::size_t c = 0; c < columns; ++c) {
          double expected = 1;
          for (std::size_t w = 0; w < kWords; ++w) {
            expected += distances[g * kWords + w] * values[w * columns + c];
          }
          ASSERT_NEAR(losses[g * columns + c], expected, 1e-12 * expected);
        }
      }
    }
  });
}

}  // namespace
}  // namespace sotto
