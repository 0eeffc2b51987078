// Compiled once per SIMD target by Highway and chosen at run time.
#include "lab/gumbel/place_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lab/gumbel/place_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::lab::gumbel {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(tag, unit) for whole registers, then with a tag of one lane for the units that are left.
template <class Body>
HWY_INLINE void for_units(std::size_t units, const Body& body) {
  const hn::ScalableTag<float> whole;
  const hn::CappedTag<float, 1> single;
  std::size_t at = 0;
  for (; at + hn::Lanes(whole) <= units; at += hn::Lanes(whole)) body(whole, at);
  for (; at < units; ++at) body(single, at);
}

struct AddRectified {
  const float* before;
  const float* own;
  const float* after;
  float* sums;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t at) const {
    const auto value =
        hn::Add(hn::Add(hn::LoadU(d, before + at), hn::LoadU(d, own + at)), hn::LoadU(d, after + at));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + at), hn::Max(value, hn::Zero(d))), d, sums + at);
  }
};

struct AddGradient {
  AddRectified place;  // its sums are not used
  const float* gradient;
  float* to_before;
  float* to_own;
  float* to_after;
  template <class D>
  HWY_INLINE void operator()(D d, std::size_t at) const {
    const auto value = hn::Add(hn::Add(hn::LoadU(d, place.before + at), hn::LoadU(d, place.own + at)),
                               hn::LoadU(d, place.after + at));
    const auto flows = hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), hn::LoadU(d, gradient + at));
    // One after the other, since two of the three may be the same word: their parts do not overlap.
    hn::StoreU(hn::Add(hn::LoadU(d, to_before + at), flows), d, to_before + at);
    hn::StoreU(hn::Add(hn::LoadU(d, to_own + at), flows), d, to_own + at);
    hn::StoreU(hn::Add(hn::LoadU(d, to_after + at), flows), d, to_after + at);
  }
};

void add_rectified_target(const float* const* words, std::size_t count, std::size_t units, float* sums) {
  for (std::size_t i = 1; i <= count; ++i) {
    for_units(units, AddRectified{words[i - 1], words[i] + units, words[i + 1] + 2 * units, sums});
  }
}

void add_gradients_target(const float* const* words, float* const* gradients, std::size_t count,
                          std::size_t units, const float* gradient) {
  for (std::size_t i = 1; i <= count; ++i) {
    for_units(units, AddGradient{.place = {words[i - 1], words[i] + units, words[i + 1] + 2 * units, nullptr},
                                 .gradient = gradient,
                                 .to_before = gradients[i - 1],
                                 .to_own = gradients[i] + units,
                                 .to_after = gradients[i + 1] + 2 * units});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto::lab::gumbel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::lab::gumbel {

HWY_EXPORT(add_rectified_target);
HWY_EXPORT(add_gradients_target);

void add_rectified_places(const float* const* words, std::size_t count, std::size_t units, float* sums) {
  HWY_DYNAMIC_DISPATCH(add_rectified_target)(words, count, units, sums);
}
void add_place_gradients(const float* const* words, float* const* gradients, std::size_t count,
                         std::size_t units, const float* gradient) {
  HWY_DYNAMIC_DISPATCH(add_gradients_target)(words, gradients, count, units, gradient);
}

}  // namespace sotto::lab::gumbel
#endif
