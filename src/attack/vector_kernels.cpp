// Compiled once per SIMD target by Highway and chosen at run time.
#include "attack/vector_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attack/vector_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;  // as many floats as Wide has doubles

// The sum over [0, size). `step(i, total)` adds the terms from i on, one for each lane; `term(i)` is one
// term. Two totals grow at once, because an addition takes several cycles.
template <class Step, class Term>
double sum_over(std::size_t size, const Step& step, const Term& term) {
  const Wide wide;
  const std::size_t width = hn::Lanes(wide);
  auto even = hn::Zero(wide);
  auto odd = hn::Zero(wide);
  std::size_t i = 0;
  for (; i + 2 * width <= size; i += 2 * width) {
    even = step(i, even);
    odd = step(i + width, odd);
  }
  double total = hn::GetLane(hn::SumOfLanes(wide, hn::Add(even, odd)));
  for (; i < size; ++i) total += term(i);
  return total;
}

double sum_target(std::span<const float> values) {
  return sum_over(
      values.size(),
      [=](std::size_t i, auto total)
          HWY_ATTR { return hn::Add(total, hn::PromoteTo(Wide(), hn::LoadU(Narrow(), values.data() + i))); },
      [=](std::size_t i) { return static_cast<double>(values[i]); });
}

double dot_target(std::span<const float> a, std::span<const float> b) {
  return sum_over(
      a.size(),
      [=](std::size_t i, auto total) HWY_ATTR {
        return hn::MulAdd(hn::PromoteTo(Wide(), hn::LoadU(Narrow(), a.data() + i)),
                          hn::PromoteTo(Wide(), hn::LoadU(Narrow(), b.data() + i)), total);
      },
      [=](std::size_t i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
}

double multiply_target(std::span<const float> a, std::span<const float> b, std::span<float> out) {
  return sum_over(
      a.size(),
      [=](std::size_t i, auto total) HWY_ATTR {
        const auto products = hn::Mul(hn::LoadU(Narrow(), a.data() + i), hn::LoadU(Narrow(), b.data() + i));
        hn::StoreU(products, Narrow(), out.data() + i);
        return hn::Add(total, hn::PromoteTo(Wide(), products));
      },
      [=](std::size_t i) { return static_cast<double>(out[i] = a[i] * b[i]); });
}

void scale_target(std::span<float> values, float factor) {
  const hn::ScalableTag<float> d;
  const std::size_t width = hn::Lanes(d);
  const auto by = hn::Set(d, factor);
  std::size_t i = 0;
  for (; i + width <= values.size(); i += width) {
    hn::StoreU(hn::Mul(by, hn::LoadU(d, values.data() + i)), d, values.data() + i);
  }
  for (; i < values.size(); ++i) values[i] *= factor;
}

void peaks_target(std::span<const float> values, std::span<float> out) {
  const hn::CappedTag<float, kPeakBlock> d;
  const std::size_t width = hn::Lanes(d);
  for (std::size_t block = 0; block < out.size(); ++block) {
    const std::size_t first = block * kPeakBlock;
    if (first + kPeakBlock > values.size()) {
      out[block] = *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first), values.end());
      continue;
    }
    const float* own = values.data() + first;
    auto largest = hn::LoadU(d, own);
    for (std::size_t i = width; i < kPeakBlock; i += width) largest = hn::Max(largest, hn::LoadU(d, own + i));
    out[block] = hn::GetLane(hn::MaxOfLanes(d, largest));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(sum_target);
HWY_EXPORT(dot_target);
HWY_EXPORT(multiply_target);
HWY_EXPORT(scale_target);
HWY_EXPORT(peaks_target);

double sum_of(std::span<const float> values) {
  return HWY_DYNAMIC_DISPATCH(sum_target)(values);
}
double dot_product(std::span<const float> a, std::span<const float> b) {
  return HWY_DYNAMIC_DISPATCH(dot_target)(a, b);
}
double multiply(std::span<const float> a, std::span<const float> b, std::span<float> out) {
  return HWY_DYNAMIC_DISPATCH(multiply_target)(a, b, out);
}
void scale(std::span<float> values, float factor) {
  HWY_DYNAMIC_DISPATCH(scale_target)(values, factor);
}
void block_peaks(std::span<const float> values, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(peaks_target)(values, out);
}

}  // namespace sotto
#endif
