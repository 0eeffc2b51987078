// Compiled once per SIMD target by Highway and chosen at run time.
#include "certify/exponential_row.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certify/exponential_row.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;

double exponential_weights_target(const ExponentialRow& row, double* weights) {
  const D d;
  const std::size_t n = row.distances.size();
  // The last ones, fewer than fill a register, are done one by one.
  const std::size_t whole = n - n % hn::Lanes(D());
  const V slope = hn::Set(d, -row.slope);
  const V gamma = hn::Set(d, row.gamma);
  V sums = hn::Zero(d);
  for (std::size_t at = 0; at < whole; at += hn::Lanes(d)) {
    const V distance = hn::LoadU(d, row.distances.data() + at);
    V weight = hn::Exp(d, hn::Mul(slope, hn::Min(distance, gamma)));
    if (!row.base.empty()) weight = hn::Mul(weight, hn::LoadU(d, row.base.data() + at));
    sums = hn::Add(sums, weight);
    hn::StoreU(weight, d, weights + at);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (std::size_t at = whole; at < n; ++at) {
    weights[at] = std::exp(-row.slope * std::min(row.distances[at], row.gamma));
    if (!row.base.empty()) weights[at] *= row.base[at];
    sum += weights[at];
  }
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(exponential_weights_target);

double exponential_weights(const ExponentialRow& row, std::span<double> weights) {
  return HWY_DYNAMIC_DISPATCH(exponential_weights_target)(row, weights.data());
}

}  // namespace sotto
#endif
