#include "tune/estimate.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "measure/deniability.h"
#include "measure/law_sweep.h"
#include "measure/sampled_adversary.h"
#include "measure/vector_adversary.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kTrialDraws = 128;
constexpr std::size_t kFewRows = 16;  // of a law
constexpr std::size_t kMoreRows = 64;
constexpr std::size_t kTrialSupport = 512;  // words of the adversary who sees the noisy vector

// What is not known before a search, as it mostly turns out.
struct Course {
  double passes = 5;           // over the words: settings with a law share them
  double not_given_up = 0.95;  // share of the settings that are drawn from
};

unsigned threads_of(const Work& work) {
  return work.threads > 0 ? work.threads : std::max(1U, std::thread::hardware_concurrency());
}

// Processor time of this process, so that other programs do not count. Other threads of it do.
double seconds_of(const auto& work) {
  const std::clock_t started = std::clock();
  work();
  return static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
}

Prior first_words(const Prior& prior, std::size_t count) {
  Prior few = prior;
  few.support.resize(std::min(count, few.support.size()));
  return few;
}

// How long things take if nothing else runs. Trials are so small that one thread does them.
class Stopwatch {
 public:
  Stopwatch(const TuneBench& bench, const Course& course, const Work& work)
      : bench_(bench), question_(bench.question()), course_(course), threads_(threads_of(work)) {}

  // Of one pass over the words with one setting; `each`: of every further setting in it.
  struct Pass {
    double shared = 0;
    double each = 0;
  };
  [[nodiscard]] Pass pass(const Mechanism& mechanism) const {
    const Labels* labels = question_.labels ? &*question_.labels : nullptr;
    const auto trial = [&](std::size_t settings, const Prior& words) {
      const std::vector<Mechanism> together(settings, mechanism);
      return seconds_of([&] { (void)sweep_laws(together, words, labels, {.threads = 1}); });
    };
    // Differences: beginning and ending a pass take as long for few words as for many.
    const Prior few = first_words(question_.prior, kFewRows);
    const Prior more = first_words(question_.prior, kMoreRows);
    const auto rows = static_cast<double>(more.support.size() - few.support.size());
    if (rows == 0) return {};
    (void)trial(2, few);  // memory that is touched for the first time
    const auto of_rows = [&](std::size_t settings) {
      return std::max(0.0, trial(settings, more) - trial(settings, few));
    };
    const double one = of_rows(1);
    const double each = std::clamp(of_rows(2) - one, 0.0, one);
    const double scale = static_cast<double>(question_.prior.support.size()) / rows / threads_;
    return {.shared = (one - each) * scale, .each = each * scale};
  }

  // Of one setting that is drawn from, as TuneBench does it: a first block by one thread, the others by all.
  [[nodiscard]] double draws(const Mechanism& mechanism) const {
    const RandomSource random = RandomSource::seeded_not_private(question_.seed);
    const auto trial = [&](std::size_t count) {
      return seconds_of(
          [&] { (void)draw_joint(mechanism, question_.prior, {.count = count}, random, {.threads = 1}); });
    };
    (void)trial(1);  // what the first draw prepares
    const double each = trial(kTrialDraws) / static_cast<double>(kTrialDraws);
    const auto first = static_cast<double>(std::min(question_.draws, TuneBench::kDrawBlock));
    const double others = static_cast<double>(question_.draws) - first;
    const auto deniability = static_cast<double>(TuneBench::kDeniabilityWords * kDeniabilityDraws);
    return each * (first + (course_.not_given_up * others + deniability) / threads_);
  }

  // Of the bound by the noisy vector.
  [[nodiscard]] double vector_bound(const Mechanism& mechanism) const {
    const double epsilon = mechanism.words->spherical_noise().value();
    const Prior few = first_words(question_.prior, kTrialSupport);
    const double trial = seconds_of([&] {
      (void)vector_adversary(*bench_.model(), few, epsilon, RandomSource::seeded_not_private(question_.seed),
                             {.threads = 1});
    });
    const auto pairs = [&](const Prior& prior) {
      return static_cast<double>(vector_adversary_draws(*bench_.model(), prior) * prior.support.size());
    };
    return trial * pairs(question_.prior) / pairs(few) / threads_;
  }

 private:
  const TuneBench& bench_;
  const TuneQuestion& question_;
  Course course_;
  double threads_;
};

// Settings of one family that are alike enough for one trial.
struct Tried {
  Candidate candidate;
  double settings = 0;
};

double seconds_for(const TuneBench& bench, std::span<const Tried> all, const Course& course,
                   const Work& work) {
  const Stopwatch stopwatch(bench, course, work);
  double seconds = 0;
  double shared = 0;
  std::optional<double> vector_bound;
  std::optional<Stopwatch::Pass> pass;  // as long for every law
  for (const Tried& one : all) {
    const MechanismInfo& info = find_mechanism(one.candidate.mechanism);
    // Building these for a trial would itself take long.
    if (info.costs_all_pairs || one.candidate.parameters.contains("calibration")) continue;
    try {
      const Mechanism mechanism = build_mechanism(one.candidate.mechanism, bench.model(),
                                                  one.candidate.parameters, {.threads = work.threads})
                                      .mechanism;
      if (bench.is_followed(mechanism)) {
        if (!pass) pass = stopwatch.pass(mechanism);
        shared = course.passes * pass->shared;
        seconds += one.settings * pass->each;
      } else {
        seconds += one.settings * stopwatch.draws(mechanism);
        if (!mechanism.words->spherical_noise()) continue;
        // It takes as long whatever the size of the noise.
        if (!vector_bound) vector_bound = stopwatch.vector_bound(mechanism);
        seconds += one.settings * *vector_bound;
      }
    } catch (const Error&) {  // the search tells why it is skipped
    }
  }
  return seconds + shared;
}

}  // namespace

TuneEstimate estimate_search(const TuneBench& bench, const TuneScope& scope, const Work& work) {
  std::vector<SkippedCandidate> skipped;
  const double natural = natural_epsilon(bench.model());
  std::vector<Tried> tried;
  TuneEstimate out;
  for (const Family& family : families_of(bench.model(), scope, skipped)) {
    const std::size_t settings = family.has_epsilon ? kPointsOfFamily : 1;
    out.settings += settings;
    // At a large epsilon the nearest word is found faster: the settings of the first look stand for all.
    const std::vector<double> epsilons = first_epsilons(family, natural, std::nullopt);
    for (const double epsilon : epsilons) {
      tried.push_back({.candidate = family.at(epsilon),
                       .settings = static_cast<double>(settings) / static_cast<double>(epsilons.size())});
    }
  }
  out.seconds = seconds_for(bench, tried, {}, work);
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
  const Course course{.passes = 1 + static_cast<double>(candidates.size()) / 16, .not_given_up = 1};
  return {.settings = candidates.size(), .seconds = seconds_for(bench, tried, course, work)};
}

}  // namespace sotto
