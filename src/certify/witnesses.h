#pragma once
#include <map>
#include <vector>

#include "certify/tem_certificate.h"

namespace sotto {

// A few pairs of words whose losses are cheap to know for any slope: the distances of their words to all
// others are kept, O(n) for each word. They can show that a slope is too steep, never that it is not.
class Witnesses {
 public:
  Witnesses(const AllPairs& pairs, double gamma) : pairs_(pairs), gamma_(gamma) {}

  void add(const Certificate& certificate);
  void add(const std::vector<PairLoss>& pairs);
  [[nodiscard]] const std::vector<PairLoss>& pairs() const noexcept { return list_; }
  // The largest loss / distance of the pairs for c = 1, with the margins of the certificate; 0 if there are
  // none.
  [[nodiscard]] double realised_epsilon(double slope) const;

 private:
  const AllPairs& pairs_;
  double gamma_;
  std::vector<PairLoss> list_;
  std::map<WordId, std::vector<double>> distances_;
};

}  // namespace sotto
