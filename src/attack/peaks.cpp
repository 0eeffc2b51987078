#include "attack/peaks.h"

#include <algorithm>

#include "attack/vector_kernels.h"

namespace sotto {

Peaks::Peaks(std::span<const float> values)
    : values_(values), peaks_((values.size() + kPeakBlock - 1) / kPeakBlock) {
  block_peaks(values_, peaks_);
}

std::vector<std::size_t> Peaks::largest(const Question& question) const {
  std::vector<std::size_t> best;
  float threshold = 0;
  const auto before = [&](std::size_t a, std::size_t b) {
    return values_[a] != values_[b] ? values_[a] > values_[b] : a < b;
  };
  const auto is_beaten = [&](float value) { return best.size() == question.count && !(value > threshold); };
  for (std::size_t block = question.first / kPeakBlock; block < peaks_.size(); ++block) {
    if (is_beaten(peaks_[block])) continue;
    const std::size_t end = std::min(values_.size(), (block + 1) * kPeakBlock);
    for (std::size_t w = std::max(question.first, block * kPeakBlock); w < end; ++w) {
      if (is_beaten(values_[w]) || w == question.left_out) continue;
      best.push_back(w);
      // The first in the heap is the one to drop.
      std::ranges::push_heap(best, before);
      if (best.size() > question.count) {
        std::ranges::pop_heap(best, before);
        best.pop_back();
      }
      threshold = values_[best.front()];
    }
  }
  std::ranges::sort(best, before);
  return best;
}

}  // namespace sotto
