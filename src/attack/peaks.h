#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace sotto {

// Finds the largest values among one for each word: one vectorised pass, then only blocks that can hold one.
class Peaks {
 public:
  // `values` live longer.
  explicit Peaks(std::span<const float> values);
  struct Question {
    std::size_t first = 0;     // only words from this one on
    std::size_t count = 1;     // how many
    std::size_t left_out = 0;  // never this word; values.size(): none is left out
  };
  // The largest first; of equal values the first. Fewer than `count` if there are no more.
  [[nodiscard]] std::vector<std::size_t> largest(const Question& question) const;

 private:
  std::span<const float> values_;
  std::vector<float> peaks_;
};

}  // namespace sotto
