#include "tune/estimate.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "measure/deniability.h"
#include "measure/sampled_adversary.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kTrialDraws = 256;
constexpr std::size_t kMoreTrialDraws = 4096;
constexpr std::size_t kTrialRows = 4;
constexpr double kShareOfDraws = 0.7;  // some settings are given up early
// Settings with a law share passes over the words: so many passes of each search.
constexpr double kPasses = 6;

double seconds_of(const auto& work) {
  const auto started = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

// Of one setting whose law is not followed.
double drawing_seconds(const TuneBench& bench, const Mechanism& mechanism, const Work& work) {
  const RandomSource random = RandomSource::seeded_not_private(bench.question().seed);
  const auto trial = [&](std::size_t count) {
    return seconds_of([&] {
             (void)draw_joint(mechanism, bench.question().prior, {.count = count}, random,
                              {.threads = work.threads});
           }) /
           static_cast<double>(count);
  };
  // Of a few quick draws the time goes into starting threads.
  constexpr double kLongEnough = 0.2;
  double each = trial(kTrialDraws);
  if (each * static_cast<double>(kTrialDraws) < kLongEnough) each = std::min(each, trial(kMoreTrialDraws));
  const double draws = kShareOfDraws * static_cast<double>(bench.question().draws) +
                       static_cast<double>(TuneBench::kDeniabilityWords * kDeniabilityDraws);
  return each * draws;
}

// Of one pass over the words of the prior.
double pass_seconds(const TuneBench& bench, const Mechanism& mechanism, const Work& work) {
  const double trial = seconds_of([&] {
    for (std::size_t i = 0; i < kTrialRows; ++i) {
      (void)mechanism.words->log_law(word_id(i % mechanism.space->size()));
    }
  });
  const unsigned threads =
      work.threads > 0 ? work.threads : std::max(1U, std::thread::hardware_concurrency());
  return trial / static_cast<double>(kTrialRows) *
         static_cast<double>(bench.question().prior.support.size()) / threads;
}

struct Tried {
  Candidate candidate;
  double settings = 0;
};

double seconds_for(const TuneBench& bench, std::span<const Tried> all, double passes, const Work& work) {
  double drawn = 0;
  double longest_pass = 0;
  for (const Tried& one : all) {
    const MechanismInfo& info = find_mechanism(one.candidate.mechanism);
    // Building these for a trial would itself take long.
    if (info.costs_all_pairs || one.candidate.parameters.contains("calibration")) continue;
    try {
      const Mechanism mechanism = build_mechanism(one.candidate.mechanism, bench.model(),
                                                  one.candidate.parameters, {.threads = work.threads})
                                      .mechanism;
      if (bench.is_followed(mechanism)) {
        longest_pass = std::max(longest_pass, pass_seconds(bench, mechanism, work));
      } else {
        drawn += one.settings * drawing_seconds(bench, mechanism, work);
      }
    } catch (const Error&) {  // the search tells why it is skipped
    }
  }
  return drawn + passes * longest_pass;
}

}  // namespace

TuneEstimate estimate_search(const TuneBench& bench, const TuneScope& scope, const Work& work) {
  std::vector<SkippedCandidate> skipped;
  const double natural = natural_epsilon(bench.model());
  std::vector<Tried> tried;
  TuneEstimate out;
  for (const Family& family : families_of(bench.model(), scope, skipped)) {
    const std::size_t settings = family.has_epsilon ? kPointsOfFamily : 1;
    const double epsilon = family.floor > 0 ? 2 * family.floor : natural;
    tried.push_back({.candidate = family.at(rounded_epsilon(family, epsilon)),
                     .settings = static_cast<double>(settings)});
    out.settings += settings;
  }
  out.seconds = seconds_for(bench, tried, kPasses, work);
  return out;
}

TuneEstimate estimate_candidates(const TuneBench& bench, std::span<const Candidate> candidates,
                                 const Work& work) {
  // One trial for each family, at its first epsilon.
  std::map<std::string, Tried> families;
  for (const Candidate& candidate : candidates) {
    Tried& own = families.try_emplace(candidate.family(), Tried{.candidate = candidate}).first->second;
    own.settings += 1;
  }
  std::vector<Tried> tried;
  for (auto& [name, one] : families) tried.push_back(std::move(one));
  const double passes = 1 + static_cast<double>(candidates.size()) / 16;
  return {.settings = candidates.size(), .seconds = seconds_for(bench, tried, passes, work)};
}

}  // namespace sotto
