// Compiled once per SIMD target by Highway and chosen at run time.
// AVX3_DL (Ice Lake, Zen 4) has the byte product instruction; Highway leaves that target out unless asked.
#define HWY_WANT_AVX3_DL
#include "neighbours/nearest_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbours/nearest_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::CappedTag<std::int32_t, kWordsPerBlock>;
using DF = hn::RebindToFloat<D32>;
using V32 = hn::Vec<D32>;
using VF = hn::Vec<DF>;

#if HWY_TARGET == HWY_AVX3_DL
// sum + the four products of unsigned and signed bytes in each 32-bit lane. In assembly because Highway 1.0.3
// enables avxvnni for this target where it should enable avx512vnni, so the intrinsic would not compile.
struct Products {
  V32 words;
  Products(D32 d, const std::uint8_t* p) : words(hn::Load(d, reinterpret_cast<const std::int32_t*>(p))) {}
  static const std::int32_t* queries(const ByteQueries& group) { return group.bytes.data(); }
  static constexpr std::size_t kPerQuery = 1;
  // Two blocks share the load of a query's bytes: 16 of the 32 registers hold sums.
  static constexpr std::size_t kBlocks = kBlocksPerStep;
  using Query = V32;
  static HWY_INLINE Query load(const std::int32_t* query) { return hn::Set(D32(), *query); }
  HWY_INLINE void add(V32& sum, Query query) const {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(words.raw), "v"(query.raw));
  }
};
#elif HWY_TARGET == HWY_SCALAR
struct Products {
  const std::uint8_t* words;
  Products(D32 /*d*/, const std::uint8_t* p) : words(p) {}
  static const std::int32_t* queries(const ByteQueries& group) { return group.bytes.data(); }
  static constexpr std::size_t kPerQuery = 1;
  static constexpr std::size_t kBlocks = 1;
  using Query = const std::int32_t*;
  static HWY_INLINE Query load(const std::int32_t* query) { return query; }
  HWY_INLINE void add(V32& sum, Query query) const {
    for (int i = 0; i < 4; ++i) sum.raw += words[i] * static_cast<std::int8_t>(*query >> (8 * i));
  }
};
#else
// The same with 16-bit products: bytes 0 and 2, then 1 and 3 of each lane.
struct Products {
  using D16 = hn::RepartitionToNarrow<D32>;
  hn::Vec<D16> even, odd;
  Products(D32 d, const std::uint8_t* p) {
    const D16 d16;
    const hn::RebindToUnsigned<D16> du16;
    const V32 lanes = hn::Load(d, reinterpret_cast<const std::int32_t*>(p));
    even = hn::And(hn::BitCast(d16, lanes), hn::Set(d16, 0xFF));
    odd = hn::BitCast(d16, hn::ShiftRight<8>(hn::BitCast(du16, lanes)));
  }
  static const std::int32_t* queries(const ByteQueries& group) { return group.pairs.data(); }
  static constexpr std::size_t kPerQuery = 2;
  static constexpr std::size_t kBlocks = 1;
  using Query = const std::int32_t*;
  static HWY_INLINE Query load(const std::int32_t* query) { return query; }
  HWY_INLINE void add(V32& sum, Query query) const {
    const D32 d;
    const D16 d16;
    V32 rest = hn::Zero(d);
    V32 four = hn::ReorderWidenMulAccumulate(d, even, hn::BitCast(d16, hn::Set(d, query[0])), rest, rest);
    four = hn::ReorderWidenMulAccumulate(d, odd, hn::BitCast(d16, hn::Set(d, query[1])), four, rest);
    sum = hn::Add(sum, hn::RearrangeToOddPlusEven(four, rest));
  }
};
#endif

// u of nearest_bytes.cpp for the words of a vector, less at most 1.
HWY_INLINE V32 word_terms(const ByteWords& words, std::size_t first, const ByteQueries& queries) {
  const D32 d;
  const DF df;
  const VF largest = hn::Set(df, static_cast<float>(kLargestSum));
  const VF squared = hn::Mul(hn::Set(df, queries.inverse), hn::Load(df, words.squared.get() + first));
  const VF error = hn::MulSub(hn::Set(df, queries.error), hn::Load(df, words.norm.get() + first), squared);
  const VF term = hn::MulAdd(hn::Set(df, queries.reach), hn::Load(df, words.residual.get() + first), error);
  return hn::ConvertTo(d, hn::Min(hn::Max(term, hn::Neg(largest)), largest));
}

// The sums of a step in which some word passes.
template <std::size_t kVectors>
struct Sums {
  HWY_ALIGN std::int32_t at[kQueriesPerPass][kVectors][hn::MaxLanes(D32())];
};

// Some words and what all queries of the group add for them (u of nearest_bytes.cpp).
struct Words {
  const ByteWords& all;
  std::size_t begin, end;
  const std::int32_t* terms;  // of the words from `begin` on
};

// Tells the group of the words of a step that pass: those of some queries, and words from `first` on.
template <std::size_t kVectors>
HWY_NOINLINE void meet_words(const Sums<kVectors>& sums, std::size_t count, const Words& words,
                             std::size_t first, std::size_t first_query, QueryGroup& group) {
  const D32 d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t query = first_query + q;
    const std::int32_t threshold = group.bytes().threshold[query];  // that of the step: a word changes it
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::int32_t* own = sums.at[q][v];
      if (hn::AllFalse(d, hn::Gt(hn::Load(d, own), hn::Zero(d)))) continue;
      for (std::size_t i = 0; i < lanes; ++i) {
        const std::size_t word = first + v * lanes + i;
        if (own[i] > 0) group.meet(query, word, own[i] - words.terms[word - words.begin] + threshold);
      }
    }
  }
}

// kCount queries of the group. Loops over queries and blocks are unrolled so that the sums live in registers.
template <std::size_t kCount>
void scan_queries(const Words& words, std::size_t first_query, QueryGroup& group) {
  constexpr std::size_t kVectors = Products::kBlocks;
  const D32 d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t quads = words.all.quads;
  const std::int32_t* start = group.bytes().start.data() + first_query;
  for (std::size_t first = words.begin; first < words.end; first += kVectors * lanes) {
    const std::uint8_t* bytes = words.all.bytes.get() + first / kWordsPerBlock * kWordsPerBlock * 4 * quads +
                                first % kWordsPerBlock * 4;
    const std::size_t next = kWordsPerBlock * 4 * quads;  // from block to block
    const std::int32_t* query = Products::queries(group.bytes()) + first_query * Products::kPerQuery;
    V32 sums[kVectors][kCount];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      const V32 own = hn::Load(d, words.terms + (first - words.begin) + v * lanes);
#pragma GCC unroll 8
      for (std::size_t q = 0; q < kCount; ++q) sums[v][q] = hn::Add(own, hn::Set(d, start[q]));
    }
    for (std::size_t j = 0; j < quads; ++j) {
      const Products first_block(d, bytes + j * kWordsPerBlock * 4);
      const Products last_block(d, bytes + (kVectors - 1) * next + j * kWordsPerBlock * 4);
#pragma GCC unroll 8
      for (std::size_t q = 0; q < kCount; ++q) {
        const typename Products::Query four = Products::load(query + q * Products::kPerQuery);
        first_block.add(sums[0][q], four);
        if constexpr (kVectors == 2) last_block.add(sums[1][q], four);
      }
      query += kQueriesPerGroup * Products::kPerQuery;
    }
    // One test for all queries: a step rarely has a word that passes.
    V32 largest = sums[0][0];
#pragma GCC unroll 2
    for (const auto& block : sums) {
#pragma GCC unroll 8
      for (const V32& sum : block) largest = hn::Max(largest, sum);
    }
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Gt(largest, hn::Zero(d))))) {
      Sums<kVectors> kept;
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) {
#pragma GCC unroll 8
        for (std::size_t q = 0; q < kCount; ++q) hn::Store(sums[v][q], d, kept.at[q][v]);
      }
      meet_words(kept, kCount, words, first, first_query, group);
    }
  }
}

void scan_blocks(const ByteWords& words, std::size_t begin, std::size_t end, QueryGroup& group) {
  constexpr std::size_t kTogether = 1024;  // words whose terms stay in the first-level cache
  static_assert(kTogether % (kWordsPerBlock * kBlocksPerStep) == 0);
  const D32 d;
  HWY_ALIGN std::int32_t terms[kTogether];
  for (std::size_t first = begin * kWordsPerBlock; first < end * kWordsPerBlock; first += kTogether) {
    const Words part{.all = words,
                     .begin = first,
                     .end = std::min(first + kTogether, end * kWordsPerBlock),
                     .terms = terms};
    // All terms first: a step that computes its own would begin by waiting for them.
    for (std::size_t word = part.begin; word < part.end; word += hn::Lanes(d))
      hn::Store(word_terms(words, word, group.bytes()), d, terms + (word - part.begin));
    if (group.size() == 1) {
      scan_queries<1>(part, 0, group);
      continue;
    }
    for (std::size_t query = 0; query < group.size(); query += kQueriesPerPass)
      scan_queries<kQueriesPerPass>(part, query, group);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(scan_blocks);

void scan_blocks(const ByteWords& words, std::size_t begin, std::size_t end, QueryGroup& group) {
  HWY_DYNAMIC_DISPATCH(scan_blocks)(words, begin, end, group);
}

}  // namespace sotto
#endif
