// Compiled once per SIMD target by Highway and chosen at run time.
#include "neighbours/sketches.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbours/sketch_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

float sketch_distance_target(const float* x, const std::int8_t* q, float scale, std::size_t count) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> words;
  const hn::Rebind<std::int8_t, decltype(d)> bytes;
  const auto s = hn::Set(d, scale);
  auto even = hn::Zero(d);
  auto odd = hn::Zero(d);
  const std::size_t lanes = hn::Lanes(d);
  const auto rest = [&](std::size_t at) HWY_ATTR {
    const auto units = hn::ConvertTo(d, hn::PromoteTo(words, hn::LoadU(bytes, q + at)));
    return hn::NegMulAdd(s, units, hn::LoadU(d, x + at));
  };
  std::size_t at = 0;
  for (; at + 2 * lanes <= count; at += 2 * lanes) {
    const auto a = rest(at);
    const auto b = rest(at + lanes);
    even = hn::MulAdd(a, a, even);
    odd = hn::MulAdd(b, b, odd);
  }
  for (; at < count; at += lanes) {
    const auto a = rest(at);
    even = hn::MulAdd(a, a, even);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(sketch_distance_target);

float sketch_distance(const float* x, const std::int8_t* q, float scale, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(sketch_distance_target)(x, q, scale, count);
}

}  // namespace sotto
#endif
