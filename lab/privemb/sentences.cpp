#include "lab/privemb/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lab/privemb/protocol.h"

namespace sotto::lab {

namespace {

// Means of rows of `vectors`, which rows for which sentence being told by `next`.
template <typename Next>
std::vector<double> means(const SentenceWords& words, std::span<const double> vectors, std::size_t dim,
                          const Next& next) {
  std::vector<double> out(words.sentences.size() * dim);
  for (std::size_t i = 0; i < words.sentences.size(); ++i) {
    double* sum = &out[i * dim];
    for (const WordId word : words.sentences[i]) {
      const double* vector = &vectors[next(word) * dim];
      for (std::size_t j = 0; j < dim; ++j) sum[j] += vector[j];
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, words.sentences[i].size()));
    for (std::size_t j = 0; j < dim; ++j) sum[j] /= count;
  }
  return out;
}

std::vector<double> released_rows(const Releaser& releaser, std::span<const double> rows, std::size_t dim,
                                  Rng& rng) {
  std::vector<double> out(rows.size() / dim * releaser.output_dim());
  releaser.release(rows, out, rng);
  return out;
}

std::vector<double> by_table(const SentenceWords& words, const Model& model, const Releaser& releaser,
                             Rng& rng) {
  std::map<WordId, std::size_t> places;
  for (const auto& sentence : words.sentences) {
    for (const WordId word : sentence) places[word] = 0;
  }
  std::vector<WordId> distinct;
  for (auto& [word, place] : places) {
    place = distinct.size();
    distinct.push_back(word);
  }
  const std::vector<double> table = released_rows(releaser, word_rows(model, distinct), model.dim(), rng);
  return means(words, table, releaser.output_dim(), [&](WordId word) { return places.at(word); });
}

std::vector<double> by_token(const SentenceWords& words, const Model& model, const Releaser& releaser,
                             Rng& rng) {
  std::vector<WordId> all;
  for (const auto& sentence : words.sentences) all.insert(all.end(), sentence.begin(), sentence.end());
  const std::vector<double> rows = released_rows(releaser, word_rows(model, all), model.dim(), rng);
  std::size_t place = 0;
  return means(words, rows, releaser.output_dim(), [&](WordId /*word*/) { return place++; });
}

// The mean scaled by the number of words, released, and scaled back: the sum.
std::vector<double> by_sentence(const SentenceWords& words, const Model& model, const Releaser& releaser,
                                SentenceRelease release, Rng& rng) {
  std::vector<double> given = means(
      words,
      [&] {
        std::vector<WordId> all(model.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = word_id(i);
        return word_rows(model, all);
      }(),
      model.dim(), [](WordId word) { return index_of(word); });
  const auto factor = [&](std::size_t sentence) {
    return release == SentenceRelease::mean
               ? 1.0
               : static_cast<double>(std::max<std::size_t>(1, words.sentences[sentence].size()));
  };
  const std::size_t dim = model.dim();
  for (std::size_t i = 0; i < given.size(); ++i) given[i] *= factor(i / dim);
  std::vector<double> out = released_rows(releaser, given, dim, rng);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] /= factor(i / releaser.output_dim());
  return out;
}

struct LoadedTask {
  std::string name;
  Protocol protocol;
  SentenceWords words;
};

VectorInput::Domain domain_of(SentenceRelease release) {
  return release == SentenceRelease::table || release == SentenceRelease::token ? VectorInput::Domain::words
                                                                                : VectorInput::Domain::free;
}

}  // namespace

std::string release_name(SentenceRelease release) {
  switch (release) {
    case SentenceRelease::table:
      return "table";
    case SentenceRelease::token:
      return "token";
    case SentenceRelease::sum:
      return "sum";
    case SentenceRelease::mean:
      break;
  }
  return "mean";
}

std::vector<double> sentence_features(const SentenceWords& words, const Model& model,
                                      const Releaser& releaser, SentenceRelease release, Rng& rng) {
  if (release == SentenceRelease::table) return by_table(words, model, releaser, rng);
  if (release == SentenceRelease::token) return by_token(words, model, releaser, rng);
  return by_sentence(words, model, releaser, release, rng);
}

std::vector<SentencePoint> table_points(const PrivembLab& lab) {
  std::vector<VectorSeries> series = {laplace_series(), printed_series(lab.plan.table_beta)};
  if (const auto pca = pca_series(*lab.store.model(), lab.plan.table_beta)) series.push_back(*pca);
  series.insert(series.end(), {no_noise_series(), pure_noise_series(), same_vector_series()});
  std::vector<SentencePoint> points;
  points.reserve(series.size());
  for (const VectorSeries& one : series) {
    points.push_back({SentenceRelease::table, one, lab.plan.table_epsilon});
  }
  return points;
}

std::vector<SentencePoint> further_points(const PrivembLab& lab, const PrivacyPoints& privacy) {
  const std::string& beta = lab.plan.table_beta;
  std::vector<SentencePoint> points;
  std::vector<VectorSeries> others = {vocabulary_series(beta)};
  if (const auto more = orthonormal_series(*lab.store.model(), beta)) others.push_back(*more);
  for (const VectorSeries& one : others) {
    points.push_back({SentenceRelease::table, one, lab.plan.table_epsilon});
  }
  for (const WordTaskPoint& equal :
       equal_points(compared_series(*lab.store.model(), lab.plan), privacy, lab.plan.error_targets.front())) {
    points.push_back({SentenceRelease::table, equal.series, equal.epsilon});
  }
  const auto add = [&](SentenceRelease release, const std::vector<VectorSeries>& series) {
    for (const VectorSeries& one : series) points.push_back({release, one, lab.plan.table_epsilon});
  };
  std::vector<VectorSeries> few = {laplace_series()};
  if (const auto pca = pca_series(*lab.store.model(), beta)) few.push_back(*pca);
  std::vector<VectorSeries> sums = few;
  sums.push_back(spectral_series(beta));
  add(SentenceRelease::sum, sums);
  std::vector<VectorSeries> tokens = few;
  tokens.insert(tokens.end(), {printed_series(beta), pure_noise_series()});
  add(SentenceRelease::token, tokens);
  add(SentenceRelease::mean, few);
  return points;
}

Points sentence_task_points(const Run& run) {
  return run.points("sentences", {.keys = {"release", "series", "epsilon", "task", "trial"},
                                  .values = {"dimension", "train", "dev", "test"}});
}

void measure_sentences(const PrivembLab& lab, const std::vector<SentencePoint>& wanted, Points& points) {
  const Model& model = *lab.store.model();
  std::vector<LoadedTask> tasks;
  for (const std::string& name : lab.plan.tasks) {
    const SentenceTask task = load_sentence_task(lab.run.data(), name);
    tasks.push_back({name, task.protocol, words_of(task, lab.store.model())});
    tell(fmt::format("{}: {} sentences, {:.1f}% of the tokens unknown", name,
                     tasks.back().words.sentences.size(),
                     100.0 * static_cast<double>(tasks.back().words.unknown) /
                         static_cast<double>(tasks.back().words.tokens)));
  }
  // Trial after trial, so that a run that is stopped has some of everything.
  const std::size_t per_trial = wanted.size() * tasks.size();
  run_jobs(lab.run, "sentences", per_trial * lab.plan.trials, [&](std::size_t i) {
    const SentencePoint& point = wanted[i % per_trial / tasks.size()];
    const LoadedTask& task = tasks[i % tasks.size()];
    const std::vector<std::string> keys = {release_name(point.release), point.series.name, point.epsilon,
                                           task.name, std::to_string(i / per_trial)};
    if (points.find(keys)) return;
    if (i >= per_trial && is_flat(point.series)) return;  // a second trial differs in its folds alone
    const Releaser releaser = lab.store.get(
        point.series, {.epsilon = point.epsilon,
                       .projection_seed = lab.run.seed_of({"sentences projection", keys[1], keys[4]}),
                       .domain = domain_of(point.release)});
    const std::uint64_t seed = lab.run.seed_of({"sentences", keys[0], keys[1], keys[2], keys[3], keys[4]});
    Rng rng = Rng::seeded_not_private(seed);
    const FeatureRows features(sentence_features(task.words, model, releaser, point.release, rng),
                               releaser.output_dim());
    // The folds of a trial are the same for all mechanisms.
    const ProtocolResult result = run_protocol(features, task.words,
                                               {.protocol = task.protocol,
                                                .folds = lab.plan.folds,
                                                .seed = lab.run.seed_of({"folds", task.name, keys[4]})});
    points.add({keys, {static_cast<double>(releaser.output_dim()), result.train, result.dev, result.test}});
  });
}

}  // namespace sotto::lab
