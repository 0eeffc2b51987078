#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

// Words per chunk, and queries that one call takes.
inline constexpr std::size_t kChunk = 32;
inline constexpr std::size_t kQueries = 6;

// Float approximations of squared distances |x|^2 + |y|^2 - 2 x.y of kQueries vectors and `chunks` chunks of
// words. The order of summation and the use of fused multiply-add differ between SIMD targets: callers rely
// on an error bound (score_table.h), never on the bits.
struct ScoreBlock {
  const float* packed;       // chunk after chunk: dim groups of kChunk values, one per word
  const float* norms;        // |y|^2 of each word; infinity: no word in this place
  std::size_t chunks;        // in this block
  std::size_t dim;           // values of a vector
  const float* queries;      // dim groups of kQueries values
  const float* query_norms;  // |x|^2 of each query
  float* scores;             // of query q: scores + q * score_stride, a value per word
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
