// Learning from private text (docs/learning.md): classifiers that take private words for true ones, and those
// that use the law of the mechanism, between what public data alone gives and what clear text gives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "lab/experiments.h"
#include "lab/learn/attackers.h"
#include "lab/learn/learners.h"
#include "lab/learn/report.h"
#include "lab/learn/settings.h"
#include "lab/learn/task_metric.h"
#include "lab/learn/tasks.h"
#include "lab/statistics.h"
#include "learn/evaluate.h"
#include "sotto/certificate.h"
#include "sotto/forecast.h"

namespace sotto::lab::learning {

namespace {

std::vector<std::string> keys_of(const Place& place, std::string_view learner, std::size_t draw) {
  return {place.task,           place.series,
          place.epsilon(),      fmt::format("{}", place.public_texts),
          std::string(learner), fmt::format("{}", draw)};
}

// Of what needs no release, beside the places of the same public corpus.
std::vector<std::string> baseline_keys(const Place& place, std::string_view learner) {
  return {place.task, "none", "none", fmt::format("{}", place.public_texts), std::string(learner), "1"};
}

void add_missing(Points& points, std::vector<std::string> keys, const Score& score) {
  if (!points.find(keys)) points.add({.keys = std::move(keys), .values = score.values});
}

constexpr std::size_t kLevelSteps = 11;  // halves a range of 1 to 9.6: epsilon within 0.1%

// Tasks and public corpora, read when the first point needs them.
class Measuring {
 public:
  Measuring(const Run& run, const Settings& settings)
      : run_(run),
        settings_(settings),
        points_(run.points("points", points_layout())),
        mechanisms_(run.points("mechanisms", mechanisms_layout())),
        levels_(run.points("levels", levels_layout())),
        given_away_(run.points("given-away", given_away_layout())),
        attackers_(run.points("attackers", attackers_layout())) {}

  [[nodiscard]] Tables tables() const {
    return {.points = points_, .mechanisms = mechanisms_, .given_away = given_away_, .attackers = attackers_};
  }

  void measure(const Place& wanted) {
    const Place place = at_equal_error(wanted);
    std::vector<std::size_t> missing;
    const std::size_t draws = run_.request().trials > 0 ? run_.request().trials : place.draws;
    // The last learner of a draw: what is there of an interrupted draw is computed again and agrees.
    const std::string_view last = place.public_texts == 0   ? kDefaults
                                  : place.task == "reviews" ? kFused
                                                            : kRehearsed;
    for (std::size_t draw = 1; draw <= draws; ++draw) {
      if (!points_.find(keys_of(place, last, draw))) missing.push_back(draw);
    }
    const std::vector<std::string> known = {place.task, place.series, place.epsilon()};
    const bool has_baselines = points_.find(baseline_keys(place, kClearFeatures)).has_value();
    if (missing.empty() && mechanisms_.find(known) && has_baselines) return;

    const Task& task = task_of(place.task);
    const PublicCorpus* corpus = place.public_texts == 0 ? nullptr : &corpus_of(task, place.public_texts);
    if (!has_baselines) {
      for (const Score& score : corpus != nullptr ? corpus->baselines() : baselines(task, run_.threads())) {
        tell(fmt::format("{}, {} public texts: {:.3f} {}", place.task, place.public_texts, score.values[0],
                         score.learner));
        add_missing(points_, baseline_keys(place, score.learner), score);
      }
    }
    const Mechanism mechanism =
        build_mechanism(place.mechanism, space_of(place, task), place.parameters, {.threads = run_.threads()})
            .mechanism;
    if (!mechanisms_.find(known)) measure_mechanism(place, task, mechanism);
    if (missing.empty()) return;
    const Bench bench(task, mechanism, corpus, seed_of(place, "public"), run_.threads());
    tell(fmt::format("{} {} {}, {} public texts: ready", place.task, place.series, place.epsilon(),
                     place.public_texts));
    for (const std::size_t draw : missing) {
      for (const Score& score : bench.draw(seed_of(place, fmt::format("{}", draw)))) {
        tell(fmt::format("{} {} {}, draw {}: {:.4f} {}", place.task, place.series, place.epsilon(), draw,
                         score.values[0], score.learner));
        add_missing(points_, keys_of(place, score.learner, draw), score);
      }
    }
  }

  void attack(const Place& wanted) {
    const Place place = at_equal_error(wanted);
    if (is_attacked(place, attackers_)) return;
    const Task& task = task_of(place.task);
    attack_place(run_, task, place, space_of(place, task), attackers_);
  }

 private:
  const Task& task_of(const std::string& name) {
    if (!task_ || task_->name != name) {
      corpora_.clear();
      task_ = make_task(run_, settings_, name);
      tell(fmt::format("{}: {} texts to learn from, {} to test on, {} public, {:.1f}% of their words known",
                       name, task_->train.texts.size(), task_->test.texts.size(), task_->public_texts.size(),
                       100 * task_->public_texts.known_share()));
    }
    return *task_;
  }
  const PublicCorpus& corpus_of(const Task& task, std::size_t most) {
    const auto found = corpora_.find(most);
    if (found != corpora_.end()) return found->second;
    corpora_.clear();
    return corpora_.try_emplace(most, task, most, run_.threads()).first->second;
  }
  Place at_equal_error(Place place) {
    if (place.scores == Scores::none) return place;
    const std::vector<std::string> keys = {place.series, place.epsilon()};
    if (!levels_.find(keys)) levels_.add({.keys = keys, .values = level_of(place)});
    place.parameters["epsilon"] = number_text(levels_.find(keys)->values[levels_.value("epsilon")]);
    return place;
  }
  // E_opt falls as epsilon grows. Further coordinates only make distances larger, so the epsilon that is
  // sought is smaller than that of the plain metric, as a rule: the search begins a little above.
  std::vector<double> level_of(const Place& place) {
    const Task& task = task_of(place.task);
    const Prior prior = known_word_counts(task.train.texts, task.domain->size(), task.anchor);
    const auto error_at = [&](const std::shared_ptr<const Model>& model, double epsilon) {
      ParameterTexts texts = place.parameters;
      texts["epsilon"] = number_text(epsilon);
      const Work work{.threads = run_.threads()};
      return middle(
          best_attacker(build_mechanism(place.mechanism, model, texts, work).mechanism, prior, work));
    };
    const double plain = std::stod(place.epsilon());
    const double wanted = error_at(task.domain, plain);
    const auto model = task_metric(run_, task, corpus_of(task, place.public_texts), place.scores, {}).model;
    double low = plain / 8;
    double high = plain * 1.2;
    for (std::size_t step = 0; step < kLevelSteps; ++step) {
      const double between = std::sqrt(low * high);
      (error_at(model, between) > wanted ? low : high) = between;
    }
    const double found = std::round(high * 1000) / 1000;
    const double reached = error_at(model, found);
    tell(fmt::format("{}: epsilon {} has E_opt {:.4f}, as {:.4f} at {} before", place.series, found, reached,
                     wanted, plain));
    return {found, reached, wanted};
  }
  // The domain, or its extension for a metric that knows the task; what that gives away is measured once.
  std::shared_ptr<const Model> space_of(const Place& place, const Task& task) {
    if (place.scores == Scores::none) return task.domain;
    TaskMetric made = task_metric(run_, task, corpus_of(task, place.public_texts), place.scores,
                                  std::stod(place.epsilon()));
    for (Points::Row& row : made.given_away) {
      row.keys.insert(row.keys.begin(), {place.series, place.epsilon()});
      if (!given_away_.find(row.keys)) given_away_.add(std::move(row));
    }
    return made.model;
  }
  void measure_mechanism(const Place& place, const Task& task, const Mechanism& mechanism) {
    const Work work{.threads = run_.threads()};
    const TokenLists& texts = task.train.texts;
    const std::size_t words = task.domain->size();
    const Quantity e_opt = best_attacker(mechanism, known_word_counts(texts, words, task.anchor), work);
    const Quantity with_unknown = best_attacker(mechanism, word_counts(texts, words), work);
    const double value = middle(e_opt);
    tell(fmt::format("{} {} {}: E_opt {:.4f}", place.task, place.series, place.epsilon(), value));
    mechanisms_.add({.keys = {place.task, place.series, place.epsilon()},
                     .values = {value, e_opt.interval.low, e_opt.interval.high,
                                with_unknown.value.value_or(std::numeric_limits<double>::quiet_NaN()),
                                forecast(mechanism, {.threads = run_.threads()}).unchanged}});
  }
  [[nodiscard]] std::uint64_t seed_of(const Place& place, std::string_view use) const {
    return run_.seed_of({place.task, place.series, place.epsilon(), use});
  }

  const Run& run_;
  const Settings& settings_;
  Points points_;
  Points mechanisms_;
  Points levels_;
  Points given_away_;
  Points attackers_;
  std::optional<Task> task_;
  std::map<std::size_t, PublicCorpus> corpora_;
};

Run::Settings record_of(const Settings& settings) {
  return {
      {"words", fmt::format("{} for reviews, {} for tweets", settings.review_words, settings.tweet_words)},
      {"half", fmt::format("{} reviews at most", settings.half)}};
}

}  // namespace

void run_learn(const RunRequest& request, const Settings& settings) {
  const Run run(request, "learn", record_of(settings));
  Measuring measuring(run, settings);
  for (const Place& place : settings.places) {
    if (run.request().has_part(place.part)) measuring.measure(place);
  }
  for (const Place& place : settings.attacked) {
    if (run.request().has_part(place.part)) measuring.attack(place);
  }
  report(run, settings, measuring.tables());
}

}  // namespace sotto::lab::learning

namespace sotto::lab {

void run_learn(const RunRequest& request) {
  learning::run_learn(request, learning::settings_of(request.extent));
}

}  // namespace sotto::lab
