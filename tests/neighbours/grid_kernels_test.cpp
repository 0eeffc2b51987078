#include "neighbours/grid_kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/rng.h"

namespace sotto {
namespace {

constexpr std::size_t kStride = 48;

// The definition, one coordinate after the other. `integers` are those that the kernel found.
template <typename Integer>
void expect_definition(const std::vector<float>& row, const Grid& grid, const std::vector<Integer>& integers,
                       const GridPoint& point) {
  double length = 0;
  double residual = 0;
  double norm = 0;
  for (std::size_t j = 0; j < kStride; ++j) {
    const double x = grid.unit * (static_cast<double>(row[j]) - static_cast<double>(grid.centre[j]));
    const auto integer = static_cast<double>(integers[j]);
    const double inside = std::min(std::max(x / grid.step, -grid.most), grid.most);
    // Half, and no more than the rounding of the quotient: either neighbour is right at a tie.
    ASSERT_LE(std::abs(inside - integer), 0.5 + 0x1p-30) << "coordinate " << j;
    ASSERT_LE(std::abs(integer), grid.most);
    length += x * x;
    residual += std::pow(x - grid.step * integer, 2);
    norm += integer * integer;
  }
  EXPECT_NEAR(point.squared_length, length, 1e-12 * length);
  EXPECT_NEAR(point.squared_residual, residual, 1e-12 * (residual + grid.step * grid.step));
  EXPECT_EQ(point.squared_norm, norm);  // integers: no sum is rounded
}

template <typename Integer>
void expect_definition_on_every_target(double most) {
  Rng rng = Rng::seeded_not_private(1);
  const auto any = [&] { return static_cast<float>(rng.bits() >> 40U) * 0x1p-23F - 1; };
  std::vector<float> centre(kStride);
  for (float& value : centre) value = any();
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    SCOPED_TRACE(hwy::TargetName(rest & -rest));
    for (const double reach : {0.7, 3.0}) {  // coordinates up to 2 apart: cut, and not
      const Grid grid{.centre = centre.data(), .unit = 2, .step = reach / most, .most = most};
      for (int i = 0; i < 50; ++i) {
        std::vector<float> row(kStride);
        for (float& value : row) value = any();
        row[3] = centre[3];
        row[4] = std::numeric_limits<float>::max();
        std::vector<Integer> integers(kStride);
        const GridPoint point = round_to_grid(row.data(), kStride, grid, integers.data());
        expect_definition(row, grid, integers, point);
        EXPECT_EQ(integers[3], 0);
        EXPECT_EQ(integers[4], most);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(GridKernels, BytesAreTheDefinitionOnEveryTarget) {
  expect_definition_on_every_target<std::int8_t>(127);
}

TEST(GridKernels, SixteenBitsAreTheDefinitionOnEveryTarget) {
  expect_definition_on_every_target<std::int16_t>(32767);
  expect_definition_on_every_target<std::int16_t>(3276);
}

}  // namespace
}  // namespace sotto
