#include "certify/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/binomial.h"
#include "core/infinity.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::uint32_t kFewestDraws = 30;
// The level is shared by the test, the second test of suspicious pairs, and the replay check of programs.
constexpr double kTestShare = 0.5;
constexpr double kAgainShare = 0.4;
constexpr std::size_t kMostAgain = 6;
// Suspicious: this many standard errors above the claim. In a sound subject whose claim is tight one event in
// fifteen is.
constexpr double kSuspicious = 1.5;
// Undecided: a bound of this joint level exceeds the claim, one of the stated level does not.
constexpr double kUndecidedLevel = 0.05;

struct Hypothesis {
  std::size_t pair = 0;
  AuditEvent event = {};
  std::uint64_t draws = 0;
  std::uint64_t hits_likelier = 0;
  std::uint64_t hits_other = 0;
};

// Counts as doubles, so that planned experiments can be asked about.
struct Contrast {
  double draws = 0;
  double likelier = 0;
  double other = 0;
};
Contrast contrast_of(const Hypothesis& h) {
  return {.draws = static_cast<double>(h.draws),
          .likelier = static_cast<double>(h.hits_likelier),
          .other = static_cast<double>(h.hits_other)};
}

// The logarithm of P(S|likelier) / P(S|other) is at least this, except with probability 2 * error.
double loss_bound(const Contrast& seen, double error) {
  const double low = lower_probability({.hits = seen.likelier, .draws = seen.draws}, error);
  if (low == 0) return -kInfinity;
  return std::log(low / upper_probability({.hits = seen.other, .draws = seen.draws}, error));
}

bool above(double loss, double claimed) {
  return loss > claimed * (1 + 1e-9) + 1e-9;  // claims are computed in doubles too
}

// By how many standard errors the logarithm of the ratio lies above the claim.
double suspicion(const Contrast& seen, double claimed) {
  const double more = seen.likelier + 0.5;
  const double less = seen.other + 0.5;
  return (std::log(more / less) - claimed) / std::sqrt(1 / more + 1 / less);
}

// How many draws of the test would lift the bound above the claim, the shares of hits staying as they are.
std::optional<double> draws_to_decide(const Contrast& seen, double claimed, double error) {
  const auto decides = [&](double draws) {
    const double scale = draws / seen.draws;
    const Contrast planned{.draws = draws, .likelier = seen.likelier * scale, .other = seen.other * scale};
    return above(loss_bound(planned, error), claimed);
  };
  double enough = seen.draws;
  while (!decides(enough)) {
    enough *= 2;
    if (enough > 1e12) return std::nullopt;
  }
  double few = enough / 2;
  while (enough - few > 0.01 * enough) {
    const double middle = (few + enough) / 2;
    (decides(middle) ? enough : few) = middle;
  }
  return enough;
}

// Passes on the steps of several calls as those of one.
class Progress {
 public:
  Progress(const Work& work, std::size_t total) : work_(work), total_(total) {}
  Work part() {
    Work part{.threads = work_.threads};
    if (work_.progress) {
      part.progress = [this, before = done_](const Steps& steps) {
        done_ = before + steps.done;
        work_.progress({.done = done_, .total = std::max(total_, done_), .unit = steps.unit});
      };
    }
    return part;
  }
  void expect_more(std::size_t steps) { total_ += steps; }

 private:
  const Work& work_;
  std::size_t total_;
  std::size_t done_ = 0;
};

class Auditor {
 public:
  Auditor(AuditSubject& subject, std::span<const AuditPair> pairs, const AuditOptions& options)
      : subject_(subject),
        pairs_(pairs),
        options_(options),
        explored_(options.draws / 3),
        tested_(options.draws - explored_),
        progress_(options.work, 2 * pairs.size() * options.draws) {}

  AuditResult run() {
    const std::size_t at_once = std::max<std::size_t>(1, subject_.words_per_call() / 2);
    for (std::size_t begin = 0; begin < pairs_.size(); begin += at_once) {
      explore_and_test(begin, std::min(pairs_.size(), begin + at_once));
    }
    AuditResult result{.level = options_.level, .hypotheses = hypotheses_.size()};
    test_error_ =
        kTestShare * options_.level / (2 * static_cast<double>(std::max<std::size_t>(1, hypotheses_.size())));
    result.pairs.resize(pairs_.size());
    for (const Hypothesis& h : hypotheses_) report(result, h, finding_of(h, test_error_));
    test_again(result);
    result.total_draws = total_draws_;
    result.reach = reach();
    conclude(result);
    return result;
  }

 private:
  std::vector<OutputCounts> draw(const std::vector<AuditWord>& words, std::uint32_t draws) {
    total_draws_ += words.size() * draws;
    return subject_.count(words, draws, progress_.part());
  }

  void explore_and_test(std::size_t begin, std::size_t end) {
    std::vector<AuditWord> words;
    for (std::size_t i = begin; i < end; ++i) words.insert(words.end(), {pairs_[i].first, pairs_[i].second});
    std::vector<Hypothesis> chosen;
    {
      const std::vector<OutputCounts> search = draw(words, explored_ / 2);
      const std::vector<OutputCounts> selection = draw(words, explored_ - explored_ / 2);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t at = 2 * (i - begin);
        const ExploredPair explored{.pair = pairs_[i],
                                    .planned = 2.0 * tested_ / std::max(1U, explored_),
                                    .search = {.first = search[at], .second = search[at + 1]},
                                    .selection = {.first = selection[at], .second = selection[at + 1]}};
        for (AuditEvent& event : choose_events(explored, options_.distance)) {
          chosen.push_back({.pair = i, .event = std::move(event)});
        }
      }
    }
    const std::vector<OutputCounts> fresh = draw(words, tested_);
    for (Hypothesis& h : chosen) {
      const std::size_t at = 2 * (h.pair - begin);
      count_hits(h, fresh[at], fresh[at + 1], tested_);
      hypotheses_.push_back(std::move(h));
    }
  }

  void count_hits(Hypothesis& h, const OutputCounts& first, const OutputCounts& second, std::uint64_t draws) {
    const bool first_likelier = h.event.likelier == pairs_[h.pair].first;
    h.draws = draws;
    h.hits_likelier = hits_of(h.event, first_likelier ? first : second, options_.distance);
    h.hits_other = hits_of(h.event, first_likelier ? second : first, options_.distance);
  }

  [[nodiscard]] AuditFinding finding_of(const Hypothesis& h, double error) const {
    const Contrast seen = contrast_of(h);
    double estimate = 0;
    if (h.hits_likelier > 0) estimate = h.hits_other > 0 ? std::log(seen.likelier / seen.other) : kInfinity;
    return {.pair = pairs_[h.pair],
            .event = h.event,
            .draws = h.draws,
            .hits_likelier = h.hits_likelier,
            .hits_other = h.hits_other,
            .loss_estimate = estimate,
            .loss_bound = std::max(0.0, loss_bound(seen, error))};
  }

  // Every bound is valid, so the largest of a pair speaks for it.
  static void report(AuditResult& result, const Hypothesis& h, AuditFinding finding) {
    AuditFinding& best = result.pairs[h.pair];
    const auto key = [](const AuditFinding& f) { return std::pair(f.loss_bound, f.loss_estimate); };
    if (best.draws == 0 || finding.draws_needed || (!best.draws_needed && key(finding) > key(best))) {
      best = std::move(finding);
    }
  }

  // The most suspicious events that are not yet decided, with draws of their own. Which they are depends on
  // earlier draws only.
  void test_again(AuditResult& result) {
    std::vector<std::pair<double, std::size_t>> suspects;
    for (std::size_t i = 0; i < hypotheses_.size(); ++i) {
      const Contrast seen = contrast_of(hypotheses_[i]);
      const double claimed = pairs_[hypotheses_[i].pair].claimed_loss;
      const double errors = suspicion(seen, claimed);
      if (errors >= kSuspicious && !above(loss_bound(seen, test_error_), claimed))
        suspects.emplace_back(errors, i);
    }
    std::ranges::stable_sort(suspects, std::greater<>(), &std::pair<double, std::size_t>::first);
    suspects.resize(std::min(suspects.size(), kMostAgain));
    if (suspects.empty() || options_.again == 0) return;

    std::vector<AuditWord> words;
    for (const auto& [errors, i] : suspects) {
      words.insert(words.end(), {hypotheses_[i].event.likelier, hypotheses_[i].event.other});
    }
    const std::uint32_t draws = tested_ * options_.again;
    progress_.expect_more(words.size() * draws);
    const std::vector<OutputCounts> fresh = draw(words, draws);
    const double share = 1 / (2 * static_cast<double>(suspects.size()));
    const double error = kAgainShare * options_.level * share;
    for (std::size_t s = 0; s < suspects.size(); ++s) {
      Hypothesis h = hypotheses_[suspects[s].second];
      h.draws = draws;
      h.hits_likelier = hits_of(h.event, fresh[2 * s], options_.distance);
      h.hits_other = hits_of(h.event, fresh[2 * s + 1], options_.distance);
      AuditFinding finding = finding_of(h, error);
      finding.drawn_again = true;
      const double claimed = pairs_[h.pair].claimed_loss;
      const Contrast seen = contrast_of(h);
      if (!above(finding.loss_bound, claimed) && above(loss_bound(seen, kUndecidedLevel * share), claimed)) {
        // The test of a later audit takes two thirds of its draws.
        const auto needed = draws_to_decide(seen, claimed, test_error_);
        finding.draws_needed = needed ? 1.5 * *needed : kInfinity;
      }
      report(result, h, std::move(finding));
    }
    result.hypotheses += suspects.size();
  }

  [[nodiscard]] AuditReach reach() const {
    AuditReach reach;
    const auto n = static_cast<double>(tested_);
    reach.largest_loss = -std::log(upper_probability({.hits = 0, .draws = n}, test_error_));
    double smallest_claim = kInfinity;
    for (const AuditPair& pair : pairs_) {
      if (pair.claimed_loss < reach.largest_loss) ++reach.pairs_within;
      smallest_claim = std::min(smallest_claim, pair.claimed_loss);
    }
    constexpr double kShare = 0.1;
    const auto found = [&](double loss) {
      return above(loss_bound({.draws = n, .likelier = kShare * n, .other = kShare * n * std::exp(-loss)},
                              test_error_),
                   smallest_claim);
    };
    double high = smallest_claim + 1;
    while (high < 700 && !found(high)) high *= 2;
    if (!(high < 700)) {
      reach.smallest_excess = kInfinity;
      return reach;
    }
    double low = smallest_claim;
    for (int i = 0; i < 30; ++i) {
      const double middle = (low + high) / 2;
      (found(middle) ? high : low) = middle;
    }
    reach.smallest_excess = high - smallest_claim;
    return reach;
  }

  static void conclude(AuditResult& result) {
    bool claims = false;
    double furthest = -kInfinity;
    for (const AuditFinding& finding : result.pairs) {
      if (finding.draws == 0) continue;
      claims = claims || std::isfinite(finding.pair.claimed_loss);
      const double bound = finding.loss_bound;
      const double realised =
          finding.pair.distance > 0 ? bound / finding.pair.distance : (above(bound, 0) ? kInfinity : 0);
      if (!result.strongest || realised > result.realised_epsilon_bound) {
        result.realised_epsilon_bound = realised;
        result.strongest = finding;
      }
      if (finding.exceeds_claim()) result.verdict = AuditVerdict::violated;
    }
    if (!claims) {
      result.verdict = AuditVerdict::nothing_claimed;
      return;
    }
    const bool violated = result.verdict == AuditVerdict::violated;
    for (const AuditFinding& finding : result.pairs) {
      if (!(violated ? finding.exceeds_claim() : finding.draws_needed.has_value())) continue;
      const double excess = finding.proven_loss() - finding.pair.claimed_loss;
      if (result.witness && excess <= furthest) continue;
      furthest = excess;
      result.witness = finding;
      if (!violated) result.verdict = AuditVerdict::undecided;
    }
  }

  AuditSubject& subject_;
  std::span<const AuditPair> pairs_;
  const AuditOptions& options_;
  std::uint32_t explored_;
  std::uint32_t tested_;
  Progress progress_;
  std::uint64_t total_draws_ = 0;
  std::vector<Hypothesis> hypotheses_;
  double test_error_ = 0;
};

}  // namespace

double AuditFinding::proven_loss() const {
  return std::max(loss_bound, pair.exact_loss.value_or(0));
}

bool AuditFinding::exceeds_claim() const {
  return above(proven_loss(), pair.claimed_loss);
}

AuditResult audit(AuditSubject& subject, std::span<const AuditPair> pairs, const AuditOptions& options) {
  if (options.draws < kFewestDraws) {
    throw Error(ErrorCode::usage,
                fmt::format("{} draws for each word are too few to find a violation; give at least {}",
                            options.draws, kFewestDraws));
  }
  if (!(options.level > 0 && options.level < 1)) {
    throw Error(
        ErrorCode::usage,
        fmt::format("the level of an audit is a probability above 0 and below 1, not {}", options.level));
  }
  return Auditor(subject, pairs, options).run();
}

}  // namespace sotto
