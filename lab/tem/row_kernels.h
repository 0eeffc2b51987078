#pragma once
#include <cstddef>

namespace sotto::lab {

// Rows of floats are padded with zeros to a multiple of this, so that kernels need no remainders.
inline constexpr std::size_t kRowGroup = 16;
constexpr std::size_t padded_row(std::size_t dim) {
  return (dim + kRowGroup - 1) / kRowGroup * kRowGroup;
}

// The order of summation and the use of fused multiply-add differ between SIMD targets: the same run gives
// the same bits on the same kind of processor only. `size` is a multiple of kRowGroup.
float dot(const float* a, const float* b, std::size_t size);
// sum += factor * row
void add_scaled(float* sum, const float* row, float factor, std::size_t size);

// A row of parameters with Adam's two moments.
struct AdamRow {
  float* values;
  float* first;
  float* second;
  std::size_t size;
};
struct AdamStep {
  float decay_first;   // beta1
  float decay_second;  // beta2
  float rate;          // of this step: lr / (1 - beta1^t)
  float correction;    // 1 / sqrt(1 - beta2^t)
  float epsilon;
};
// One step with the gradient factor * direction.
void adam_step(const AdamRow& row, const float* direction, float factor, const AdamStep& step);

// `count` steps without gradient. In the j-th of them the moments are the first ones times beta1^j and
// beta2^j: rates[j] holds beta1^j * rate, corrections[j] holds sqrt(beta2^j) * correction.
struct MissedSteps {
  const float* rates;
  const float* corrections;
  std::size_t count;
  float epsilon;
  float decay_first;   // of all missed steps, of which `count` are worth following
  float decay_second;  // the same
};
void adam_missed(const AdamRow& row, const MissedSteps& steps);

}  // namespace sotto::lab
