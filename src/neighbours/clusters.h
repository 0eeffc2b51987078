#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/model.h"

namespace sotto {

// A partition of the vocabulary into groups of words that lie near each other, for samplers that want few
// different distances per group. Any partition is correct; a good one is fast. A function of the public
// model alone, the same on every machine and for any number of threads.
class Clusters {
 public:
  static constexpr std::size_t kMost = 256;  // by measurement: more reject less, but make rows longer
  // k-means on the Euclidean vectors: trained on a sample of words, then every word goes to its nearest
  // centre. Empty clusters are left out.
  static Clusters make(const Model& model, unsigned threads);
  // From stored parts. `begins` has one more entry than there are clusters; `members` is a permutation of
  // the words. Throws Error(bad_data) if they are not such.
  Clusters(std::vector<std::uint32_t> begins, std::vector<WordId> members);

  [[nodiscard]] std::size_t size() const noexcept { return begins_.size() - 1; }
  // Ascending.
  [[nodiscard]] std::span<const WordId> members(std::size_t cluster) const {
    return std::span(members_).subspan(begins_[cluster], begins_[cluster + 1] - begins_[cluster]);
  }
  // All words, cluster after cluster, and where each cluster begins.
  [[nodiscard]] std::span<const WordId> order() const noexcept { return members_; }
  [[nodiscard]] std::span<const std::uint32_t> begins() const noexcept { return begins_; }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<WordId> members_;
};

}  // namespace sotto
