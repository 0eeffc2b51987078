#include "lab/gumbel/law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/parallel.h"
#include "lab/gumbel/vocabulary.h"
#include "lab/statistics.h"
#include "lab/tem/stopwatch.h"
#include "measure/deniability.h"
#include "mechanisms/gumbel/truncated_gumbel.h"
#include "mechanisms/gumbel/truncated_gumbel_law.h"
#include "neighbours/head.h"
#include "neighbours/kept_extremes.h"
#include "sotto/certificate.h"

namespace sotto::lab::gumbel {

namespace {

double log_size(const Domain& domain) {
  return std::log(static_cast<double>(domain.space->size()));
}

double deviation(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(values.size(), 2) - 1));
}

WordStatistics by_head_law(double epsilon, const Domain& domain, std::size_t words, unsigned threads) {
  const std::vector<WordId> chosen = deniability_words(domain.space->model(), words);
  WordStatistics out{.unchanged = std::vector<double>(chosen.size()),
                     .distinct = std::vector<double>(chosen.size()),
                     .exact = true};
  parallel_blocks(chosen.size(), 4, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row;
    for (std::size_t i = begin; i < end; ++i) {
      const Head head = build_head(*domain.space, chosen[i], std::min(kNearest, domain.space->size()), row);
      const std::vector<double> law = truncated_gumbel_head_law(head.distances, epsilon, domain);
      out.unchanged[i] = law.front();
      for (const double p : law) {
        out.distinct[i] += -std::expm1(double{kDeniabilityDraws} * std::log1p(-std::min(p, 1.0)));
      }
    }
  });
  return out;
}

}  // namespace

Domain domain_of(const Run& run, const std::string& name) {
  const std::shared_ptr<const Space> space = Space::make(vocabulary_of(run, name), Metric::euclidean);
  Domain domain{.name = name, .space = space, .extremes = kept_extremes(*space, run.threads())};
  tell(fmt::format("{}: {} words, smallest distance {:.4f}, largest {:.4f}", name, space->size(),
                   domain.extremes.smallest, domain.extremes.largest));
  return domain;
}

double smallest_truncated_epsilon(const Domain& domain) {
  return 1.001 * (5 + 2 * log_size(domain)) / domain.extremes.smallest;
}

std::string epsilon_text(const Curve& curve, double strength, const Domain& domain) {
  if (curve.strength == Curve::Strength::epsilon) return number_text(strength);
  if (curve.strength == Curve::Strength::inverse_scale) {
    // The mechanism lessens D0 by its rounding error first; the factor is above that.
    return number_text(strength + (1 + 1e-9) * 2 * log_size(domain) / domain.extremes.smallest);
  }
  return number_text(strength == 0 ? smallest_truncated_epsilon(domain) : std::exp(strength));
}

std::vector<double> truncated_gumbel_head_law(std::span<const double> distances, double epsilon,
                                              const Domain& domain) {
  const double scale = truncated_gumbel_scale(epsilon, domain.extremes, domain.space->size());
  const CandidateCount count(distances.size(), log_size(domain));
  std::vector<double> law =
      truncated_gumbel_log_law(distances, {.scale = scale, .cut = domain.extremes.largest}, count);
  for (double& p : law) p = std::exp(p);
  return law;
}

WordStatistics word_statistics(const Curve& curve, const std::string& epsilon, const Domain& domain,
                               std::size_t words, std::uint64_t seed, unsigned threads) {
  if (curve.strength == Curve::Strength::log_epsilon) {
    return by_head_law(parse_number("epsilon", epsilon, Infinity::refused), domain, words, threads);
  }
  const Mechanism mechanism = build_mechanism(curve.mechanism, domain.space->shared_model(),
                                              {{"epsilon", epsilon}}, {.threads = threads})
                                  .mechanism;
  const Deniability measured =
      measure_deniability(mechanism, words, RandomSource::seeded_not_private(seed), {.threads = threads});
  WordStatistics out{.unchanged = {}, .distinct = {}, .exact = measured.exact};
  for (const WordDeniability& word : measured.words) {
    out.unchanged.push_back(word.unchanged);
    out.distinct.push_back(word.distinct);
  }
  return out;
}

Points::Layout deniability_layout() {
  return {.keys = {"data", "mechanism", "strength"},
          .values = {"epsilon", "n_w", "n_w_low", "n_w_high", "n_w_deviation", "s_w", "s_w_low", "s_w_high",
                     "s_w_deviation", "exact", "seconds"}};
}

void measure_deniability_rows(const Run& run, const Settings& settings, std::span<const Domain> domains,
                              Points& table) {
  for (const Domain& domain : domains) {
    for (const Curve& curve : settings.curves) {
      for (const double strength : curve.strengths) {
        std::vector<std::string> keys = {domain.name, curve.mechanism, number_text(strength)};
        if (table.find(keys)) continue;
        Stopwatch watch;
        const std::string epsilon = epsilon_text(curve, strength, domain);
        const WordStatistics words =
            word_statistics(curve, epsilon, domain, settings.curve_words,
                            run.seed_of({"deniability", keys[0], keys[1], keys[2]}), run.threads());
        const TrialMean unchanged = trial_mean(words.unchanged);
        const TrialMean distinct = trial_mean(words.distinct);
        tell(fmt::format("{} {} {}: N_w {:.4f}, S_w {:.1f}", keys[0], keys[1], keys[2], unchanged.mean,
                         distinct.mean));
        table.add(
            {.keys = std::move(keys),
             .values = {parse_number("epsilon", epsilon, Infinity::refused), unchanged.mean,
                        unchanged.interval.low, unchanged.interval.high,
                        deviation(words.unchanged, unchanged.mean), distinct.mean, distinct.interval.low,
                        distinct.interval.high, deviation(words.distinct, distinct.mean),
                        words.exact ? 1.0 : 0.0, watch.seconds()}});
      }
    }
  }
}

}  // namespace sotto::lab::gumbel
