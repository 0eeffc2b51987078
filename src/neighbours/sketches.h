#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/large_memory.h"
#include "sotto/space.h"

namespace sotto {

// The vectors of a Euclidean space rounded to bytes, with how far each was moved: bounds on a distance from a
// quarter of the memory. What is decided by bounds alone is decided as the exact distance would decide it.
// In a given order of the words, so that a place in it is all one needs to find a sketch.
class Sketches {
 public:
  // O(n dim). Space must outlive it. `order` is a permutation of the words.
  Sketches(const Space& space, std::span<const WordId> order, unsigned threads);

  // False: vectors so long that float32 squares would overflow, and bounds mean nothing.
  [[nodiscard]] bool is_usable() const noexcept { return squared_error_ < 1e30; }

  // Bounds on space.distance(from, order[to]), the double that is computed.
  struct Bounds {
    double low;
    double high;
  };
  [[nodiscard]] Bounds distance(WordId from, std::size_t to) const;
  // order[to], from the memory that distance() reads.
  [[nodiscard]] WordId word(std::size_t to) const {
    WordId word{};
    std::memcpy(&word, record(to) + width_ + sizeof(float), sizeof word);
    return word;
  }
  // Asks for the memory that distance() will read of `to`.
  void prefetch(std::size_t to) const;

 private:
  [[nodiscard]] const std::byte* record(std::size_t place) const {
    return memory_.data() + place * record_size_;
  }

  const Space& space_;
  std::size_t width_;        // bytes of a sketch: the model's stride
  std::size_t record_size_;  // sketch, residual and word, whole cache lines
  float scale_ = 0;
  double squared_error_ = 0;  // of the float evaluation of |x - s q|^2
  LargeMemory memory_;
};

// |x - scale * q|^2 in float32, in any order; count is a multiple of 16.
float sketch_distance(const float* x, const std::int8_t* q, float scale, std::size_t count);

}  // namespace sotto
