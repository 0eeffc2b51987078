#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/tem/row_kernels.h"

namespace sotto::lab {

// PyTorch's defaults.
struct AdamRates {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

// Adam (Kingma and Ba 2015) for a table of which a step touches few rows. Equal to the dense optimiser up to
// rounding: a row without gradient still moves by its decaying momentum, which it is given when it is next
// asked for. (PyTorch's SparseAdam leaves such rows where they are, which is another algorithm.)
class RowAdam {
 public:
  // `table`: rows of `row_size` floats, a multiple of kRowGroup; must outlive this.
  RowAdam(std::span<float> table, std::size_t row_size, const AdamRates& rates = {});

  void begin_step();
  // The row as it is before the current step: call it before reading a row, and before update().
  void catch_up(std::size_t row);
  // The current step of a row that has been caught up, with the gradient factor * direction. Once per step.
  void update(std::size_t row, const float* direction, float factor);
  // Every row as it is after the current step.
  void settle();

 private:
  // Missed steps after which momentum is below the precision of a float, beta1^k < 2^-24.
  [[nodiscard]] std::size_t followed_steps() const;
  void advance(std::size_t row, std::uint32_t to);
  [[nodiscard]] AdamRow row_at(std::size_t row);

  std::span<float> table_;
  std::size_t row_size_;
  AdamRates rates_;
  std::vector<float> first_;
  std::vector<float> second_;
  std::vector<std::uint32_t> current_;  // the step after which a row is as stored; 0: never had a gradient
  std::uint32_t step_ = 0;
  // By step, from 1 (0 unused): lr / (1 - beta1^t), and 1 / sqrt(1 - beta2^t).
  std::vector<double> step_rates_ = {0};
  std::vector<double> step_corrections_ = {0};
  // By missed step, from 0: beta1^j and sqrt(beta2^j).
  std::vector<double> decay_first_;
  std::vector<double> decay_root_;
  std::vector<float> missed_rates_;
  std::vector<float> missed_corrections_;
};

}  // namespace sotto::lab
