#include "tune/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/attribute.h"
#include "measure/deniability.h"
#include "measure/guess_quantities.h"
#include "measure/law_sweep.h"
#include "measure/measurement_parts.h"
#include "measure/sampled_adversary.h"
#include "measure/vector_adversary.h"
#include "sotto/error.h"
#include "sotto/measurement.h"

namespace sotto {
namespace {

constexpr std::size_t kDraws = std::size_t{1} << 15;
constexpr std::size_t kFirstShare = 8;       // part of the draws after which a hopeless point is given up
constexpr double kSlowPairs = 16'777'216.0;  // a closed law that takes a sort for each row
constexpr std::size_t kSweepTogether = 16;   // a few MB for each

void add_claim(const CertifiedMechanism& built, TunePoint& point) {
  const Mechanism& mechanism = built.mechanism;
  point.status = mechanism.claim.status;
  point.nominal_epsilon = mechanism.claim.epsilon;
  point.metric = metric_name(mechanism.space->metric());
  if (built.certificate) {
    point.certified_epsilon = built.certificate->realised_epsilon;
    point.certified_by = "certificate";
  } else if (mechanism.claim.status == Status::proven) {
    // Per unit of the space's distance, so that mechanisms can be compared.
    point.certified_epsilon = std::max(1.0, mechanism.claim.stretch) * mechanism.claim.epsilon;
    point.certified_by = "theorem";
  }
}

// Shares of draws, with their intervals.
class DrawnShares {
 public:
  void add(const Space& space, const JointSample& sample, const Labels* labels) {
    for (std::size_t i = 0; i < sample.words.size(); ++i) {
      const WordId word = sample.words[i];
      const WordId output = sample.outputs[i];
      changed_.push_back(word == output ? 0 : 1);
      distances_.push_back(space.distance(word, output));
      const std::int32_t own = labels == nullptr ? Labels::kNone : labels->of[index_of(word)];
      if (own == Labels::kNone) continue;
      const std::int32_t other = labels->of[index_of(output)];
      flipped_.push_back(other != Labels::kNone && other != own ? 1 : 0);
      lost_.push_back(other == Labels::kNone ? 1 : 0);
      not_kept_.push_back(other == own ? 0 : 1);
    }
  }
  void write(std::vector<Quantity>& quantities) const {
    const auto share = [&](const char* name, const std::vector<double>& values) {
      quantities.push_back(sampled_quantity(name, {.values = values, .range = 1}, meaning_of(name)));
    };
    share("loss_changed", changed_);
    quantities.push_back(
        sampled_quantity("loss_distance", {.values = distances_}, meaning_of("loss_distance")));
    if (flipped_.empty()) return;
    share("loss_label", flipped_);
    share("label_lost", lost_);
    quantities.push_back(sampled_quantity("label_not_kept", {.values = not_kept_, .range = 1},
                                          loss_meaning(UtilityLoss::label)));
  }
  [[nodiscard]] Quantity changed() const {
    return sampled_quantity("loss_changed", {.values = changed_, .range = 1}, "");
  }

 private:
  std::vector<double> changed_;
  std::vector<double> distances_;
  std::vector<double> flipped_;
  std::vector<double> lost_;
  std::vector<double> not_kept_;
};

}  // namespace

TuneBench::TuneBench(std::shared_ptr<const Model> model, TuneQuestion question)
    : model_(std::move(model)), question_(std::move(question)) {
  if (question_.labels) (void)label_prior(question_.prior, *question_.labels);  // refuses what never occurs
  const std::size_t draws = question_.draws > 0 ? question_.draws : kDraws;
  question_.draws = (draws + kDrawBlock - 1) / kDrawBlock * kDrawBlock;
}

bool TuneBench::is_followed(const Mechanism& mechanism) const {
  const double pairs =
      static_cast<double>(question_.prior.support.size()) * static_cast<double>(model_->size());
  return pairs <= (mechanism.info->costs_all_pairs ? kSlowPairs : kExactPairs) &&
         mechanism.words->log_law(word_id(0)).has_value();
}

CertifiedMechanism TuneBench::build(const Candidate& candidate, const Work& work) const {
  CertifiedMechanism built =
      build_mechanism(candidate.mechanism, model_, candidate.parameters, {.threads = work.threads});
  if (question_.certify && !built.certificate) {
    add_certificate(built, work.at(fmt::format("certifying {}", candidate.line())));
  }
  return built;
}

std::optional<Quantity> TuneBench::task_loss(const CertifiedMechanism& built, const Work& work) const {
  if (!question_.task) return std::nullopt;
  const double value = question_.task->loss(built, work);
  return Quantity{.name = std::string(loss_quantity(UtilityLoss::task)),
                  .kind = QuantityKind::sampled,
                  .value = value,
                  .interval = {.low = value, .high = value},
                  .meaning = loss_meaning(UtilityLoss::task) +
                             ", from one copy: how much another copy differs is not known"};
}

void TuneBench::add_deniability(const Mechanism& mechanism, TunePoint& point, const Work& work) const {
  const Deniability deniability =
      measure_deniability(mechanism, kDeniabilityWords, RandomSource::seeded_not_private(question_.seed + 1),
                          {.threads = work.threads});
  const auto add = [&](const char* name, const DeniabilitySummary& summary) {
    constexpr std::size_t kLow = 1;
    constexpr std::size_t kHigh = 5;
    point.quantities.push_back(
        {.name = name,
         .kind = deniability.exact ? QuantityKind::exact : QuantityKind::sampled,
         .value = summary.mean,
         .interval = {.low = summary.quantiles[kLow], .high = summary.quantiles[kHigh]},
         .meaning = "mean over 10 words, and the middle 90% of them"});
  };
  add("n_w", deniability.overall.unchanged);
  add("s_w", deniability.overall.distinct);
}

void TuneBench::sweep(std::span<const CertifiedMechanism> built, std::span<const Candidate> candidates,
                      const Take& take, const Work& work) {
  std::vector<Mechanism> mechanisms;
  for (const CertifiedMechanism& own : built) mechanisms.push_back(own.mechanism);
  // The task first: a program that cannot do it says so at once, not after minutes.
  std::vector<std::optional<Quantity>> judged;
  for (std::size_t i = 0; i < built.size(); ++i) {
    judged.push_back(task_loss(built[i], work.at(candidates[i].line())));
  }
  (void)work.at(fmt::format("{} settings by their law", built.size()));
  const auto quantities =
      sweep_laws(mechanisms, question_.prior, question_.labels ? &*question_.labels : nullptr, work);
  for (std::size_t i = 0; i < built.size(); ++i) {
    TunePoint point{.candidate = candidates[i], .quantities = quantities[i]};
    if (judged[i]) point.quantities.push_back(*judged[i]);
    add_claim(built[i], point);
    if (built[i].mechanism.token.empty()) add_deniability(built[i].mechanism, point, work);
    take(std::move(point));
  }
}

std::optional<Quantity> TuneBench::vector_bound(const Mechanism& mechanism, const Work& work) {
  const std::optional<double> noise = mechanism.words->spherical_noise();
  if (!noise) return std::nullopt;
  const double epsilon = *noise;
  if (const auto found = vector_bounds_.find(epsilon); found != vector_bounds_.end()) return found->second;
  Quantity bound =
      vector_adversary(*model_, question_.prior, epsilon,
                       RandomSource::seeded_not_private(question_.seed + 2), {.threads = work.threads});
  vector_bounds_.emplace(epsilon, bound);
  return bound;
}

TunePoint TuneBench::draw(const CertifiedMechanism& built, const Candidate& candidate,
                          const Hopeless& hopeless, const Work& work) {
  const Mechanism& mechanism = built.mechanism;
  const Prior& prior = question_.prior;
  const Labels* labels = question_.labels ? &*question_.labels : nullptr;
  const RandomSource random = RandomSource::seeded_not_private(question_.seed);
  (void)work.at(candidate.line());
  const std::optional<Quantity> vector = vector_bound(mechanism, work);
  const Classes words{.of = [](WordId word) { return static_cast<std::int64_t>(word); },
                      .likeliest = static_cast<std::int64_t>(prior.mode()),
                      .constant_error = prior.constant_guess()};
  const std::size_t first =
      std::min(question_.draws, (question_.draws / kFirstShare + kDrawBlock - 1) / kDrawBlock * kDrawBlock);
  JointSample sample;
  DrawnShares shares;
  TunePoint point{.candidate = candidate};
  add_claim(built, point);
  const std::optional<Quantity> judged = task_loss(built, work);
  while (sample.words.size() < question_.draws && !point.stopped_early) {
    const std::size_t done = sample.words.size();
    const std::size_t count = done == 0 ? first : question_.draws - done;
    const JointSample more =
        draw_joint(mechanism, prior, {.count = count, .first_stream = done / kDrawBlock}, random, work);
    shares.add(*mechanism.space, more, labels);
    sample.words.insert(sample.words.end(), more.words.begin(), more.words.end());
    sample.outputs.insert(sample.outputs.end(), more.outputs.begin(), more.outputs.end());
    point.draws = sample.words.size();
    point.quantities = {
        exact_quantity("constant_guess", prior.constant_guess(), meaning_of("constant_guess"))};
    const GuessBracket guess = guess_bracket(sample, words);
    Quantity best = bracket_quantity("e_opt", guess);
    narrow_bracket(best, shares.changed(), vector ? &*vector : nullptr);
    Quantity posterior = posterior_quantity(guess, best, prior);
    point.quantities.push_back(std::move(best));
    point.quantities.push_back(std::move(posterior));
    shares.write(point.quantities);
    if (judged) point.quantities.push_back(*judged);
    point.stopped_early = point.draws < question_.draws && hopeless && hopeless(point);
  }
  if (labels != nullptr) {
    const std::vector<double> masses = label_prior(prior, *labels);
    const Classes classes{.of = [&](WordId word) { return std::int64_t{labels->of[index_of(word)]}; },
                          .likeliest = std::ranges::max_element(masses) - masses.begin(),
                          .constant_error = constant_label_guess(prior, *labels)};
    point.quantities.push_back(
        exact_quantity("constant_guess_label", classes.constant_error, meaning_of("constant_guess_label")));
    point.quantities.push_back(bracket_quantity("e_opt_label", guess_bracket(sample, classes)));
  }
  add_deniability(mechanism, point, work);
  return point;
}

void TuneBench::measure(std::span<const Candidate> candidates, const Hopeless& hopeless, const Take& take,
                        std::vector<SkippedCandidate>& skipped, const Work& work) {
  struct Built {
    std::vector<CertifiedMechanism> mechanisms;
    std::vector<Candidate> candidates;
  };
  std::map<Metric, Built> followed;
  std::vector<Candidate> drawn;
  const auto flush = [&](Built& group) {
    if (!group.mechanisms.empty()) sweep(group.mechanisms, group.candidates, take, work);
    group = {};
  };
  // Empty: it is skipped. Only what cannot be built or copied is: a fault of the measurement itself ends it.
  const auto built_or_skipped = [&](const Candidate& candidate) -> std::optional<CertifiedMechanism> {
    try {
      CertifiedMechanism built = build(candidate, work);
      std::string reason = question_.task ? question_.task->refuses(built, work) : std::string();
      if (reason.empty()) return built;
      skipped.push_back({.candidate = candidate, .reason = std::move(reason), .too_weak = true});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage && error.code() != ErrorCode::bad_data) throw;
      skipped.push_back({.candidate = candidate, .reason = error.what()});
    }
    return std::nullopt;
  };
  for (const Candidate& candidate : candidates) {
    if (find_mechanism(candidate.mechanism).known_by == MechanismInfo::KnownBy::draws) {
      drawn.push_back(candidate);
      continue;
    }
    auto built = built_or_skipped(candidate);
    if (!built) continue;
    if (!is_followed(built->mechanism)) {
      drawn.push_back(candidate);
      continue;
    }
    Built& group = followed[built->mechanism.space->metric()];
    group.mechanisms.push_back(std::move(*built));
    group.candidates.push_back(candidate);
    if (group.mechanisms.size() == kSweepTogether) flush(group);
  }
  for (auto& [metric, group] : followed) flush(group);
  // After the exact ones, which decide what is hopeless.
  for (const Candidate& candidate : drawn) {
    if (const auto built = built_or_skipped(candidate)) take(draw(*built, candidate, hopeless, work));
  }
}

}  // namespace sotto
