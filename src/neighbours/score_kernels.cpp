// Compiled once per SIMD target by Highway and chosen at run time.
// AVX3_DL (Ice Lake, Zen 4) has the product of 16-bit integers that adds to a sum; Highway leaves that target
// out unless asked.
#define HWY_WANT_AVX3_DL
#include "neighbours/score_kernels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/prefetch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbours/score_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

using DI = hn::RebindToSigned<D>;
using VI = hn::Vec<DI>;

// sum + the two products of 16-bit integers in each lane.
#if HWY_TARGET == HWY_AVX3_DL
// In assembly because Highway 1.0.3 enables avxvnni for this target where it should enable avx512vnni, so the
// intrinsic would not compile.
HWY_INLINE void add_products(VI& sum, VI words, VI query) {
  asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(words.raw), "v"(query.raw));
}
#elif HWY_TARGET == HWY_SCALAR
// One lane holds no pair of 16-bit integers.
HWY_INLINE void add_products(VI& sum, VI words, VI query) {
  const auto first = [](VI pair) { return static_cast<std::int32_t>(static_cast<std::int16_t>(pair.raw)); };
  sum.raw += first(words) * first(query) + (words.raw >> 16) * (query.raw >> 16);
}
#else
HWY_INLINE void add_products(VI& sum, VI words, VI query) {
  const DI d;
  const hn::RepartitionToNarrow<DI> d16;
  VI rest = hn::Zero(d);
  const VI even =
      hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, words), hn::BitCast(d16, query), hn::Zero(d), rest);
  sum = hn::Add(sum, hn::RearrangeToOddPlusEven(even, rest));
}
#endif

HWY_INLINE VI load_pairs(const IntegerPair* pairs) {
  return hn::LoadU(DI(), reinterpret_cast<const std::int32_t*>(pairs));
}

// Two registers of words against all queries: 12 sums, which with their operands fit into 16 registers.
void score_block_target(const ScoreBlock& block) {
  const D d;
  const DI di;
  const std::size_t lanes = hn::Lanes(d);
  const V minus_two = hn::Set(d, -2.0F);
  for (std::size_t chunk = 0; chunk < block.chunks; ++chunk) {
    const IntegerPair* words = block.packed + chunk * kChunk * block.pairs;
    V smallest[kQueries];
    for (V& value : smallest) value = hn::Set(d, hwy::HighestValue<float>());
    for (std::size_t at = 0; at < kChunk; at += 2 * lanes) {
      VI low[kQueries];
      VI high[kQueries];
      for (VI& sum : low) sum = hn::Zero(di);
      for (VI& sum : high) sum = hn::Zero(di);
      for (std::size_t j = 0; j < block.pairs; ++j) {
        const VI first = load_pairs(words + j * kChunk + at);
        const VI second = load_pairs(words + j * kChunk + at + lanes);
#pragma GCC unroll 6
        for (std::size_t q = 0; q < kQueries; ++q) {
          std::int32_t pair = 0;
          std::memcpy(&pair, block.queries + j * kQueries + q, sizeof pair);
          const VI query = hn::Set(di, pair);
          add_products(low[q], first, query);
          add_products(high[q], second, query);
        }
      }
      const std::size_t place = chunk * kChunk + at;
      const V first_norm = hn::LoadU(d, block.norms + place);
      const V second_norm = hn::LoadU(d, block.norms + place + lanes);
      for (std::size_t q = 0; q < kQueries; ++q) {
        const V norm = hn::Set(d, block.query_norms[q]);
        const V a = hn::MulAdd(minus_two, hn::ConvertTo(d, low[q]), hn::Add(norm, first_norm));
        const V b = hn::MulAdd(minus_two, hn::ConvertTo(d, high[q]), hn::Add(norm, second_norm));
        hn::StoreU(a, d, block.scores + q * block.score_stride + place);
        hn::StoreU(b, d, block.scores + q * block.score_stride + place + lanes);
        smallest[q] = hn::Min(smallest[q], hn::Min(a, b));
      }
    }
    for (std::size_t q = 0; q < kQueries; ++q) {
      block.minima[q * block.minima_stride + chunk] = hn::GetLane(hn::MinOfLanes(d, smallest[q]));
    }
  }
}

std::size_t places_up_to_target(const float* scores, std::span<const ChunkLimit> chunks, std::uint32_t* out) {
  static_assert(kChunk == 32);  // a bit of `found` each
  constexpr std::size_t kAhead = 8;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t count = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    // Scores of a batch do not fit into the nearer caches.
    const std::size_t later = chunks[std::min(i + kAhead, chunks.size() - 1)].chunk;
    prefetch_bytes(scores + later * kChunk, kChunk * sizeof(float));
    const std::size_t chunk = chunks[i].chunk;
    const V most = hn::Set(d, chunks[i].limit);
    std::uint32_t found = 0;
    for (std::size_t at = 0; at < kChunk; at += lanes) {
      const auto is_found = hn::Le(hn::LoadU(d, scores + chunk * kChunk + at), most);
      std::uint8_t bytes[8] = {};  // StoreMaskBits writes 8 bits or whole bytes
      (void)hn::StoreMaskBits(d, is_found, bytes);
      std::uint32_t bits = bytes[0] | std::uint32_t{bytes[1]} << 8U;
      if (lanes < 8) bits &= (1U << lanes) - 1;
      found |= bits << at;
    }
    for (; found != 0; found &= found - 1) {
      out[count++] =
          static_cast<std::uint32_t>(chunk * kChunk) + static_cast<std::uint32_t>(std::countr_zero(found));
    }
  }
  return count;
}

std::size_t count_up_to_target(std::span<const float> values, float limit) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V most = hn::Set(d, limit);
  const std::size_t whole = values.size() / lanes * lanes;
  std::size_t count = 0;
  for (std::size_t at = 0; at < whole; at += lanes)
    count += hn::CountTrue(d, hn::Le(hn::LoadU(d, values.data() + at), most));
  for (std::size_t at = whole; at < values.size(); ++at) count += values[at] <= limit ? 1 : 0;
  return count;
}

// Halves the interval [low, high] while more values than needed lie below `high`: counting all of them is
// faster than a selection, which mispredicts a branch for every other value.
float bound_of_smallest_target(std::span<const float> values, std::size_t k) {
  constexpr int kMostSteps = 24;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V infinite = hn::Set(d, std::numeric_limits<float>::max());
  V smallest = infinite;
  V largest = hn::Neg(infinite);
  const auto take = [&](V own) HWY_ATTR {
    smallest = hn::Min(smallest, own);
    largest = hn::Max(largest, hn::IfThenElse(hn::Lt(own, infinite), own, largest));
  };
  std::size_t at = 0;
  for (; at + lanes <= values.size(); at += lanes) take(hn::LoadU(d, values.data() + at));
  for (; at < values.size(); ++at) take(hn::Set(d, values[at]));
  float low = hn::GetLane(hn::MinOfLanes(d, smallest));
  float high = hn::GetLane(hn::MaxOfLanes(d, largest));
  const std::size_t enough = k + k / 16;
  std::size_t below = values.size();
  for (int step = 0; step < kMostSteps && below > enough; ++step) {
    const float middle = low + (high - low) / 2;
    const std::size_t count = count_up_to_target(values, middle);
    if (count >= k) {
      high = middle;
      below = count;
    } else {
      low = middle;
    }
  }
  return high;
}

float chunk_minimum_target(const float* values) {
  const D d;
  V smallest = hn::LoadU(d, values);
  for (std::size_t at = hn::Lanes(d); at < kChunk; at += hn::Lanes(d)) {
    smallest = hn::Min(smallest, hn::LoadU(d, values + at));
  }
  return hn::GetLane(hn::MinOfLanes(d, smallest));
}

float largest_score_target(const float* scores, std::size_t count) {
  const D d;
  const V infinity = hn::Inf(d);
  V largest = hn::Zero(d);
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    const V score = hn::LoadU(d, scores + at);
    largest = hn::Max(largest, hn::IfThenElseZero(hn::Lt(score, infinity), score));
  }
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(score_block_target);
HWY_EXPORT(places_up_to_target);
HWY_EXPORT(bound_of_smallest_target);
HWY_EXPORT(chunk_minimum_target);
HWY_EXPORT(largest_score_target);

void score_block(const ScoreBlock& block) {
  HWY_DYNAMIC_DISPATCH(score_block_target)(block);
}
std::size_t places_up_to(const float* scores, std::span<const ChunkLimit> chunks, std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(places_up_to_target)(scores, chunks, out);
}
float bound_of_smallest(std::span<const float> values, std::size_t k) {
  return HWY_DYNAMIC_DISPATCH(bound_of_smallest_target)(values, k);
}
float chunk_minimum(const float* values) {
  return HWY_DYNAMIC_DISPATCH(chunk_minimum_target)(values);
}
float largest_score(const float* scores, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(largest_score_target)(scores, count);
}

}  // namespace sotto
#endif
