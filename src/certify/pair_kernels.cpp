// Compiled once per SIMD target by Highway and chosen at run time.
#include "certify/pair_kernels.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certify/pair_kernels.cpp"
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

void add_kernel_target(const KernelStrip& strip) {
  const D d;
  const V slope = hn::Set(d, -strip.slope);
  const V gamma = hn::Set(d, strip.gamma);
  const V lowest = hn::Set(d, -708.0);  // below it exp has no accuracy; such a weight counts for nothing
  V sums[kStripRows];
  for (V& sum : sums) sum = hn::Zero(d);
  for (std::size_t at = 0; at < kPanel; at += hn::Lanes(d)) {
    const V weight = hn::LoadU(d, strip.panel_weights + at);
    V both = hn::Zero(d);
    for (std::size_t r = 0; r < kStripRows; ++r) {
      const V distance = hn::Max(hn::LoadU(d, strip.distances + r * kPanel + at), hn::Zero(d));
      const V kernel = hn::Exp(d, hn::Max(hn::Mul(slope, hn::Min(distance, gamma)), lowest));
      sums[r] = hn::MulAdd(weight, kernel, sums[r]);
      both = hn::MulAdd(hn::Set(d, strip.row_weights[r]), kernel, both);
    }
    if (strip.panel_sums != nullptr) {
      hn::StoreU(hn::Add(hn::LoadU(d, strip.panel_sums + at), both), d, strip.panel_sums + at);
    }
  }
  for (std::size_t r = 0; r < kStripRows; ++r) {
    strip.row_sums[r] += hn::GetLane(hn::SumOfLanes(d, sums[r]));
  }
}

void add_rough_kernel_target(const RoughKernelStrip& strip) {
  const hn::CappedTag<float, 16> d;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const hn::Rebind<std::uint8_t, decltype(d)> du;
  using F = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kHalf = StepTables::kHalf;
  const StepTables& tables = *strip.tables;
  const F lowest = hn::Set(d, tables.least);
  const auto look_up = [&](const std::uint8_t* steps) HWY_ATTR {
    if constexpr (hn::MaxLanes(d) == kHalf) {
      const auto step = hn::PromoteTo(di, hn::LoadU(du, steps));
      const auto high = hn::IndicesFromVec(d, hn::ShiftRight<4>(step));
      const auto low = hn::IndicesFromVec(d, hn::And(step, hn::Set(di, kHalf - 1)));
      return hn::Mul(hn::TableLookupLanes(hn::Load(d, tables.high.data()), high),
                     hn::TableLookupLanes(hn::Load(d, tables.low.data()), low));
    } else {
      HWY_ALIGN float values[kHalf];
      for (std::size_t i = 0; i < lanes; ++i) {
        values[i] = tables.high[steps[i] / kHalf] * tables.low[steps[i] % kHalf];
      }
      return hn::Load(d, values);
    }
  };
  F row_sums[kStripRows];
  for (F& sum : row_sums) sum = hn::Zero(d);
  HWY_ALIGN float panel_sums[kPanel];
  for (std::size_t at = 0; at < kPanel; at += lanes) {
    const F weight = hn::LoadU(d, strip.panel_weights + at);
    F both = hn::Zero(d);
    for (std::size_t r = 0; r < kStripRows; ++r) {
      const F kernel = hn::Max(look_up(strip.steps + r * kPanel + at), lowest);
      row_sums[r] = hn::MulAdd(weight, kernel, row_sums[r]);
      both = hn::MulAdd(hn::Set(d, strip.row_weights[r]), kernel, both);
    }
    hn::Store(both, d, panel_sums + at);
  }
  for (std::size_t r = 0; r < kStripRows; ++r) {
    strip.row_sums[r] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, row_sums[r])));
  }
  if (strip.panel_sums == nullptr) return;
  for (std::size_t i = 0; i < kPanel; ++i) strip.panel_sums[i] += static_cast<double>(panel_sums[i]);
}

std::size_t find_losses_target(const LossStrip& strip, std::uint16_t* found) {
  const D d;
  const hn::RebindToSigned<D> di;
  const std::size_t lanes = hn::Lanes(d);
  const V slope = hn::Set(d, strip.slope);
  const V gamma = hn::Set(d, strip.gamma);
  // All losses less the allowance.
  const V margin = hn::Set(d, strip.margin - strip.allowance);
  const V least_loss = hn::Set(d, strip.loss - strip.allowance);
  const V distance_factor = hn::Set(d, strip.distance_factor);
  const V distance_margin = hn::Set(d, strip.distance_margin);
  const V scale = hn::Set(d, strip.bands_per_unit);
  const V last_band = hn::Set(d, static_cast<double>(kBands - 1));
  const V infinity = hn::Inf(d);
  V largest = hn::Set(d, *strip.largest_distance);
  std::size_t count = 0;
  for (std::size_t r = 0; r < kStripRows; ++r) {
    const V row_log = hn::Set(d, strip.row_logs[r]);
    V row_nearest = infinity;
    for (std::size_t at = 0; at < kPanel; at += lanes) {
      const V distance = hn::LoadU(d, strip.distances + r * kPanel + at);
      const auto apart = hn::Gt(distance, hn::Zero(d));
      const V nearest = hn::IfThenElse(apart, distance, infinity);
      row_nearest = hn::Min(row_nearest, nearest);
      largest = hn::Max(largest, distance);
      hn::StoreU(hn::Min(hn::LoadU(d, strip.panel_nearest + at), nearest), d, strip.panel_nearest + at);
      const V gap = hn::Abs(hn::Sub(row_log, hn::LoadU(d, strip.panel_logs + at)));
      const V loss = hn::Add(hn::MulAdd(slope, hn::Min(distance, gamma), gap), margin);
      const V band = hn::Min(hn::Max(hn::Mul(distance, scale), hn::Zero(d)), last_band);
      const V best = hn::GatherIndex(d, strip.bands, hn::ConvertTo(di, band));
      const V limit = hn::Min(hn::Set(d, strip.ratio), best);
      const V divisor = hn::MulSub(distance, distance_factor, distance_margin);
      const auto chance = hn::Or(hn::Ge(loss, hn::Mul(limit, divisor)), hn::Ge(loss, least_loss));
      const auto hit = hn::And(hn::Ge(distance, hn::Zero(d)), chance);
      if (hn::AllFalse(d, hit)) continue;
      const V flags = hn::IfThenElseZero(hit, hn::Set(d, 1.0));
      HWY_ALIGN double marks[8];
      hn::Store(flags, d, marks);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (marks[lane] != 0) found[count++] = static_cast<std::uint16_t>(r * kPanel + at + lane);
      }
    }
    const double nearest = hn::GetLane(hn::MinOfLanes(d, row_nearest));
    // Without a distance the target EMU128 gives the largest double here, the others infinity.
    if (nearest < hwy::HighestValue<double>() && nearest < strip.row_nearest[r]) {
      strip.row_nearest[r] = nearest;
    }
  }
  *strip.largest_distance = hn::GetLane(hn::MaxOfLanes(d, largest));
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

StepTables::StepTables(double slope_per_step, double largest_exponent) {
  const auto value = [&](std::size_t steps) {
    return static_cast<float>(std::exp(std::max(-slope_per_step * static_cast<double>(steps), -40.0)));
  };
  for (std::size_t i = 0; i < kHalf; ++i) {
    high[i] = value(kHalf * i);
    low[i] = value(i);
  }
  least = static_cast<float>(std::exp(std::max(-largest_exponent, -80.0)));
}

HWY_EXPORT(add_kernel_target);
HWY_EXPORT(add_rough_kernel_target);
HWY_EXPORT(find_losses_target);

void add_kernel(const KernelStrip& strip) {
  HWY_DYNAMIC_DISPATCH(add_kernel_target)(strip);
}
void add_rough_kernel(const RoughKernelStrip& strip) {
  HWY_DYNAMIC_DISPATCH(add_rough_kernel_target)(strip);
}
std::size_t find_losses(const LossStrip& strip, std::uint16_t* found) {
  return HWY_DYNAMIC_DISPATCH(find_losses_target)(strip, found);
}

}  // namespace sotto
#endif
