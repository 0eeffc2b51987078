// Compiled once per SIMD target by Highway and chosen at run time.
#include "certify/float_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certify/float_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using V = hn::Vec<F>;

// Registers of columns that meet the rows of a strip at once: AVX-512 has 32 registers, others 16.
constexpr std::size_t kRegisters = hn::MaxLanes(F()) >= 16 ? 4 : 2;

// -2 x y of a strip of rows and a group of columns. The coordinates are cut into equal chunks; each chunk is
// a chain of multiply-adds, and the chunks are added up. So a product is rounded (chunk size + number of
// chunks) times at most.
HWY_INLINE void products(const FloatTile& tile, const float* rows, const float* columns, float* out) {
  const F f;
  const std::size_t lanes = hn::Lanes(f);
  const std::size_t chunks = (tile.dim + kFloatChunk - 1) / kFloatChunk;
  const std::size_t size = (tile.dim + chunks - 1) / chunks;
  for (std::size_t at = 0; at < kFloatGroup; at += kRegisters * lanes) {
    for (std::size_t begin = 0; begin < tile.dim; begin += size) {
      V sums[kFloatStrip][kRegisters];
      for (auto& row : sums) {
        for (V& sum : row) sum = hn::Zero(f);
      }
      const std::size_t end = std::min(begin + size, tile.dim);
      for (std::size_t j = begin; j < end; ++j) {
        V column[kRegisters];
        for (std::size_t k = 0; k < kRegisters; ++k) {
          column[k] = hn::LoadU(f, columns + j * kFloatGroup + at + k * lanes);
        }
        for (std::size_t r = 0; r < kFloatStrip; ++r) {
          const V row = hn::Set(f, rows[j * kFloatStrip + r]);
          for (std::size_t k = 0; k < kRegisters; ++k) sums[r][k] = hn::MulAdd(row, column[k], sums[r][k]);
        }
      }
      for (std::size_t r = 0; r < kFloatStrip; ++r) {
        for (std::size_t k = 0; k < kRegisters; ++k) {
          float* place = out + r * kFloatGroup + at + k * lanes;
          hn::Store(begin == 0 ? sums[r][k] : hn::Add(hn::Load(f, place), sums[r][k]), f, place);
        }
      }
    }
  }
}

// 2^t for t from -125 to 0: the nearest integer goes to the exponent, and the rest, at most 1/2, into the
// series of e^(x ln 2) up to x^6, whose remainder is below 2^-22 of the value.
HWY_INLINE V exp2_of(V t) {
  const F f;
  const hn::RebindToSigned<F> i;
  const V whole = hn::Round(t);
  const V x = hn::Sub(t, whole);
  V sum = hn::Set(f, 1.5403530393381608e-4F);
  sum = hn::MulAdd(sum, x, hn::Set(f, 1.3333558146428443e-3F));
  sum = hn::MulAdd(sum, x, hn::Set(f, 9.618129107628477e-3F));
  sum = hn::MulAdd(sum, x, hn::Set(f, 5.550410866482158e-2F));
  sum = hn::MulAdd(sum, x, hn::Set(f, 2.402265069591007e-1F));
  sum = hn::MulAdd(sum, x, hn::Set(f, 6.931471805599453e-1F));
  sum = hn::MulAdd(sum, x, hn::Set(f, 1.0F));
  const auto exponent = hn::ShiftLeft<23>(hn::ConvertTo(i, whole));
  return hn::BitCast(f, hn::Add(hn::BitCast(i, sum), exponent));
}

std::size_t add_float_sums_target(const FloatSums& sums, std::uint16_t* near) {
  const F f;
  const std::size_t lanes = hn::Lanes(f);
  const V slope = hn::Set(f, sums.slope);
  const V lowest = hn::Set(f, sums.lowest);
  const V infinity = hn::Inf(f);
  HWY_ALIGN float area[kFloatStrip * kFloatGroup];
  std::size_t count = 0;
  for (std::size_t column = 0; column < kFloatPanel; column += kFloatGroup) {
    const float* const columns = sums.tile.columns + column * sums.tile.dim;
    for (std::size_t row = 0; row < kFloatPanel; row += kFloatStrip) {
      products(sums.tile, sums.tile.rows + row * sums.tile.dim, columns, area);
      V totals[kFloatStrip];
      V nearest[kFloatStrip];
      V farthest[kFloatStrip];
      for (std::size_t r = 0; r < kFloatStrip; ++r) {
        totals[r] = hn::Zero(f);
        nearest[r] = infinity;
        farthest[r] = hn::Zero(f);
      }
      for (std::size_t at = 0; at < kFloatGroup; at += lanes) {
        const std::size_t c = column + at;
        const V squares = hn::LoadU(f, sums.tile.column_squares + c);
        const V reach = hn::LoadU(f, sums.column_reach + c);
        const V weight = hn::LoadU(f, sums.column_weights + c);
        V both = hn::Zero(f);
        V low = hn::LoadU(f, sums.column_nearest + c);
        V high = hn::LoadU(f, sums.column_farthest + c);
        for (std::size_t r = 0; r < kFloatStrip; ++r) {
          const V product = hn::Load(f, area + r * kFloatGroup + at);
          const V square = hn::Add(hn::Add(product, squares), hn::Set(f, sums.tile.row_squares[row + r]));
          const V distance = hn::Sqrt(hn::Max(square, hn::Zero(f)));
          const auto is_near = hn::Lt(distance, hn::Add(reach, hn::Set(f, sums.row_reach[row + r])));
          const V kernel = hn::IfThenZeroElse(is_near, exp2_of(hn::Max(hn::Mul(slope, distance), lowest)));
          totals[r] = hn::MulAdd(weight, kernel, totals[r]);
          both = hn::MulAdd(hn::Set(f, sums.row_weights[row + r]), kernel, both);
          const V apart = hn::IfThenElse(is_near, infinity, distance);
          nearest[r] = hn::Min(nearest[r], apart);
          low = hn::Min(low, apart);
          const V away = hn::IfThenZeroElse(is_near, distance);
          farthest[r] = hn::Max(farthest[r], away);
          high = hn::Max(high, away);
          if (HWY_LIKELY(hn::AllFalse(f, is_near))) continue;
          HWY_ALIGN float marks[16];
          hn::Store(hn::IfThenElseZero(is_near, hn::Set(f, 1.0F)), f, marks);
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (marks[lane] == 0) continue;
            near[count++] = static_cast<std::uint16_t>((row + r) * kFloatPanel + c + lane);
          }
        }
        hn::StoreU(hn::Add(hn::LoadU(f, sums.column_sums + c), both), f, sums.column_sums + c);
        hn::StoreU(low, f, sums.column_nearest + c);
        hn::StoreU(high, f, sums.column_farthest + c);
      }
      for (std::size_t r = 0; r < kFloatStrip; ++r) {
        sums.row_sums[row + r] += hn::GetLane(hn::SumOfLanes(f, totals[r]));
        const float low = hn::GetLane(hn::MinOfLanes(f, nearest[r]));
        sums.row_nearest[row + r] = std::min(sums.row_nearest[row + r], low);
        const float high = hn::GetLane(hn::MaxOfLanes(f, farthest[r]));
        sums.row_farthest[row + r] = std::max(sums.row_farthest[row + r], high);
      }
    }
  }
  return count;
}

std::size_t find_float_pairs_target(const FloatSearch& search, FloatHit* found) {
  const F f;
  const std::size_t lanes = hn::Lanes(f);
  HWY_ALIGN float area[kFloatStrip * kFloatGroup];
  std::size_t count = 0;
  for (std::size_t column = 0; column < kFloatPanel; column += kFloatGroup) {
    const float* const columns = search.tile.columns + column * search.tile.dim;
    for (std::size_t row = 0; row < kFloatPanel; row += kFloatStrip) {
      const V low = hn::Set(f, search.low[row / kFloatStrip]);
      const V high = hn::Set(f, search.high[row / kFloatStrip]);
      products(search.tile, search.tile.rows + row * search.tile.dim, columns, area);
      for (std::size_t at = 0; at < kFloatGroup; at += lanes) {
        const V squares = hn::LoadU(f, search.tile.column_squares + column + at);
        for (std::size_t r = 0; r < kFloatStrip; ++r) {
          const V product = hn::Load(f, area + r * kFloatGroup + at);
          const V square = hn::Add(hn::Add(product, squares), hn::Set(f, search.tile.row_squares[row + r]));
          const auto is_hit = hn::Or(hn::Lt(square, low), hn::Gt(square, high));
          if (HWY_LIKELY(hn::AllFalse(f, is_hit))) continue;
          HWY_ALIGN float values[16];
          HWY_ALIGN float marks[16];
          hn::Store(square, f, values);
          hn::Store(hn::IfThenElseZero(is_hit, hn::Set(f, 1.0F)), f, marks);
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (marks[lane] == 0) continue;
            const std::size_t place = (row + r) * kFloatPanel + column + at + lane;
            found[count++] = {.place = static_cast<std::uint16_t>(place), .square = values[lane]};
          }
        }
      }
    }
  }
  return count;
}

void float_exp2_target(const float* in, float* out, std::size_t count) {
  const F f;
  for (std::size_t at = 0; at < count; at += hn::Lanes(f)) {
    hn::StoreU(exp2_of(hn::LoadU(f, in + at)), f, out + at);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(add_float_sums_target);
HWY_EXPORT(find_float_pairs_target);
HWY_EXPORT(float_exp2_target);

std::size_t add_float_sums(const FloatSums& sums, std::uint16_t* near) {
  return HWY_DYNAMIC_DISPATCH(add_float_sums_target)(sums, near);
}
std::size_t find_float_pairs(const FloatSearch& search, FloatHit* found) {
  return HWY_DYNAMIC_DISPATCH(find_float_pairs_target)(search, found);
}
void float_exp2(const float* in, float* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(float_exp2_target)(in, out, count);
}

}  // namespace sotto
#endif
