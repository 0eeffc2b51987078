#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neighbours/head.h"
#include "sotto/extremes.h"
#include "sotto/rng.h"
#include "sotto/space.h"

// What truncated-gumbel and gumbel-topk share: how many of its nearest words a word may become, and which.
namespace sotto {

// K, the number of candidates among n words: a Poisson variate of the given mean, or n if that is outside
// [1, n-1]. Independent of the input word.
class CandidateCount {
 public:
  CandidateCount(std::size_t words, double mean);

  // By exact choice among the probabilities as rounded to doubles.
  [[nodiscard]] std::size_t draw(Rng& rng) const;
  // ln P(K = k) at k - 1, for k = 1, 2, ... below n. Where the probability falls below 1e-300 the list ends:
  // that mass is all()'s, as P(Poisson >= n) is.
  [[nodiscard]] std::span<const double> log_few() const noexcept { return log_few_; }
  // ln P(K = n), at least -mean.
  [[nodiscard]] double log_all() const noexcept { return log_all_; }

 private:
  std::vector<double> log_few_;
  double log_all_ = 0;
  std::vector<double> sums_;         // running sums of the probabilities, smallest first,
  std::vector<std::size_t> counts_;  // and the value of K of each
};

// The candidates of every word in their order: the word itself, then by distance to the bit, ties by index.
// No two words of the space may share a row. Heads are built on first use and kept in memory only.
class Candidates {
 public:
  struct Scratch {  // one per thread
    Head head;
    std::vector<double> row;
  };

  explicit Candidates(std::shared_ptr<const Space> space);
  ~Candidates();
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;

  // At least the first `count` candidates, count <= size(); valid until `scratch` is used again.
  [[nodiscard]] const Head& first(WordId word, std::size_t count, Scratch& scratch) const;
  [[nodiscard]] Head all(WordId word) const;
  [[nodiscard]] const Space& space() const noexcept { return *space_; }

 private:
  std::shared_ptr<const Space> space_;
  mutable std::vector<std::atomic<const Head*>> heads_;
  mutable std::atomic<std::size_t> kept_heads_{0};
};

// D0 and D. Throws Error(bad_data) unless there are two words or more, none share a row, and D0 is well above
// the error of a distance.
Extremes extremes_of_distinct_words(const Space& space, std::string_view mechanism);

// Throws Error(usage) with the smallest epsilon that works, unless `usable` takes the epsilon given. All
// above `bound` are usable but for rounding, none below it.
struct EpsilonRule {
  std::string_view mechanism;
  std::string_view formula;  // of the bound, in terms of n and D0
  double bound;
  std::function<bool(double)> usable;
};
void require_usable_epsilon(const EpsilonRule& rule, double epsilon, const Space& space,
                            const Extremes& extremes);

}  // namespace sotto
