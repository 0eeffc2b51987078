#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "sotto/certificate.h"

namespace sotto {

// The larger epsilon; on a tie the earlier pair, so that threads do not change the answer.
inline bool is_worse(const PairLoss& one, const PairLoss& other) {
  if (one.epsilon != other.epsilon) return one.epsilon > other.epsilon;
  return std::pair(one.first, one.second) < std::pair(other.first, other.second);
}

// The few worst pairs of those added, the worst first.
class WorstPairs {
 public:
  static constexpr std::size_t kMost = 10;

  void add(const PairLoss& pair) {
    if (pairs_.size() == kMost && !is_worse(pair, pairs_.back())) return;
    pairs_.insert(std::upper_bound(pairs_.begin(), pairs_.end(), pair, is_worse), pair);
    if (pairs_.size() > kMost) pairs_.pop_back();
  }
  void add(const WorstPairs& other) {
    for (const PairLoss& pair : other.pairs_) add(pair);
  }
  // The epsilon that a pair must reach to be among them.
  [[nodiscard]] double threshold() const { return pairs_.size() < kMost ? 0.0 : pairs_.back().epsilon; }
  [[nodiscard]] std::vector<PairLoss> take() { return std::move(pairs_); }

 private:
  std::vector<PairLoss> pairs_;
};

}  // namespace sotto
