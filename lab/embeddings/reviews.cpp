#include "lab/embeddings/reviews.h"

#include <fmt/format.h>

#include <utility>

#include "lab/embeddings/levels.h"

namespace sotto::lab::embeddings {

ReviewTask::ReviewTask(const Run& run, const Settings& settings, std::shared_ptr<const Model> model)
    : run_(run), settings_(settings), model_(std::move(model)) {
  train_ = cached_corpus(ImdbPart(run.data(), "train"), model_, run.request().output, run.threads());
  test_ = cached_corpus(ImdbPart(run.data(), "test"), model_, run.request().output, run.threads());
  train_bags_ = bags_of(train_);
  test_bags_ = bags_of(test_);
  tell(fmt::format("reviews: {:.1f}% of the words are unknown",
                   100 * static_cast<double>(train_.unknown) / static_cast<double>(train_.words.size())));
}

ReviewTask::Split ReviewTask::split(std::size_t trial) const {
  const std::string name = fmt::format("{}", trial);
  return {.train = random_halves(train_, settings_.half, run_.seed_of({"train halves", name})),
          .test = random_halves(test_, settings_.half, run_.seed_of({"test halves", name}))};
}

Classifier ReviewTask::trained(const Bags& bags, std::span<const std::uint32_t> documents,
                               std::uint64_t seed) const {
  Classifier classifier(*model_, seed);
  classifier.train(bags, documents, {.epochs = settings_.epochs, .batch = settings_.batch, .seed = seed});
  return classifier;
}

Sentiment ReviewTask::learnt_from(const Bags& bags, const Split& split, std::uint64_t seed) const {
  return sentiment_of(trained(bags, all_of(bags), seed), test_bags_, split.test.first);
}

namespace {

Points::Row accuracy_row(std::vector<std::string> keys, const Sentiment& sentiment, double unchanged) {
  tell(fmt::format("{}: accuracy {:.3f}", fmt::join(keys, " "), sentiment.accuracy_median));
  return {.keys = std::move(keys),
          .values = {sentiment.accuracy, sentiment.accuracy_median, sentiment.auc, unchanged}};
}

// Clear text, once for each trial.
void measure_clear(const Run& run, const Settings& settings, const std::string& group, const ReviewTask& task,
                   Points& accuracy) {
  for (std::size_t trial = 1; trial <= settings.trials; ++trial) {
    const std::string number = fmt::format("{}", trial);
    std::vector<std::string> keys = {group, "none", "none", "clear", "0", number};
    if (accuracy.find(keys)) continue;
    const ReviewTask::Split split = task.split(trial);
    Bags clear;
    for (const std::uint32_t document : split.train.first) {
      clear.add(task.train().document(document), task.train().labels[document]);
    }
    accuracy.add(
        accuracy_row(std::move(keys), task.learnt_from(clear, split, run.seed_of({"clear", number})), 1));
  }
}

}  // namespace

void measure_reviews(const Run& run, const Settings& settings, std::span<const NamedSpace> spaces,
                     Points& levels, Points& accuracy) {
  // All spaces have the words of the first one.
  const ReviewTask task(run, settings, spaces.front().model);
  measure_clear(run, settings, spaces.front().group, task, accuracy);
  for (const NamedSpace& space : spaces) {
    for (const std::string_view by : {kByError, kByLoss}) {
      TemLevels search(space, by, run.threads());
      for (const double level : by == kByError ? settings.errors : settings.losses) {
        std::vector<std::string> keys = space.keys();
        keys.insert(keys.end(), {std::string(by), number_text(level)});
        if (!levels.find(keys)) {
          const auto found = search.find(level);
          const LevelPoint own = found.value_or(LevelPoint{});
          levels.add({.keys = keys,
                      .values = {found ? 1.0 : 0.0, own.epsilon, own.certified_epsilon, own.certified_loss,
                                 own.e_opt}});
        }
        const std::vector<double> values = levels.find(keys)->values;
        if (values[levels.value("reached")] == 0) continue;
        std::optional<Mechanism> mechanism;
        for (std::size_t trial = 1; trial <= settings.trials; ++trial) {
          std::vector<std::string> own = keys;
          own.push_back(fmt::format("{}", trial));
          if (accuracy.find(own)) continue;
          if (!mechanism) mechanism = search.mechanism_at({.epsilon = values[levels.value("epsilon")]});
          const ReviewTask::Split split = task.split(trial);
          const std::uint64_t seed = run.seed_of({own[1], own[2], own[3], own[4], own[5]});
          const Released released = release(task.train(), split.train.first, *mechanism->words, seed);
          accuracy.add(
              accuracy_row(std::move(own), task.learnt_from(released.bags, split, seed), released.unchanged));
        }
      }
    }
  }
}

}  // namespace sotto::lab::embeddings
