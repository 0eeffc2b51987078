// Compiled once per SIMD target by Highway and chosen at run time.
#include "lab/tem/row_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lab/tem/row_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::lab {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kRowGroup>;
using V = hn::Vec<D>;

float dot_target(const float* a, const float* b, std::size_t size) {
  const D d;
  V sum = hn::Zero(d);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    sum = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void add_scaled_target(float* sum, const float* row, float factor, std::size_t size) {
  const D d;
  const V scale = hn::Set(d, factor);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    hn::StoreU(hn::MulAdd(scale, hn::LoadU(d, row + i), hn::LoadU(d, sum + i)), d, sum + i);
  }
}

void adam_step_target(const AdamRow& row, const float* direction, float factor, const AdamStep& step) {
  const D d;
  const V decay_first = hn::Set(d, step.decay_first);
  const V decay_second = hn::Set(d, step.decay_second);
  const V fresh_first = hn::Set(d, 1 - step.decay_first);
  const V fresh_second = hn::Set(d, 1 - step.decay_second);
  const V rate = hn::Set(d, step.rate);
  const V correction = hn::Set(d, step.correction);
  const V epsilon = hn::Set(d, step.epsilon);
  const V scale = hn::Set(d, factor);
  for (std::size_t i = 0; i < row.size; i += hn::Lanes(d)) {
    const V gradient = hn::Mul(scale, hn::LoadU(d, direction + i));
    const V first = hn::MulAdd(fresh_first, gradient, hn::Mul(decay_first, hn::LoadU(d, row.first + i)));
    const V second = hn::MulAdd(fresh_second, hn::Mul(gradient, gradient),
                                hn::Mul(decay_second, hn::LoadU(d, row.second + i)));
    const V move = hn::Div(hn::Mul(rate, first), hn::MulAdd(hn::Sqrt(second), correction, epsilon));
    hn::StoreU(hn::Sub(hn::LoadU(d, row.values + i), move), d, row.values + i);
    hn::StoreU(first, d, row.first + i);
    hn::StoreU(second, d, row.second + i);
  }
}

void adam_missed_target(const AdamRow& row, const MissedSteps& steps) {
  const D d;
  const V epsilon = hn::Set(d, steps.epsilon);
  for (std::size_t i = 0; i < row.size; i += hn::Lanes(d)) {
    const V first = hn::LoadU(d, row.first + i);
    const V second = hn::LoadU(d, row.second + i);
    const V root = hn::Sqrt(second);
    V values = hn::LoadU(d, row.values + i);
    for (std::size_t j = 0; j < steps.count; ++j) {
      const V divisor = hn::MulAdd(root, hn::Set(d, steps.corrections[j]), epsilon);
      values = hn::Sub(values, hn::Div(hn::Mul(hn::Set(d, steps.rates[j]), first), divisor));
    }
    hn::StoreU(values, d, row.values + i);
    hn::StoreU(hn::Mul(first, hn::Set(d, steps.decay_first)), d, row.first + i);
    hn::StoreU(hn::Mul(second, hn::Set(d, steps.decay_second)), d, row.second + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::lab {

HWY_EXPORT(dot_target);
HWY_EXPORT(add_scaled_target);
HWY_EXPORT(adam_step_target);
HWY_EXPORT(adam_missed_target);

float dot(const float* a, const float* b, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(dot_target)(a, b, size);
}
void add_scaled(float* sum, const float* row, float factor, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(add_scaled_target)(sum, row, factor, size);
}
void adam_step(const AdamRow& row, const float* direction, float factor, const AdamStep& step) {
  HWY_DYNAMIC_DISPATCH(adam_step_target)(row, direction, factor, step);
}
void adam_missed(const AdamRow& row, const MissedSteps& steps) {
  HWY_DYNAMIC_DISPATCH(adam_missed_target)(row, steps);
}

}  // namespace sotto::lab
#endif
