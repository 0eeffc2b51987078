// Compiled once per SIMD target by Highway and chosen at run time.
#include "attack/message_kernels.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attack/message_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::CappedTag<double, kLanes>;
using Narrow = hn::Rebind<float, Wide>;  // as many floats as Wide has doubles
using Floats = hn::CappedTag<float, 16>;

// Entries of a row are added four at a time into sums of their own, so that additions do not wait for each
// other.
void sparse_product_target(const SparseRows& matrix, const float* in, const LaneSums& scale, float* out) {
  const Wide wide;
  const Narrow narrow;
  const std::size_t width = hn::Lanes(wide);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const std::size_t first = matrix.begins[row];
    const std::size_t last = matrix.begins[row + 1];
    const auto side = hn::Set(wide, static_cast<double>(matrix.side[row]));
    for (std::size_t lane = 0; lane < kLanes; lane += width) {
      auto even = hn::Mul(side, hn::LoadU(wide, scale.data() + lane));
      auto odd = hn::Zero(wide);
      std::size_t e = first;
      for (; e + 1 < last; e += 2) {
        const float* one = in + std::size_t{matrix.others[e]} * kLanes + lane;
        const float* two = in + std::size_t{matrix.others[e + 1]} * kLanes + lane;
        even = hn::MulAdd(hn::Set(wide, static_cast<double>(matrix.values[e])),
                          hn::PromoteTo(wide, hn::LoadU(narrow, one)), even);
        odd = hn::MulAdd(hn::Set(wide, static_cast<double>(matrix.values[e + 1])),
                         hn::PromoteTo(wide, hn::LoadU(narrow, two)), odd);
      }
      if (e < last) {
        const float* one = in + std::size_t{matrix.others[e]} * kLanes + lane;
        even = hn::MulAdd(hn::Set(wide, static_cast<double>(matrix.values[e])),
                          hn::PromoteTo(wide, hn::LoadU(narrow, one)), even);
      }
      const auto sum = hn::Max(hn::Zero(wide), hn::Add(even, odd));
      hn::StoreU(hn::DemoteTo(narrow, sum), narrow, out + row * kLanes + lane);
    }
  }
}

void exponential_column_target(const ExponentialColumn& column, float* out) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto lowest = hn::Set(d, -69.0F);  // ln 1e-30
  float arguments[16];
  float results[16];
  for (std::size_t at = 0; at < column.words; at += lanes) {
    const std::size_t count = std::min(lanes, column.words - at);
    for (std::size_t i = 0; i < lanes; ++i) arguments[i] = -100;
    for (std::size_t i = 0; i < count; ++i) {
      arguments[i] = static_cast<float>(-column.slope * std::min(column.distances[at + i], column.gamma) -
                                        static_cast<double>(column.logs[at + i]) - column.shift);
    }
    const auto argument = hn::LoadU(d, arguments);
    const auto value = hn::IfThenElseZero(hn::Gt(argument, lowest), hn::Exp(d, hn::Max(argument, lowest)));
    hn::StoreU(value, d, results);
    for (std::size_t i = 0; i < count; ++i) out[at + i] = results[i];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(sparse_product_target);
HWY_EXPORT(exponential_column_target);

void sparse_product(const SparseRows& matrix, const float* in, const LaneSums& scale, float* out) {
  HWY_DYNAMIC_DISPATCH(sparse_product_target)(matrix, in, scale, out);
}

void exponential_column(const ExponentialColumn& column, float* out) {
  HWY_DYNAMIC_DISPATCH(exponential_column_target)(column, out);
}

LaneSums times_columns(float* message, const std::array<const float*, kLanes>& columns, std::size_t words) {
  LaneSums sums{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const float* column = columns[lane];
    float* own = message + lane;
    double sum = 0;
    if (column == nullptr) {
      for (std::size_t w = 0; w < words; ++w) own[w * kLanes] = 0;
    } else {
      for (std::size_t w = 0; w < words; ++w) {
        own[w * kLanes] *= column[w];
        sum += static_cast<double>(own[w * kLanes]);
      }
    }
    sums[lane] = sum;
  }
  return sums;
}

LaneSums weighted_sums(const float* message, const float* weights, std::size_t words) {
  LaneSums sums{};
  for (std::size_t w = 0; w < words; ++w) {
    const double weight = weights[w];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += weight * static_cast<double>(message[w * kLanes + lane]);
    }
  }
  return sums;
}

void scale_lanes(float* message, const LaneSums& factors, std::size_t words) {
  std::array<float, kLanes> own{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) own[lane] = static_cast<float>(factors[lane]);
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) message[w * kLanes + lane] *= own[lane];
  }
}

}  // namespace sotto
#endif
