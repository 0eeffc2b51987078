#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

// Words per chunk, and queries that one call takes.
inline constexpr std::size_t kChunk = 32;
inline constexpr std::size_t kQueries = 6;

// Two 16-bit integers of one vector, as a product takes them.
struct IntegerPair {
  std::int16_t first = 0;
  std::int16_t second = 0;
};

// Squared distances |X|^2 + |Y|^2 - 2 X.Y of kQueries vectors X and `chunks` chunks of words Y, all of them
// vectors of integers. The inner products are exact: no sum of products may reach 2^31. The rest is computed
// in float, in an order that differs between SIMD targets: callers rely on an error bound (score_table.h),
// never on the bits.
struct ScoreBlock {
  const IntegerPair* packed;   // chunk after chunk: `pairs` groups of kChunk pairs, one per word
  const float* norms;          // |Y|^2 of each word; infinity: no word in this place
  std::size_t chunks;          // in this block
  std::size_t pairs;           // of a vector
  const IntegerPair* queries;  // `pairs` groups of kQueries
  const float* query_norms;    // |X|^2 of each query
  float* scores;               // of query q: scores + q * score_stride, a value per word
  std::size_t score_stride;
  float* minima;  // of query q: minima + q * minima_stride, the smallest score of each chunk
  std::size_t minima_stride;
};
void score_block(const ScoreBlock& block);

struct ChunkLimit {
  std::uint32_t chunk;
  float limit;
};
// Writes the places of these chunks whose score is at most the limit of their chunk to `out`, in the order of
// `chunks`, and returns how many there are. `out` has room for kChunk places a chunk.
std::size_t places_up_to(const float* scores, std::span<const ChunkLimit> chunks, std::uint32_t* out);

// A number that at least `k` of the values do not exceed, and mostly few more than `k`: there are k or more
// values, none of them NaN, and k of them finite.
float bound_of_smallest(std::span<const float> values, std::size_t k);

// Smallest of kChunk values. Where all are infinite: infinity, or the largest float on Highway's target
// EMU128, the slowest one of builds by clang.
float chunk_minimum(const float* values);
// Largest of `count` scores, a multiple of kChunk, places without a word left out; 0 if no score is above.
float largest_score(const float* scores, std::size_t count);

}  // namespace sotto
