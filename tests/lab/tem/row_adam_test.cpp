#include "lab/tem/row_adam.h"

#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include "core/uniform.h"

namespace sotto::lab {
namespace {

float uniform_float(Rng& rng) {
  return static_cast<float>(static_cast<double>(rng.bits() >> 11) * 0x1p-52 - 1);
}

struct Comparison {
  std::size_t rows;
  std::size_t steps;
  std::size_t touched;  // rows with a gradient in each step
};

// The largest difference between our table and torch's dense Adam after random sparse gradients. Low rows are
// touched often, high ones rarely, the last one never.
double largest_difference(const Comparison& comparison) {
  constexpr std::size_t kSize = 32;
  Rng rng = Rng::seeded_not_private(7);
  std::vector<float> table(comparison.rows * kSize);
  for (float& value : table) value = uniform_float(rng);
  const auto rows = static_cast<std::int64_t>(comparison.rows);
  at::Tensor dense = torch::from_blob(table.data(), {rows, kSize}).clone().set_requires_grad(true);
  torch::optim::Adam reference({dense});
  RowAdam adam(table, kSize);
  for (std::size_t step = 0; step < comparison.steps; ++step) {
    at::Tensor gradient = torch::zeros({rows, kSize});
    adam.begin_step();
    std::vector<bool> done(comparison.rows);
    for (std::size_t i = 0; i < comparison.touched; ++i) {
      const std::size_t bound = uniform_below(rng, comparison.rows - 1) + 1;
      const std::size_t row = uniform_below(rng, bound);
      if (done[row]) continue;
      done[row] = true;
      std::vector<float> direction(kSize);
      for (float& value : direction) value = uniform_float(rng);
      adam.catch_up(row);
      adam.update(row, direction.data(), 0.5F);
      gradient[static_cast<std::int64_t>(row)] = 0.5 * torch::from_blob(direction.data(), {kSize}).clone();
    }
    dense.mutable_grad() = gradient;
    reference.step();
  }
  adam.settle();
  const at::Tensor ours = torch::from_blob(table.data(), {rows, kSize});
  return (ours - dense.detach()).abs().max().item<double>();
}

// A step moves a value by up to 1e-3; float rounding of values near 1 is 6e-8 a step.
TEST(RowAdam, EqualsDenseAdamWhenRowsAreOftenTouched) {
  EXPECT_LT(largest_difference({.rows = 20, .steps = 500, .touched = 10}), 3e-6);
}

// Gaps of many hundred steps, far beyond those that are followed one by one.
TEST(RowAdam, EqualsDenseAdamWhenRowsAreRarelyTouched) {
  EXPECT_LT(largest_difference({.rows = 200, .steps = 3000, .touched = 1}), 3e-6);
}

TEST(RowAdam, RowsMoveOnWithoutGradient) {
  std::vector<float> table(kRowGroup, 1.0F);
  const std::vector<float> direction(kRowGroup, 1.0F);
  RowAdam adam(table, kRowGroup);
  adam.begin_step();
  adam.catch_up(0);
  adam.update(0, direction.data(), 1);
  const float after_one = table[0];
  EXPECT_NEAR(after_one, 1 - 1e-3, 1e-6);
  for (int i = 0; i < 50; ++i) adam.begin_step();
  adam.settle();
  EXPECT_LT(table[0], after_one - 1e-3);
}

TEST(RowAdam, LeavesRowsAloneThatNeverHadAGradient) {
  std::vector<float> table(2 * kRowGroup, 0.25F);
  const std::vector<float> direction(kRowGroup, 1.0F);
  RowAdam adam(table, kRowGroup);
  for (int i = 0; i < 10; ++i) {
    adam.begin_step();
    adam.catch_up(0);
    adam.update(0, direction.data(), 1);
  }
  adam.settle();
  for (std::size_t i = 0; i < kRowGroup; ++i) EXPECT_EQ(table[kRowGroup + i], 0.25F);
}

}  // namespace
}  // namespace sotto::lab
