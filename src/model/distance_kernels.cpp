// Compiled once per SIMD target by Highway and chosen at run time. -ffp-contract=off (CMakeLists.txt) is
// part of the contract: a fused multiply-add on one machine only would change distances.
#include "model/distance_kernels.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/distance_kernels.cpp"
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

// How a sum adds a square: rounded twice, with the same bits on every target, or fused where the target can.
struct Rounded {
  static HWY_INLINE V add_square(V sum, V x) { return hn::Add(sum, hn::Mul(x, x)); }
};
struct Fused {
  static HWY_INLINE V add_square(V sum, V x) { return hn::MulAdd(x, x, sum); }
};

// How two partial sums become one.
struct Added {
  static HWY_INLINE V merge(V a, V b) { return hn::Add(a, b); }
  static HWY_INLINE double merge(double a, double b) { return a + b; }
};
struct Largest {
  static HWY_INLINE V merge(V a, V b) { return hn::Max(a, b); }
  static HWY_INLINE double merge(double a, double b) { return a < b ? b : a; }
};

// The sums themselves: what one coordinate adds. Swapping x and y must not change a bit.
struct Squares : Added {
  template <typename Products>
  static HWY_INLINE V add(V sum, V x, V y) {
    return Products::add_square(sum, hn::Sub(x, y));
  }
};
struct SquaresOfSums : Added {
  template <typename Products>
  static HWY_INLINE V add(V sum, V x, V y) {
    return Products::add_square(sum, hn::Add(x, y));
  }
};
struct Absolutes : Added {
  template <typename Products>
  static HWY_INLINE V add(V sum, V x, V y) {
    return hn::Add(sum, hn::Abs(hn::Sub(x, y)));
  }
};
struct Maxima : Largest {
  template <typename Products>
  static HWY_INLINE V add(V sum, V x, V y) {
    return hn::Max(sum, hn::Abs(hn::Sub(x, y)));
  }
};
struct NoTotals {};

// Rows: 16 partial sums.

constexpr std::size_t kPartialSums = 16;
constexpr std::size_t kMaxRegisters = kPartialSums / hn::MaxLanes(D());

HWY_INLINE V load(D d, const float* p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), p));
}
HWY_INLINE V load(D d, const double* p) {
  return hn::LoadU(d, p);
}

// The fixed tree: register r holds partial sums [r * lanes, (r+1) * lanes).
template <typename Sum>
HWY_INLINE double reduce(D d, V (&sums)[kMaxRegisters]) {
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t half = kMaxRegisters / 2; half > 0; half /= 2) {
    for (std::size_t r = 0; r < half; ++r) sums[r] = Sum::merge(sums[r], sums[r + half]);
  }
  HWY_ALIGN double tail[hn::MaxLanes(D())];
  hn::Store(sums[0], d, tail);
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) tail[i] = Sum::merge(tail[i], tail[i + half]);
  }
  return tail[0];
}

// One pair. kHasFactors: a and b are multiplied by theirs first.
template <typename Sum, typename Totals, bool kHasFactors, typename From>
HWY_INLINE PairSum sum_pair(const From* a, const float* b, V factor_a, V factor_b, std::size_t stride) {
  constexpr bool kHasTotals = !std::is_same_v<Totals, NoTotals>;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V values[kMaxRegisters];
  V totals[kMaxRegisters];
  for (V& value : values) value = hn::Zero(d);
  for (V& total : totals) total = hn::Zero(d);
  for (std::size_t j = 0; j < stride; j += kPartialSums) {
    for (std::size_t r = 0; r < kMaxRegisters; ++r) {
      V x = load(d, a + j + r * lanes);
      V y = load(d, b + j + r * lanes);
      if constexpr (kHasFactors) {
        x = hn::Mul(factor_a, x);
        y = hn::Mul(factor_b, y);
      }
      values[r] = Sum::template add<Rounded>(values[r], x, y);
      if constexpr (kHasTotals) totals[r] = Totals::template add<Rounded>(totals[r], x, y);
    }
  }
  PairSum out{.value = reduce<Sum>(d, values), .total = 0};
  if constexpr (kHasTotals) out.total = reduce<Totals>(d, totals);
  return out;
}

template <typename Sum, typename Totals>
PairSum sum_pair(Vectors a, Vectors b, std::size_t stride) {
  const D d;
  if (a.factors == nullptr) {
    return sum_pair<Sum, Totals, false>(a.values, b.values, hn::Zero(d), hn::Zero(d), stride);
  }
  return sum_pair<Sum, Totals, true>(a.values, b.values, hn::Set(d, *a.factors), hn::Set(d, *b.factors),
                                     stride);
}

template <typename Sum, typename Totals>
void sum_row(Vectors from, Vectors others, std::size_t stride, std::span<double> values, double* totals) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const PairSum pair = sum_pair<Sum, Totals>(from, others, stride);
    values[i] = pair.value;
    if constexpr (!std::is_same_v<Totals, NoTotals>) totals[i] = pair.total;
    others.values += stride;
    if (others.factors != nullptr) ++others.factors;
  }
}

template <typename From>
HWY_INLINE void squares_of_rows(const From* from, const float* rows, std::size_t count, std::size_t stride,
                                double* out) {
  const V none = hn::Zero(D());
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = sum_pair<Squares, NoTotals, false>(from, rows + i * stride, none, none, stride).value;
  }
}
void squared_distances_float(const float* from, const float* rows, std::size_t count, std::size_t stride,
                             double* out) {
  squares_of_rows(from, rows, count, stride, out);
}
void squared_distances_double(const double* from, const float* rows, std::size_t count, std::size_t stride,
                              double* out) {
  squares_of_rows(from, rows, count, stride, out);
}

// Strips: two registers of the panel against all rows, 8 sums that stay in registers.
template <typename Sum>
void sum_strip(const StripInput& input, double* out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < kPanel; at += 2 * lanes) {
    V low[kStripRows];
    V high[kStripRows];
    for (V& sum : low) sum = hn::Zero(d);
    for (V& sum : high) sum = hn::Zero(d);
    for (std::size_t j = 0; j < input.dim; ++j) {
      const V first = hn::LoadU(d, input.panel + j * kPanel + at);
      const V second = hn::LoadU(d, input.panel + j * kPanel + at + lanes);
      for (std::size_t r = 0; r < kStripRows; ++r) {
        const V row = hn::Set(d, input.rows[j * kStripRows + r]);
        low[r] = Sum::template add<Fused>(low[r], row, first);
        high[r] = Sum::template add<Fused>(high[r], row, second);
      }
    }
    for (std::size_t r = 0; r < kStripRows; ++r) {
      hn::StoreU(low[r], d, out + r * kPanel + at);
      hn::StoreU(high[r], d, out + r * kPanel + at + lanes);
    }
  }
}

template <typename Sum, typename Totals>
void sum_strip(const StripInput& input, double* values, double* totals) {
  sum_strip<Sum>(input, values);
  if constexpr (!std::is_same_v<Totals, NoTotals>) sum_strip<Totals>(input, totals);
}

template <typename Sum, typename Totals = NoTotals>
constexpr SumKernels kKernels = {
    .pair = sum_pair<Sum, Totals>, .row = sum_row<Sum, Totals>, .strip = sum_strip<Sum, Totals>};

const SumKernels& sum_kernels_target(CoordinateSum sum) {
  switch (sum) {
    case CoordinateSum::absolutes:
      return kKernels<Absolutes>;
    case CoordinateSum::maxima:
      return kKernels<Maxima>;
    case CoordinateSum::squares_and_sums:
      return kKernels<Squares, SquaresOfSums>;
    case CoordinateSum::squares:
      break;
  }
  return kKernels<Squares>;
}

// Finishes.

void square_roots_target(const RowSums& sums) {
  const D d;
  for (std::size_t at = 0; at < sums.values.size(); at += hn::Lanes(d)) {
    double* place = sums.values.data() + at;
    hn::StoreU(hn::Sqrt(hn::LoadU(d, place)), d, place);
  }
}

void angles_target(const RowSums& sums) {
  const D d;
  for (std::size_t at = 0; at < sums.values.size(); at += hn::Lanes(d)) {
    double* place = sums.values.data() + at;
    // Opposite vectors have a total of 0: a large tangent stands for the infinite one.
    const V total = hn::Max(hn::LoadU(d, sums.totals + at), hn::Set(d, 1e-300));
    const V tangent = hn::Div(hn::Sqrt(hn::LoadU(d, place)), hn::Sqrt(total));
    hn::StoreU(hn::Mul(hn::Set(d, 2.0), hn::Atan(d, tangent)), d, place);
  }
}

void hyperbolic_distances_target(const RowSums& sums) {
  const D d;
  const V own = hn::Set(d, sums.own_room);
  for (std::size_t at = 0; at < sums.values.size(); at += hn::Lanes(d)) {
    double* place = sums.values.data() + at;
    const V rooms = hn::Mul(own, hn::LoadU(d, sums.rooms + at));
    const V x = hn::Sqrt(hn::Div(hn::LoadU(d, place), rooms));
    hn::StoreU(hn::Mul(hn::Set(d, 2.0), hn::Asinh(d, x)), d, place);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(sum_kernels_target);
HWY_EXPORT(squared_distances_float);
HWY_EXPORT(squared_distances_double);
HWY_EXPORT(square_roots_target);
HWY_EXPORT(angles_target);
HWY_EXPORT(hyperbolic_distances_target);

const SumKernels& sum_kernels(CoordinateSum sum) {
  return HWY_DYNAMIC_DISPATCH(sum_kernels_target)(sum);
}
void squared_distances(const float* from, const float* rows, std::size_t count, std::size_t stride,
                       double* out) {
  HWY_DYNAMIC_DISPATCH(squared_distances_float)(from, rows, count, stride, out);
}
void squared_distances(const double* from, const float* rows, std::size_t count, std::size_t stride,
                       double* out) {
  HWY_DYNAMIC_DISPATCH(squared_distances_double)(from, rows, count, stride, out);
}
void square_roots(const RowSums& sums) {
  HWY_DYNAMIC_DISPATCH(square_roots_target)(sums);
}
void angles(const RowSums& sums) {
  HWY_DYNAMIC_DISPATCH(angles_target)(sums);
}
void hyperbolic_distances(const RowSums& sums) {
  HWY_DYNAMIC_DISPATCH(hyperbolic_distances_target)(sums);
}

}  // namespace sotto
#endif
