#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/gumbel/settings.h"
#include "lab/points.h"
#include "lab/run.h"
#include "sotto/extremes.h"
#include "sotto/mechanism.h"

namespace sotto::lab::gumbel {

// A vocabulary with what the Gumbel mechanisms are calibrated by: the smallest distance D0 and the largest D.
struct Domain {
  std::string name;
  std::shared_ptr<const Space> space;
  Extremes extremes;
};
Domain domain_of(const Run& run, const std::string& name);

// The epsilon of a place of a curve on a domain, as a text that builds the mechanism.
std::string epsilon_text(const Curve& curve, double strength, const Domain& domain);
// 1.001 times (5 + 2 ln n) / D0, below which truncated-gumbel has no scale b.
double smallest_truncated_epsilon(const Domain& domain);

// The law of truncated-gumbel for one word by rank of the candidate, exact but for the case that all n words
// are candidates (K = n): that case is replaced by the nearest kNearest words. No probability is off by more
// than P(K = n), which is just above 1/n; the full law would take O(n^2) time for each word.
inline constexpr std::size_t kNearest = 128;
std::vector<double> truncated_gumbel_head_law(std::span<const double> distances, double epsilon,
                                              const Domain& domain);

// N_w, the probability that a word stays, and S_w, the expected number of different words in 1,000 draws, of
// the same `words` public words for every mechanism.
struct WordStatistics {
  std::vector<double> unchanged;
  std::vector<double> distinct;
  bool exact = false;  // from the law; otherwise counted over 1,000 draws
};
WordStatistics word_statistics(const Curve& curve, const std::string& epsilon, const Domain& domain,
                               std::size_t words, std::uint64_t seed, unsigned threads);

// deniability.csv: a row for each place of each curve on each domain.
Points::Layout deniability_layout();
void measure_deniability_rows(const Run& run, const Settings& settings, std::span<const Domain> domains,
                              Points& table);

}  // namespace sotto::lab::gumbel
