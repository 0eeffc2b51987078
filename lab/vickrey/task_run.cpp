// The downstream tasks: a bidirectional LSTM on clear and on redacted texts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/statistics.h"
#include "lab/vickrey/lstm.h"
#include "lab/vickrey/noisy_outputs.h"
#include "lab/vickrey/task.h"
#include "neighbours/nearest.h"
#include "sotto/parameters.h"
#include "sotto/quantity.h"

namespace sotto::lab::vickrey {

namespace {

constexpr std::size_t kDistanceWords = 500;

// 1 where the model is wrong.
std::vector<double> errors_of(const TextLstm& model, const Texts& texts) {
  const std::vector<float> scores = model.scores(texts);
  std::vector<double> out(scores.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (scores[i] > 0) == (texts.labels[i] == 1) ? 0 : 1;
  return out;
}

// The median distance of some words of the domain to their nearest other word.
double median_nearest(const Model& model) {
  const std::size_t count = std::min(kDistanceWords, model.size());
  std::vector<double> distances;
  std::vector<double> vector(model.stride(), 0.0);
  std::vector<Neighbour> nearest(2);
  for (std::size_t i = 0; i < count; ++i) {
    const auto own = model.vector(word_id(i * model.size() / count));
    std::ranges::copy(own, vector.begin());
    scan_nearest(model, vector, nearest.size(), nearest);
    distances.push_back(std::sqrt(nearest[1].squared));
  }
  std::ranges::sort(distances);
  return distances[distances.size() / 2];
}

// One task with one embedding. The model for clear text is trained when the first missing row needs it.
class TaskRun {
 public:
  TaskRun(const Run& run, const Settings& settings, const TaskSettings& task, const std::string& vectors,
          Points& tasks)
      : run_(run), settings_(settings), task_(task), vectors_(vectors), tasks_(tasks) {}

  void load() {
    embedding_ = load_vectors(run_, vectors_);
    data_ = load_task(run_, task_, vectors_, embedding_);
    test_tokens_ = redactable(data_.test, data_.domain);
    train_tokens_ = redactable(data_.train, data_.domain);
  }
  [[nodiscard]] const Task& data() const { return data_; }

  void add_coverage(Points& coverage) const {
    const std::vector<std::string> keys = {task_.name, vectors_};
    if (coverage.find(keys)) return;
    double tokens = 0;
    double known = 0;
    for (const Texts* texts : {&data_.train, &data_.test}) {
      tokens += static_cast<double>(texts->words.size());
      known += static_cast<double>(
          std::ranges::count_if(texts->words, [](std::int32_t word) { return word != Texts::kUnknown; }));
    }
    coverage.add(
        {.keys = keys,
         .values = {static_cast<double>(data_.domain.model->size()),
                    static_cast<double>(data_.prior.support.size()), static_cast<double>(data_.train.size()),
                    static_cast<double>(data_.test.size()), tokens, known,
                    static_cast<double>(test_tokens_.words.size() + train_tokens_.words.size()),
                    median_nearest(*data_.domain.model)}});
  }

  [[nodiscard]] std::vector<std::string> keys(const char* trained_on, const std::string& series,
                                              const std::string& epsilon) const {
    return {task_.name, vectors_, trained_on, series, epsilon};
  }
  [[nodiscard]] bool is_finished(const char* trained_on, const Group& group, double epsilon) const {
    return std::ranges::all_of(group.series, [&](const Series& series) {
      return tasks_.find(keys(trained_on, series.name, number_text(epsilon))).has_value();
    });
  }

  void test_clean() {
    if (tasks_.find(keys(kClean, kNoRedaction, "none"))) return;
    (void)clean_model();
    add(keys(kClean, kNoRedaction, "none"), clean_errors_, 0);
  }

  // Tests the model for clear text on redacted texts.
  void test_redacted(const Group& group, double epsilon) {
    if (is_finished(kClean, group, epsilon)) return;
    const auto drawn = outputs(group, epsilon, "test", test_tokens_);
    for (std::size_t s = 0; s < group.series.size(); ++s) {
      const Texts texts = redacted(data_.test, data_.domain, test_tokens_, drawn[s]);
      add(keys(kClean, group.series[s].name, number_text(epsilon)), errors_of(clean_model(), texts),
          changed(drawn[s]));
    }
  }

  // Trains on redacted texts, with the seed of the model for clear text, and tests on redacted texts.
  void retrain(const Group& group, double epsilon) {
    if (is_finished(kRedacted, group, epsilon)) return;
    (void)clean_model();
    const auto test = outputs(group, epsilon, "test", test_tokens_);
    const auto train = outputs(group, epsilon, "train", train_tokens_);
    for (std::size_t s = 0; s < group.series.size(); ++s) {
      TextLstm model(embedding_, plan());
      model.train(redacted(data_.train, data_.domain, train_tokens_, train[s]));
      const Texts texts = redacted(data_.test, data_.domain, test_tokens_, test[s]);
      add(keys(kRedacted, group.series[s].name, number_text(epsilon)), errors_of(model, texts),
          changed(test[s]));
    }
  }

 private:
  [[nodiscard]] LstmPlan plan() const {
    return {.hidden = settings_.hidden,
            .epochs = task_.epochs,
            .seed = run_.seed_of({"lstm", task_.name, vectors_})};
  }
  const TextLstm& clean_model() {
    if (!clean_) {
      clean_.emplace(embedding_, plan());
      clean_->train(data_.train);
      clean_errors_ = errors_of(*clean_, data_.test);
    }
    return *clean_;
  }
  [[nodiscard]] std::vector<std::vector<WordId>> outputs(const Group& group, double epsilon,
                                                         std::string_view part,
                                                         const Redactable& tokens) const {
    const std::uint64_t seed =
        run_.seed_of({"redact", part, task_.name, vectors_, group.noise.name(), number_text(epsilon)});
    return NoisyOutputs(data_.domain.model, group, epsilon)
        .draw(tokens.words, RandomSource::seeded_not_private(seed), run_.threads());
  }
  [[nodiscard]] double changed(std::span<const WordId> outputs) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) count += outputs[i] == test_tokens_.words[i] ? 0 : 1;
    return static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(1, outputs.size()));
  }
  void add(const std::vector<std::string>& keys, const std::vector<double>& errors, double changed) {
    if (tasks_.find(keys)) return;
    std::vector<double> added(errors.size());
    for (std::size_t i = 0; i < added.size(); ++i) added[i] = errors[i] - clean_errors_[i];
    const Quantity loss = sampled_quantity("loss", {.values = errors, .range = 1}, "");
    const TrialMean difference = trial_mean(added);  // of pairs: the same texts
    tasks_.add(
        {.keys = keys,
         .values = {*loss.value, loss.interval.low, loss.interval.high, difference.mean,
                    difference.interval.low, difference.interval.high, static_cast<double>(errors.size()),
                    static_cast<double>(test_tokens_.words.size()), changed}});
    tell(fmt::format("{}, {}, trained on {}, {} at epsilon {}: L {:.3f}", keys[0], keys[1], keys[2], keys[3],
                     keys[4], *loss.value));
  }

  const Run& run_;
  const Settings& settings_;
  const TaskSettings& task_;
  const std::string& vectors_;
  Points& tasks_;
  std::shared_ptr<const Model> embedding_ = {};
  Task data_ = {};
  Redactable test_tokens_ = {};
  Redactable train_tokens_ = {};
  std::optional<TextLstm> clean_ = {};
  std::vector<double> clean_errors_ = {};
};

}  // namespace

void run_task(const Run& run, const Settings& settings, const TaskSettings& task, const std::string& vectors,
              const TaskTables& tables) {
  const std::vector<Group> curves = groups(Curves::figure2);
  TaskRun own(run, settings, task, vectors, tables.tasks);
  own.load();
  own.add_coverage(tables.coverage);
  own.test_clean();
  for (const double epsilon : settings.task_epsilons) {
    for (const Group& group : curves) own.test_redacted(group, epsilon);
  }
  measure_privacy(
      run,
      {.data = task.name, .vectors = vectors, .model = own.data().domain.model, .prior = own.data().prior},
      {.groups = curves, .epsilons = settings.task_epsilons, .draws = settings.task_draws}, tables.privacy);
}

void retrain_task(const Run& run, const Settings& settings, const TaskSettings& task, Points& tasks) {
  TaskRun own(run, settings, task, settings.vectors.front(), tasks);
  const Group group = groups(Curves::figure2).front();
  const auto is_there = [&](double epsilon) { return own.is_finished(kRedacted, group, epsilon); };
  if (std::ranges::all_of(task.retrained, is_there)) return;
  own.load();
  for (const double epsilon : task.retrained) own.retrain(group, epsilon);
}

}  // namespace sotto::lab::vickrey
