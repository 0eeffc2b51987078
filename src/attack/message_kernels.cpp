// Compiled once per SIMD target by Highway and chosen at run time.
#include "attack/message_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attack/message_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::CappedTag<double, kLanes / 2>;
using Narrow = hn::Rebind<float, Wide>;  // as many floats as Wide has doubles

// Rows that are turned around at a time: columns lie word after word, messages lane after lane.
constexpr std::size_t kTile = 16;
using Tile = std::array<float, kTile * kLanes>;

// Below this a value counts as 0: denormal numbers are slow, and nothing is gained by them.
constexpr double kLeastValue = 1e-37;

// Messages are read at random places and are larger than a core's own cache, so they are asked for this many
// entries ahead; columns lie far apart, and are asked for this many words ahead.
constexpr std::size_t kEntriesAhead = 24;
constexpr std::size_t kWordsAhead = 8 * kTile;

// sum over the entries of `row`, into kLanes doubles. Two vectors at a time, each with two sums, so that
// additions do not wait for each other. `end`: an entry past all that are needed soon.
HWY_INLINE void add_entries(const SparseRows& matrix, std::size_t row, std::size_t end, const float* in,
                            double* out) {
  const Wide wide;
  const Narrow narrow;
  const std::size_t width = hn::Lanes(wide);
  const std::size_t first = matrix.begins[row];
  const std::size_t last = matrix.begins[row + 1];
  for (std::size_t lane = 0; lane < kLanes; lane += 2 * width) {
    auto low = hn::Load(wide, out + lane);
    auto high = hn::Load(wide, out + lane + width);
    auto low_odd = hn::Zero(wide);
    auto high_odd = hn::Zero(wide);
    const float* own = in + lane;
    std::size_t e = first;
    for (; e + 1 < last; e += 2) {
      if (lane == 0 && e + kEntriesAhead + 1 < end) {
        hwy::Prefetch(in + std::size_t{matrix.others[e + kEntriesAhead]} * kLanes);
        hwy::Prefetch(in + std::size_t{matrix.others[e + kEntriesAhead + 1]} * kLanes);
      }
      const float* one = own + std::size_t{matrix.others[e]} * kLanes;
      const float* two = own + std::size_t{matrix.others[e + 1]} * kLanes;
      const auto one_value = hn::Set(wide, static_cast<double>(matrix.values[e]));
      const auto two_value = hn::Set(wide, static_cast<double>(matrix.values[e + 1]));
      low = hn::MulAdd(one_value, hn::PromoteTo(wide, hn::LoadU(narrow, one)), low);
      high = hn::MulAdd(one_value, hn::PromoteTo(wide, hn::LoadU(narrow, one + width)), high);
      low_odd = hn::MulAdd(two_value, hn::PromoteTo(wide, hn::LoadU(narrow, two)), low_odd);
      high_odd = hn::MulAdd(two_value, hn::PromoteTo(wide, hn::LoadU(narrow, two + width)), high_odd);
    }
    if (e < last) {
      const float* one = own + std::size_t{matrix.others[e]} * kLanes;
      const auto value = hn::Set(wide, static_cast<double>(matrix.values[e]));
      low = hn::MulAdd(value, hn::PromoteTo(wide, hn::LoadU(narrow, one)), low);
      high = hn::MulAdd(value, hn::PromoteTo(wide, hn::LoadU(narrow, one + width)), high);
    }
    hn::Store(hn::Add(low, low_odd), wide, out + lane);
    hn::Store(hn::Add(high, high_odd), wide, out + lane + width);
  }
}

// MessageStep's carried[row], into kLanes doubles.
HWY_INLINE void carry(const MessageStep& step, std::size_t row, std::size_t end, double* out) {
  const Wide wide;
  const std::size_t width = hn::Lanes(wide);
  const auto fresh = hn::Set(wide, step.fresh == nullptr ? 1.0 : static_cast<double>(step.fresh[row]));
  if (step.in != nullptr) {
    const auto side = hn::Set(wide, static_cast<double>(step.matrix.side[row]));
    for (std::size_t lane = 0; lane < kLanes; lane += width) {
      hn::Store(hn::Mul(side, hn::LoadU(wide, step.rank_one.data() + lane)), wide, out + lane);
    }
    add_entries(step.matrix, row, end, step.in, out);
  } else {
    std::fill_n(out, kLanes, 0.0);
  }
  for (std::size_t lane = 0; lane < kLanes; lane += width) {
    const auto product = hn::Max(hn::Zero(wide), hn::Load(wide, out + lane));
    const auto begun = hn::Mul(fresh, hn::LoadU(wide, step.begins.data() + lane));
    hn::Store(hn::MulAdd(product, hn::LoadU(wide, step.factors.data() + lane), begun), wide, out + lane);
  }
}

HWY_INLINE void turn_columns(const LaneColumns& columns, std::size_t row, std::size_t count, Tile& tile) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const float* column = columns[lane] + row;
    hwy::Prefetch(column + kWordsAhead);
    for (std::size_t i = 0; i < count; ++i) tile[i * kLanes + lane] = column[i];
  }
}

// Stores lane values as floats, tiny ones as 0, and returns them as doubles.
template <class V>
HWY_INLINE V store_narrow(V value, float* out) {
  const Wide wide;
  const Narrow narrow;
  const auto kept = hn::IfThenElseZero(hn::Gt(value, hn::Set(wide, kLeastValue)), value);
  hn::StoreU(hn::DemoteTo(narrow, kept), narrow, out);
  return kept;
}

template <class V>
HWY_INLINE void add_to(double* sums, V value) {
  const Wide wide;
  hn::StoreU(hn::Add(hn::LoadU(wide, sums), value), wide, sums);
}

// `beliefs`: null for a forward message.
HWY_INLINE StepSums step_rows(const MessageStep& step, const RowRange& range, const Beliefs* beliefs,
                              const MessagePlaces& places) {
  const Wide wide;
  const Narrow narrow;
  const std::size_t width = hn::Lanes(wide);
  StepSums sums;
  alignas(64) Tile tile;
  alignas(64) Tile believed;
  alignas(64) std::array<double, kLanes> carried;
  const std::size_t end = step.matrix.begins[range.last];
  for (std::size_t row = range.first; row < range.last; row += kTile) {
    const std::size_t count = std::min(kTile, range.last - row);
    turn_columns(step.columns, row, count, tile);
    for (std::size_t i = 0; i < count; ++i) {
      carry(step, row + i, end, carried.data());
      const auto weight = hn::Set(wide, static_cast<double>(step.weights[row + i]));
      for (std::size_t lane = 0; lane < kLanes; lane += width) {
        const auto own = hn::Load(wide, carried.data() + lane);
        const auto column = hn::PromoteTo(wide, hn::LoadU(narrow, tile.data() + i * kLanes + lane));
        const std::size_t place = (row + i) * kLanes + lane;
        const auto value = store_narrow(hn::Mul(own, column), places.out + place);
        if (places.kept != nullptr) hn::Stream(hn::DemoteTo(narrow, value), narrow, places.kept + place);
        add_to(sums.plain.data() + lane, value);
        add_to(sums.weighted.data() + lane, hn::Mul(weight, value));
        if (beliefs == nullptr) continue;
        const auto alpha =
            hn::Mul(hn::PromoteTo(wide, hn::LoadU(narrow, beliefs->alpha + (row + i) * kLanes + lane)),
                    hn::LoadU(wide, beliefs->alpha_factors.data() + lane));
        add_to(sums.beliefs.data() + lane,
               store_narrow(hn::Mul(own, alpha), believed.data() + i * kLanes + lane));
      }
    }
    if (beliefs == nullptr) continue;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      float* place = beliefs->out[lane] + row;
      for (std::size_t i = 0; i < count; ++i) place[i] = believed[i * kLanes + lane];
    }
  }
  if (places.kept != nullptr) hwy::FlushStream();
  return sums;
}

StepSums forward_rows_target(const MessageStep& step, const RowRange& range, const MessagePlaces& places) {
  return step_rows(step, range, nullptr, places);
}

StepSums backward_rows_target(const MessageStep& step, const RowRange& range, const Beliefs& beliefs,
                              float* out) {
  return step_rows(step, range, &beliefs, {.out = out});
}

// The values of a vector of words from `distances` and `logs` on.
template <class D, class N>
HWY_INLINE auto exponentials(const ExponentialColumn& column, D d, N narrow, const double* distances,
                             const float* logs) {
  const auto lowest = hn::Set(narrow, -69.0F);  // ln 1e-30
  const auto away = hn::Min(hn::LoadU(d, distances), hn::Set(d, column.gamma));
  const auto exponent =
      hn::Sub(hn::Sub(hn::Mul(hn::Set(d, -column.slope), away), hn::PromoteTo(d, hn::LoadU(narrow, logs))),
              hn::Set(d, column.shift));
  const auto argument = hn::DemoteTo(narrow, exponent);
  return hn::IfThenElseZero(hn::Gt(argument, lowest), hn::Exp(narrow, hn::Max(argument, lowest)));
}

void exponential_column_target(const ExponentialColumn& column, float* out) {
  const Wide d;
  const Narrow narrow;
  const std::size_t width = hn::Lanes(d);
  std::size_t at = 0;
  for (; at + width <= column.words; at += width) {
    hn::StoreU(exponentials(column, d, narrow, column.distances + at, column.logs + at), narrow, out + at);
  }
  if (at == column.words) return;
  const std::size_t count = column.words - at;
  std::array<double, kLanes> distances{};
  std::array<float, kLanes> logs{};
  std::array<float, kLanes> values{};
  std::copy_n(column.distances + at, count, distances.begin());
  std::copy_n(column.logs + at, count, logs.begin());
  hn::StoreU(exponentials(column, d, narrow, distances.data(), logs.data()), narrow, values.data());
  std::copy_n(values.begin(), count, out + at);
}

double largest_exponent_target(const ExponentialColumn& column) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::size_t width = hn::Lanes(d);
  const auto slope = hn::Set(d, -column.slope);
  const auto gamma = hn::Set(d, column.gamma);
  auto best = hn::Set(d, -std::numeric_limits<double>::infinity());
  std::size_t at = 0;
  for (; at + width <= column.words; at += width) {
    const auto away = hn::Min(hn::LoadU(d, column.distances + at), gamma);
    const auto log = hn::PromoteTo(d, hn::LoadU(narrow, column.logs + at));
    best = hn::Max(best, hn::Sub(hn::Mul(slope, away), log));
  }
  double largest = hn::GetLane(hn::MaxOfLanes(d, best));
  for (; at < column.words; ++at) {
    largest = std::max(largest, -column.slope * std::min(column.distances[at], column.gamma) -
                                    static_cast<double>(column.logs[at]));
  }
  return largest;
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(forward_rows_target);
HWY_EXPORT(backward_rows_target);
HWY_EXPORT(exponential_column_target);
HWY_EXPORT(largest_exponent_target);

StepSums forward_rows(const MessageStep& step, const RowRange& range, const MessagePlaces& places) {
  return HWY_DYNAMIC_DISPATCH(forward_rows_target)(step, range, places);
}

StepSums backward_rows(const MessageStep& step, const RowRange& range, const Beliefs& beliefs, float* out) {
  return HWY_DYNAMIC_DISPATCH(backward_rows_target)(step, range, beliefs, out);
}

void exponential_column(const ExponentialColumn& column, float* out) {
  HWY_DYNAMIC_DISPATCH(exponential_column_target)(column, out);
}

double largest_exponent(const ExponentialColumn& column) {
  return HWY_DYNAMIC_DISPATCH(largest_exponent_target)(column);
}

void StepSums::add(const StepSums& other) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    plain[lane] += other.plain[lane];
    weighted[lane] += other.weighted[lane];
    beliefs[lane] += other.beliefs[lane];
  }
}

}  // namespace sotto
#endif
