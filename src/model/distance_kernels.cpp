// Compiled once per SIMD target by Highway and chosen at run time. -ffp-contract=off (CMakeLists.txt) is
// part of the contract: a fused multiply-add on one machine only would change distances.
#include "model/distance_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/distance_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPartialSums = 16;
using D = hn::CappedTag<double, 8>;
constexpr std::size_t kMaxRegisters = kPartialSums / hn::MaxLanes(D());
using V = hn::Vec<D>;

inline V load(D d, const float* p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), p));
}
inline V load(D d, const double* p) {
  return hn::LoadU(d, p);
}

// The fixed tree: register r holds partial sums [r * lanes, (r+1) * lanes).
inline double reduce(D d, V (&sums)[kMaxRegisters]) {
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t half = kMaxRegisters / 2; half > 0; half /= 2) {
    for (std::size_t r = 0; r < half; ++r) sums[r] = hn::Add(sums[r], sums[r + half]);
  }
  HWY_ALIGN double tail[hn::MaxLanes(D())];
  hn::Store(sums[0], d, tail);
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) tail[i] += tail[i + half];
  }
  return tail[0];
}

// Adds term(a_j - b_j) into the 16 partial sums.
template <typename From, typename Term>
inline double sum_of(const From* a, const float* b, std::size_t stride, const Term& term) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V sums[kMaxRegisters];
  for (V& sum : sums) sum = hn::Zero(d);
  for (std::size_t j = 0; j < stride; j += kPartialSums) {
    for (std::size_t r = 0; r < kMaxRegisters; ++r) {
      const std::size_t at = j + r * lanes;
      sums[r] = hn::Add(sums[r], term(hn::Sub(load(d, a + at), load(d, b + at))));
    }
  }
  return reduce(d, sums);
}

template <typename From>
inline double squared_distance_of(const From* a, const float* b, std::size_t stride) {
  return sum_of(a, b, stride, [](V difference) HWY_ATTR { return hn::Mul(difference, difference); });
}

double absolute_sum(const float* a, const float* b, std::size_t stride) {
  return sum_of(a, b, stride, [](V difference) HWY_ATTR { return hn::Abs(difference); });
}

double absolute_maximum(const float* a, const float* b, std::size_t stride) {
  const D d;
  V largest = hn::Zero(d);
  for (std::size_t j = 0; j < stride; j += hn::Lanes(d)) {
    largest = hn::Max(largest, hn::Abs(hn::Sub(load(d, a + j), load(d, b + j))));
  }
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

double squared_distance(const float* a, const float* b, std::size_t stride) {
  return squared_distance_of(a, b, stride);
}

ScaledSums scaled_sums(ScaledRow a, ScaledRow b, std::size_t stride) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V scale_a = hn::Set(d, a.scale);
  const V scale_b = hn::Set(d, b.scale);
  V differences[kMaxRegisters];
  V totals[kMaxRegisters];
  for (V& sum : differences) sum = hn::Zero(d);
  for (V& sum : totals) sum = hn::Zero(d);
  for (std::size_t j = 0; j < stride; j += kPartialSums) {
    for (std::size_t r = 0; r < kMaxRegisters; ++r) {
      const std::size_t at = j + r * lanes;
      const V x = hn::Mul(scale_a, load(d, a.values + at));
      const V y = hn::Mul(scale_b, load(d, b.values + at));
      const V difference = hn::Sub(x, y);
      const V total = hn::Add(x, y);
      differences[r] = hn::Add(differences[r], hn::Mul(difference, difference));
      totals[r] = hn::Add(totals[r], hn::Mul(total, total));
    }
  }
  return {.difference = reduce(d, differences), .sum = reduce(d, totals)};
}

void squared_distances_float(const float* from, const float* rows, std::size_t count, std::size_t stride,
                             double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = squared_distance_of(from, rows + i * stride, stride);
}

void squared_distances_double(const double* from, const float* rows, std::size_t count, std::size_t stride,
                              double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = squared_distance_of(from, rows + i * stride, stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(squared_distance);
HWY_EXPORT(absolute_sum);
HWY_EXPORT(absolute_maximum);
HWY_EXPORT(scaled_sums);
HWY_EXPORT(squared_distances_float);
HWY_EXPORT(squared_distances_double);

double squared_distance(const float* a, const float* b, std::size_t stride) {
  return HWY_DYNAMIC_DISPATCH(squared_distance)(a, b, stride);
}
double absolute_sum(const float* a, const float* b, std::size_t stride) {
  return HWY_DYNAMIC_DISPATCH(absolute_sum)(a, b, stride);
}
double absolute_maximum(const float* a, const float* b, std::size_t stride) {
  return HWY_DYNAMIC_DISPATCH(absolute_maximum)(a, b, stride);
}
ScaledSums scaled_sums(ScaledRow a, ScaledRow b, std::size_t stride) {
  return HWY_DYNAMIC_DISPATCH(scaled_sums)(a, b, stride);
}
void squared_distances(const float* from, const float* rows, std::size_t count, std::size_t stride,
                       double* out) {
  HWY_DYNAMIC_DISPATCH(squared_distances_float)(from, rows, count, stride, out);
}
void squared_distances(const double* from, const float* rows, std::size_t count, std::size_t stride,
                       double* out) {
  HWY_DYNAMIC_DISPATCH(squared_distances_double)(from, rows, count, stride, out);
}

}  // namespace sotto
#endif
