// Section 5 of tem-2021 and tem-2023. TR1, TR2 and TE1, TE2 are random halves of the IMDB reviews, drawn anew
// in each trial (the paper does not say whether its trials share them). A classifier is trained on privatised
// TR1 and tested on original TE1; who queries it with original TR1 and TR2 wants to know which is which.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "lab/experiments.h"
#include "lab/statistics.h"
#include "lab/tem/corpus.h"
#include "lab/tem/mechanisms.h"
#include "lab/tem/membership.h"
#include "lab/tem/report.h"
#include "lab/tem/sentiment.h"
#include "lab/tem/settings.h"
#include "lab/tem/stopwatch.h"
#include "sotto/certificate.h"

namespace sotto::lab {

namespace {

// Built by who needs it first, kept while somebody uses it: points of the same mechanism follow each other.
class SharedMechanisms {
 public:
  explicit SharedMechanisms(const Run& run) : run_(run) {}
  std::shared_ptr<const Mechanism> get(const TemPlace& place) {
    const std::scoped_lock lock(guard_);
    std::weak_ptr<const Mechanism>& kept = built_[{place.series->name, place.epsilon}];
    std::shared_ptr<const Mechanism> mechanism = kept.lock();
    if (!mechanism) {
      mechanism = std::make_shared<const Mechanism>(
          build_mechanism(place.series->mechanism, run_.model(), parameters_of(place), {.threads = 1})
              .mechanism);
      kept = mechanism;
    }
    return mechanism;
  }

 private:
  const Run& run_;
  std::mutex guard_;
  std::map<std::pair<std::string, std::string>, std::weak_ptr<const Mechanism>> built_;
};

struct Task {
  TemPlace place;
  std::size_t trial;
};

// Both halves of the data, and what does not depend on the mechanism in each trial.
class Bench {
 public:
  Bench(const Run& run, const TemSettings& settings) : run_(run), settings_(settings), mechanisms_(run) {
    train_ = cached_corpus(ImdbPart(run.data(), "train"), run.model(), run.request().output, run.threads());
    test_ = cached_corpus(ImdbPart(run.data(), "test"), run.model(), run.request().output, run.threads());
    train_bags_ = bags_of(train_);
    test_bags_ = bags_of(test_);
    tell(fmt::format("{} + {} reviews, {} tokens, {:.1f}% of them unknown words", train_.size(), test_.size(),
                     train_.words.size() + test_.words.size(),
                     100 * static_cast<double>(train_.unknown + test_.unknown) /
                         static_cast<double>(train_.words.size() + test_.words.size())));
  }

  // The shadow model and the attack that learns from it; `trials` are those that have points to compute.
  void prepare(const std::vector<std::size_t>& trials) {
    for (const std::size_t trial : trials) trials_.try_emplace(trial);
    parallel_blocks(trials.size(), 1, run_.threads(), [&](std::size_t begin, std::size_t) {
      prepare_trial(trials[begin], trials_.at(trials[begin]));
    });
  }

  Points::Row measure_point(const Task& task) {
    const Trial& trial = trials_.at(task.trial);
    const std::string& series = task.place.series->name;
    const std::string number = fmt::format("{}", task.trial);
    const std::vector<std::uint32_t>& members = trial.train.first;
    const std::shared_ptr<const Mechanism> mechanism = mechanisms_.get(task.place);

    Stopwatch watch;
    Released released = release(train_, members, *mechanism->words,
                                run_.seed_of({"noise", series, task.place.epsilon, number}));
    const double privatising = watch.seconds();
    // A mechanism with a token writes that text in place of every word, so no word stays. Its output ids are
    // all 0, which would count every occurrence of the most frequent word as unchanged.
    const double unchanged = mechanism->token.empty() ? released.unchanged : 0;
    const Classifier target =
        trained(released.bags, all_of(released.bags), run_.seed_of({series, task.place.epsilon, number}));
    const std::vector<float> in = target.scores(train_bags_, members);
    const std::vector<float> out = target.scores(train_bags_, trial.train.second);
    const double training = watch.seconds();

    const Sentiment sentiment = sentiment_of(target, test_bags_, trial.test.first);
    const std::vector<float> judged_in = trial.attack->judge(in);
    const std::vector<float> judged_out = trial.attack->judge(out);
    const std::vector<float> loss_in = loss_scores(in, labels_of(members));
    const std::vector<float> loss_out = loss_scores(out, labels_of(trial.train.second));
    return {.keys = {series, task.place.epsilon, number},
            .values = {sentiment.accuracy, sentiment.accuracy_median, sentiment.auc,
                       area_under_curve({.positive = judged_in, .negative = judged_out}),
                       area_under_curve({.positive = loss_in, .negative = loss_out}), unchanged, privatising,
                       training}};
  }

 private:
  struct Trial {
    Halves train;  // TR1, TR2
    Halves test;   // TE1, TE2
    std::optional<MembershipAttack> attack = {};
  };
  void prepare_trial(std::size_t number, Trial& trial) const {
    const std::string name = fmt::format("{}", number);
    trial.train = random_halves(train_, settings_.half, run_.seed_of({"train halves", name}));
    trial.test = random_halves(test_, settings_.half, run_.seed_of({"test halves", name}));
    const Classifier shadow = trained(test_bags_, trial.test.second, run_.seed_of({"shadow", name}));
    const std::vector<float> in = shadow.scores(test_bags_, trial.test.second);
    const std::vector<float> out = shadow.scores(test_bags_, trial.test.first);
    trial.attack.emplace(
        MemberScores{.in = in, .out = out},
        AttackPlan{
            .epochs = settings_.epochs, .batch = settings_.batch, .seed = run_.seed_of({"attack", name})});
    tell(fmt::format(
        "trial {}: the attack has AUC {:.3f} on its own shadow model", number,
        area_under_curve({.positive = trial.attack->judge(in), .negative = trial.attack->judge(out)})));
  }

  [[nodiscard]] Classifier trained(const Bags& bags, std::span<const std::uint32_t> documents,
                                   std::uint64_t seed) const {
    Classifier classifier(*run_.model(), seed);
    classifier.train(bags, documents, {.epochs = settings_.epochs, .batch = settings_.batch, .seed = seed});
    return classifier;
  }

  [[nodiscard]] std::vector<std::uint8_t> labels_of(std::span<const std::uint32_t> documents) const {
    std::vector<std::uint8_t> labels;
    for (const std::uint32_t document : documents) labels.push_back(train_.labels[document]);
    return labels;
  }

  const Run& run_;
  const TemSettings& settings_;
  SharedMechanisms mechanisms_;
  Corpus train_;
  Corpus test_;
  Bags train_bags_;
  Bags test_bags_;
  std::map<std::size_t, Trial> trials_;
};

void measure_points(const Run& run, const TemSettings& settings, Points& table) {
  std::vector<Task> tasks;
  std::vector<std::size_t> trials;
  for (const TemPlace& place : wanted_places(settings)) {
    for (std::size_t trial = 1; trial <= settings.trials; ++trial) {
      if (table.find(std::vector<std::string>{place.series->name, place.epsilon, fmt::format("{}", trial)})) {
        continue;
      }
      tasks.push_back({.place = place, .trial = trial});
      if (std::ranges::find(trials, trial) == trials.end()) trials.push_back(trial);
    }
  }
  if (tasks.empty()) return;
  Bench bench(run, settings);
  bench.prepare(trials);
  const std::size_t accuracy = table.value("accuracy");
  const std::size_t attack = table.value("attack_auc");
  parallel_blocks(tasks.size(), 1, run.threads(), [&](std::size_t begin, std::size_t) {
    Points::Row row = bench.measure_point(tasks[begin]);
    tell(fmt::format("{} {}, trial {}: accuracy {:.3f}, attack AUC {:.3f} ({} of {} points)", row.keys[0],
                     row.keys[1], row.keys[2], row.values[accuracy], row.values[attack], begin + 1,
                     tasks.size()));
    table.add(std::move(row));
  });
}

Run::Settings record_of(const TemSettings& settings) {
  return {{"half", fmt::format("{} reviews at most", settings.half)},
          {"epochs", fmt::format("{}", settings.epochs)},
          {"batch", fmt::format("{}", settings.batch)},
          {"draws", fmt::format("{}", settings.draws)}};
}

}  // namespace

void run_tem(const RunRequest& request, const TemSettings& settings) {
  const Run run(request, "tem", record_of(settings));
  Points mechanisms = run.points("mechanisms", tem_mechanisms_layout());
  Points points = run.points("points", tem_points_layout());
  measure_mechanisms(run, settings, mechanisms);
  measure_points(run, settings, points);
  report_tem(run, settings, {.points = points, .mechanisms = mechanisms});
}

void run_tem(const RunRequest& request) {
  run_tem(request, tem_settings(request));
}

}  // namespace sotto::lab
