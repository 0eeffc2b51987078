#pragma once
// The first pass of NearestWords: words and queries rounded to bytes, inner products in integers, and
// bounds of the distance that hold for certain, so that the second pass (exact, in double) visits few words.
#include <hwy/aligned_allocator.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/model.h"

namespace sotto {

constexpr std::size_t kWordsPerBlock = 16;
constexpr std::size_t kBlocksPerStep = 2;   // what a kernel may read at once
constexpr std::size_t kQueriesPerPass = 8;  // whose sums fit into registers
constexpr std::size_t kQueriesPerGroup = 4 * kQueriesPerPass;
constexpr int kByteOffset = 128;  // a word's byte is its coordinate in [-127, 127] plus this

// About 1.12 bytes per value at 100 dimensions; O(n dim) to build.
struct ByteWords {
  explicit ByteWords(const Model& model);

  // False where bytes cannot represent the model (all sampled words equal; norms that differ by 2^40; a
  // dimension whose inner products would overflow): the caller then scans.
  bool usable = false;
  std::size_t quads = 0;  // groups of 4 dimensions
  std::size_t blocks = 0;
  // Block after block; in a block, quad after quad; in a quad, 4 bytes of each of 16 words. Words after the
  // last have squared = infinity.
  hwy::AlignedFreeUniquePtr<std::uint8_t[]> bytes;
  hwy::AlignedFreeUniquePtr<float[]> squared, residual, norm;  // A, r, N of the bound, one for each word
  std::vector<float> centre;                                   // stride values
  double unit = 1;      // lengths are multiplied by this power of two first: norms are then about 1
  double scale = 0;     // s of the bound; has 24 bits
  double rounding = 0;  // relative error of model/distance_kernels.h at this stride
};

// What the kernel needs of kQueriesPerGroup queries. The first three numbers are the same for all of them, so
// that what they say of a word is computed once for the group.
struct ByteQueries {
  std::vector<std::int32_t> bytes;  // quad after quad: 4 signed bytes of each query
  std::vector<std::int32_t> pairs;  // the same as 16-bit integers: dimensions 0 and 2, then 1 and 3
  float inverse = 0;                // 1 / (2 s t)
  float reach = 0;                  // the largest P / (2 s t)
  float error = 0;                  // the largest P rho / (2 s t)
  // A word passes if X.Q and the kernel's integer for the word sum to more than this. A place without a query
  // has a number that no sum exceeds.
  std::array<std::int32_t, kQueriesPerGroup> threshold{};
  // -kByteOffset * the sum of the query's integers, less the threshold: sums that start here pass above 0.
  std::array<std::int32_t, kQueriesPerGroup> start{};
};

struct ByteBounds {
  double low, high;  // of the computed squared distance less |y|^2, in units
};
struct ByteCandidate {
  std::uint32_t word;
  double low;
};

// Of the query less the centre, in units; infinite where the query is too far away for bytes.
double largest_coordinate(const ByteWords& words, std::span<const double> query);

// A group of queries on their way over the words.
class QueryGroup {
 public:
  // At most kQueriesPerGroup vectors of `stride` doubles. They are rounded with one scale: the bounds are
  // close for queries whose largest_coordinate is similar.
  QueryGroup(const ByteWords& words, std::span<const double* const> queries, std::size_t stride,
             std::size_t k);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const ByteQueries& bytes() const noexcept { return bytes_; }
  // False: the query is too far away for bytes (2^60 times the model's size).
  [[nodiscard]] bool usable(std::size_t query) const { return states_[query].usable; }
  [[nodiscard]] ByteBounds bounds(std::size_t query, std::size_t word, std::int32_t dot) const;
  // The kernel calls this for a word that may be among the k nearest, `dot` the integer inner product.
  void meet(std::size_t query, std::size_t word, std::int32_t dot);
  // After the pass: every word that can be among the k nearest, in index order.
  std::span<const ByteCandidate> candidates(std::size_t query);
  // After the pass: k words have this computed squared distance at most, so farther ones are no candidates.
  void take_distance(std::size_t query, double squared);

 private:
  struct State {
    bool usable = false;
    std::int32_t offset = 0;  // -kByteOffset * the sum of its integers
    double reach = 0, ratio = 0;
    double squares = 0;         // |y|^2
    double slack = 0;           // absolute
    double limit = 0;           // a word whose low is above it is out
    std::vector<double> highs;  // the k smallest, ascending
    std::vector<ByteCandidate> kept;
    std::size_t compact_at = 64;
  };
  void prepare(std::size_t query, std::span<const double> vector);
  void set_limit(std::size_t query, double limit);
  void set_threshold(std::size_t query, std::int32_t threshold);
  static void compact(State& state);

  const ByteWords& words_;
  std::size_t size_;
  double scale_ = 0;   // t
  double factor_ = 0;  // 2 s t
  ByteQueries bytes_;
  std::array<State, kQueriesPerGroup> states_;
};

}  // namespace sotto
