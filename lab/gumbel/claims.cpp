#include "lab/gumbel/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "measure/deniability.h"
#include "mechanisms/gumbel/truncated_gumbel.h"
#include "mechanisms/gumbel/truncated_gumbel_law.h"
#include "neighbours/head.h"

namespace sotto::lab::gumbel {

namespace {

constexpr std::array kCandidates = {std::size_t{2}, std::size_t{5}, std::size_t{11}};
constexpr std::array kLogEpsilons = {0.0, 14.0, 23.0, 38.0, 62.0};  // 0: the smallest usable
constexpr double kTwoWordsEpsilon = 6.5;

// P(the word stays | K = distances.size()). A Poisson variate of this mean is 0 but for 1e-30, and then all
// words are candidates.
double stays_among(std::span<const double> distances, const TruncatedGumbelLaw& noise) {
  const CandidateCount all(distances.size(), 1e-30);
  return std::exp(truncated_gumbel_log_law(distances, noise, all).front());
}

struct Comparison {
  std::vector<double> bounds;
  std::vector<double> exact;
  enum class Claim { at_most, at_least } claim;
};

Points::Row claim_row(std::vector<std::string> keys, double epsilon, const Comparison& words) {
  double bounds = 0;
  double exact = 0;
  double broken = 0;
  const auto count = static_cast<double>(words.exact.size());
  for (std::size_t i = 0; i < words.exact.size(); ++i) {
    bounds += words.bounds[i];
    exact += words.exact[i];
    const bool breaks = words.claim == Comparison::Claim::at_most ? words.exact[i] > words.bounds[i]
                                                                  : words.exact[i] < words.bounds[i];
    broken += breaks ? 1 : 0;
  }
  return {.keys = std::move(keys), .values = {epsilon, bounds / count, exact / count, broken / count, count}};
}

void add(Points& table, Points::Row row) {
  if (!table.find(row.keys)) table.add(std::move(row));
}

void two_words(Points& table) {
  const Extremes extremes{.smallest = 1, .largest = 1};
  const double scale = truncated_gumbel_scale(kTwoWordsEpsilon, extremes, 2);
  const TruncatedGumbelLaw noise{.scale = scale, .cut = 1};
  const std::array distances = {0.0, 1.0};
  const double bound = std::exp(-std::exp(-2 / scale));
  const CandidateCount random(2, std::log(2.0));
  const double stays = std::exp(truncated_gumbel_log_law(distances, noise, random).front());
  const auto lemma = [&](const char* candidates, double exact) {
    add(table, claim_row({"two words", "lemma 1", candidates}, kTwoWordsEpsilon,
                         {.bounds = {bound}, .exact = {exact}, .claim = Comparison::Claim::at_most}));
  };
  lemma("random", stays);
  lemma("2", stays_among(distances, noise));
}

void on_domain(const Domain& domain, double log_epsilon, std::size_t words, Points& table) {
  const double epsilon = log_epsilon == 0 ? smallest_truncated_epsilon(domain) : std::exp(log_epsilon);
  const std::string place =
      fmt::format("{} {}", domain.name, log_epsilon == 0 ? "smallest" : fmt::format("{:g}", log_epsilon));
  if (table.find(std::vector<std::string>{place, "appendix C", "random"})) return;  // the last row of a place
  const auto n = domain.space->size();
  const TruncatedGumbelLaw noise{.scale = truncated_gumbel_scale(epsilon, domain.extremes, n),
                                 .cut = domain.extremes.largest};
  const std::size_t nearest = std::min(kNearest, n);
  const double lemma = std::exp(-std::exp(-2 * noise.cut / noise.scale));
  // P(K >= 2) = 1 - P(Poisson = 1).
  const double log_n = std::log(static_cast<double>(n));
  const double two_or_more = 1 - log_n * std::exp(-log_n);
  std::array<Comparison, kCandidates.size()> fixed;
  for (Comparison& comparison : fixed) comparison.claim = Comparison::Claim::at_most;
  Comparison dense{.bounds = {}, .exact = {}, .claim = Comparison::Claim::at_least};
  std::vector<double> row;
  for (const WordId word : deniability_words(domain.space->model(), words)) {
    const Head head = build_head(*domain.space, word, nearest, row);
    const std::span<const double> distances = head.distances;
    for (std::size_t i = 0; i < kCandidates.size(); ++i) {
      fixed[i].bounds.push_back(lemma);
      fixed[i].exact.push_back(stays_among(distances.first(std::min(kCandidates[i], nearest)), noise));
    }
    dense.bounds.push_back(std::exp(-std::exp(-distances[1] / noise.scale)) * two_or_more);
    dense.exact.push_back(truncated_gumbel_head_law(distances, epsilon, domain).front());
  }
  for (std::size_t i = 0; i < kCandidates.size(); ++i) {
    add(table, claim_row({place, "lemma 1", fmt::format("{}", kCandidates[i])}, epsilon, fixed[i]));
  }
  add(table, claim_row({place, "appendix C", "random"}, epsilon, dense));
}

}  // namespace

Points::Layout claims_layout() {
  return {.keys = {"place", "claim", "candidates"},
          .values = {"epsilon", "bound", "exact", "share_broken", "words"}};
}

void measure_claims(const Settings& settings, std::span<const Domain> domains, Points& table) {
  two_words(table);
  for (const Domain& domain : domains) {
    for (const double log_epsilon : kLogEpsilons) {
      on_domain(domain, log_epsilon, settings.curve_words, table);
    }
    tell(fmt::format("{}: Lemma 1 and appendix C compared with the exact law", domain.name));
  }
}

}  // namespace sotto::lab::gumbel
