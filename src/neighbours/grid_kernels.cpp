// Compiled once per SIMD target by Highway and chosen at run time.
#include "neighbours/grid_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbours/grid_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename Integer>
GridPoint round_row(const float* row, std::size_t stride, const Grid& grid, Integer* out) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const hn::Rebind<Integer, decltype(d)> narrow;
  const auto unit = hn::Set(d, grid.unit);
  const auto step = hn::Set(d, grid.step);
  const auto inverse = hn::Set(d, 1 / grid.step);
  const auto most = hn::Set(d, grid.most);
  auto length = hn::Zero(d);
  auto residual = hn::Zero(d);
  auto norm = hn::Zero(d);
  for (std::size_t j = 0; j < stride; j += hn::Lanes(d)) {
    const auto value = hn::PromoteTo(d, hn::LoadU(df, row + j));
    const auto x = hn::Mul(unit, hn::Sub(value, hn::PromoteTo(d, hn::LoadU(df, grid.centre + j))));
    const auto rounded = hn::Round(hn::Min(hn::Max(hn::Mul(x, inverse), hn::Neg(most)), most));
    const auto rest = hn::Sub(x, hn::Mul(rounded, step));
    length = hn::Add(length, hn::Mul(x, x));
    residual = hn::Add(residual, hn::Mul(rest, rest));
    norm = hn::Add(norm, hn::Mul(rounded, rounded));
    hn::StoreU(hn::DemoteTo(narrow, hn::DemoteTo(di, rounded)), narrow, out + j);
  }
  return {.squared_length = hn::GetLane(hn::SumOfLanes(d, length)),
          .squared_residual = hn::GetLane(hn::SumOfLanes(d, residual)),
          .squared_norm = hn::GetLane(hn::SumOfLanes(d, norm))};
}

GridPoint round_to_8_bits(const float* row, std::size_t stride, const Grid& grid, std::int8_t* out) {
  return round_row(row, stride, grid, out);
}
GridPoint round_to_16_bits(const float* row, std::size_t stride, const Grid& grid, std::int16_t* out) {
  return round_row(row, stride, grid, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(round_to_8_bits);
HWY_EXPORT(round_to_16_bits);

GridPoint round_to_grid(const float* row, std::size_t stride, const Grid& grid, std::int8_t* out) {
  return HWY_DYNAMIC_DISPATCH(round_to_8_bits)(row, stride, grid, out);
}
GridPoint round_to_grid(const float* row, std::size_t stride, const Grid& grid, std::int16_t* out) {
  return HWY_DYNAMIC_DISPATCH(round_to_16_bits)(row, stride, grid, out);
}

}  // namespace sotto
#endif
