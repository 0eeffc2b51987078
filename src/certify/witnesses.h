#pragma once
#include <map>
#include <vector>

#include "certify/tem_certificate.h"

namespace sotto {

// A few pairs of words whose losses are cheap to know for any slope: the distances of their words to all
// others are kept, O(n) for each word. A quick rejection test: these pairs can prove that a slope is too
// steep. Passing proves nothing.
class Witnesses {
 public:
  Witnesses(const AllPairs& pairs, double gamma) : pairs_(pairs), gamma_(gamma) {}

  void add(const Certificate& certificate);
  void add(const std::vector<PairLoss>& pairs);
  [[nodiscard]] const std::vector<PairLoss>& pairs() const noexcept { return list_; }
  // The largest epsilon of the pairs for c = 1, as the certificate computes it; 0 if there are none.
  [[nodiscard]] double realised_epsilon(double slope) const;

 private:
  const AllPairs& pairs_;
  double gamma_;
  std::vector<PairLoss> list_;
  std::map<WordId, std::vector<double>> distances_;
};

}  // namespace sotto
