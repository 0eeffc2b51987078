#include "lab/learn/learners.h"

#include <algorithm>
#include <cmath>

#include "lab/points.h"
#include "lab/statistics.h"

namespace sotto::lab::learning {

namespace {

struct Measured {
  double accuracy = kNone;  // of predict(): the class with the largest score, by the sign for two
  double median = kNone;
  double auc = kNone;
};
// The median and the AUC are of two classes only.
Measured measured(const DenseMatrix& scores, std::span<const std::uint32_t> labels) {
  if (scores.columns > 1) return {.accuracy = accuracy(best_classes(scores), labels)};
  std::vector<float> positive;
  std::vector<float> negative;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    (labels[i] != 0 ? positive : negative).push_back(static_cast<float>(scores.values[i]));
  }
  const ScoredClasses classes{.positive = positive, .negative = negative};
  return {.accuracy = accuracy_at_zero(classes),
          .median = accuracy_at_median(classes),
          .auc = area_under_curve(classes)};
}

Score score_of(std::string_view learner, const Measured& clear, double on_private = kNone,
               const LearnSettings* settings = nullptr) {
  return {.learner = learner,
          .values = {clear.accuracy, clear.median, clear.auc, on_private,
                     settings != nullptr ? static_cast<double>(settings->features) : kNone,
                     settings != nullptr ? settings->penalty : kNone}};
}

// Each column divided by its standard deviation after its mean is taken away.
void standardise(DenseMatrix& scores) {
  subtract_from_rows(scores, column_means(scores));
  double squares = 0;
  for (const double value : scores.values) squares += value * value;
  if (!(squares > 0)) return;
  const double scale = std::sqrt(static_cast<double>(scores.values.size()) / squares);
  for (double& value : scores.values) value *= scale;
}

std::size_t most_features() {
  std::size_t most = 0;
  for (const LearnSettings& one : usual_settings()) most = std::max(most, one.features);
  return most;
}

Prior prior_of(const std::vector<double>& shares) {
  Prior prior{.weights = shares, .support = {}, .description = {}};
  for (std::size_t w = 0; w < shares.size(); ++w) prior.support.push_back(word_id(w));
  return prior;
}

// For learners that see clear text only: the same features on both sides.
TextSpace clear_space(const DenseMatrix& features, std::size_t columns) {
  TextSpace space{.clean = first_columns(features, columns), .released = {}, .shares = {}};
  space.released = space.clean;
  return space;
}

Score clear_direct(const Task& task, unsigned threads) {
  const DirectModel direct = fit_direct(task.train.texts, task.domain->size(), task.train_labels(), threads);
  return score_of(kClearDirect, measured(scores_of(direct, task.test.texts, threads), task.test.labels));
}

// Clear texts to learn from.
struct ClearTexts {
  const TokenLists& texts;
  TextLabels labels;
};
ClearTexts own_texts(const Task& task) {
  return {.texts = task.train.texts, .labels = task.train_labels()};
}
Measured learnt_in_clear(const Task& task, const DenseMatrix& features, const ClearTexts& from,
                         const LearnSettings& settings, unsigned threads) {
  const TextModel model = fit_text_model(clear_space(features, settings.features), from.texts,
                                         TextKind::clean, from.labels, settings.penalty, threads);
  return measured(scores_of(model, task.test.texts, TextKind::clean, threads), task.test.labels);
}

}  // namespace

PublicCorpus::PublicCorpus(const Task& task, std::size_t most, unsigned threads)
    : task_(task), threads_(threads), texts_(first_texts(task.public_texts, most)) {
  const std::size_t words = task.domain->size();
  shares_ = smoothed_shares(texts_, words);
  features_ = word_features(mean_counts(texts_, words), shares_, task.anchor, {.features = most_features()},
                            {.threads = threads});
  if (task.sentences.labels.empty()) return;
  sentences_ = fit_direct(task.sentences.texts, words, {.of = task.sentences.labels, .classes = 2}, threads);
  pseudo_labels_ = best_classes(sentence_scores(texts_));
}

// The classifier of the sentences and the lexicon with equal weight. Both are centred over the texts that are
// scored, so about half of them are positive.
DenseMatrix PublicCorpus::sentence_scores(const TokenLists& texts) const {
  DenseMatrix learnt = scores_of(*sentences_, texts, threads_);
  const DenseMatrix polarity{.rows = task_.polarity.size(), .columns = 1, .values = task_.polarity};
  DenseMatrix counted = product(mean_counts(texts, task_.polarity.size()), polarity, threads_);
  standardise(learnt);
  standardise(counted);
  for (std::size_t i = 0; i < learnt.values.size(); ++i) learnt.values[i] += counted.values[i];
  return learnt;
}

std::vector<Score> baselines(const Task& task, unsigned threads) {
  const DenseMatrix features =
      vector_features(*task.domain, smoothed_shares(task.train.texts, task.domain->size()));
  LearnSettings settings;
  settings.features = features.columns;
  return {clear_direct(task, threads),
          score_of(kClearFeatures, learnt_in_clear(task, features, own_texts(task), settings, threads), kNone,
                   &settings)};
}

std::vector<Score> PublicCorpus::baselines() const {
  const LearnSettings usual;
  const auto tried = [&](const ClearTexts& texts, const LearnSettings& settings) {
    return learnt_in_clear(task_, features_, texts, settings, threads_);
  };
  std::vector<Score> out = {clear_direct(task_, threads_)};
  out.push_back(score_of(kClearFeatures, tried(own_texts(task_), usual), kNone, &usual));
  if (pseudo_labels_.empty()) return out;
  out.push_back(score_of(kSentences, measured(sentence_scores(task_.test.texts), task_.test.labels)));
  const TextLabels pseudo{.of = pseudo_labels_, .classes = 2};
  Score best;
  for (const LearnSettings& settings : usual_settings()) {
    Score found =
        score_of(kPublicFeatures, tried({.texts = texts_, .labels = pseudo}, settings), kNone, &settings);
    if (settings.features == usual.features && settings.penalty == usual.penalty) out.push_back(found);
    found.learner = kPublicBest;
    if (best.values.empty() || found.values[0] > best.values[0]) best = std::move(found);
  }
  out.push_back(std::move(best));
  return out;
}

Bench::Bench(const Task& task, const Mechanism& mechanism, const PublicCorpus* corpus, std::uint64_t seed,
             unsigned threads)
    : task_(task), mechanism_(mechanism), corpus_(corpus), threads_(threads) {
  if (corpus == nullptr) return;
  const Work work{.threads = threads};
  public_texts_ = privatised_public(corpus->texts(), mechanism, RandomSource::seeded_not_private(seed), work);
  LiftedWords words{.clean = corpus->features(), .lifted = {}, .shares = corpus->shares()};
  words.lifted =
      lift_features(mechanism, prior_of(words.shares), words.clean, {.seed_not_private = seed + 1}, work);
  for (const LearnSettings& one : usual_settings()) {
    if (!spaces_.contains(one.features)) {
      spaces_.emplace(one.features, calibrated(words, public_texts_, one.features, threads));
    }
  }
  if (corpus->pseudo_labels().empty()) return;
  const LearnSettings usual;
  public_only_ = fit_text_model(spaces_.at(usual.features), corpus->texts(), TextKind::clean,
                                {.of = corpus->pseudo_labels(), .classes = 2}, usual.penalty, threads);
}

struct Bench::Release {
  TokenLists train;
  TokenLists test;
};

std::vector<Score> Bench::draw(std::uint64_t seed) const {
  const Work work{.threads = threads_};
  const Release release{
      .train = privatised(task_.train.texts, mechanism_, RandomSource::seeded_not_private(seed), work),
      .test = privatised(task_.test.texts, mechanism_, RandomSource::seeded_not_private(seed + 1), work)};
  std::vector<Score> out;
  const DirectModel direct = fit_direct(release.train, task_.domain->size(), task_.train_labels(), threads_);
  out.push_back(score_of(kDirect, measured(scores_of(direct, task_.test.texts, threads_), task_.test.labels),
                         measured(scores_of(direct, release.test, threads_), task_.test.labels).accuracy));
  add_lifted(release, out);
  return out;
}

// As PrivateTextClassifier does it: with the default settings first, whose labels of the public texts then
// choose the settings.
void Bench::add_lifted(const Release& release, std::vector<Score>& scores) const {
  const TextLabels labels = task_.train_labels();
  const auto add = [&](std::string_view learner, const TextModel& model, const LearnSettings* settings) {
    const auto right = [&](const TokenLists& texts, TextKind kind) {
      return measured(scores_of(model, texts, kind, threads_), task_.test.labels);
    };
    scores.push_back(score_of(learner, right(task_.test.texts, TextKind::clean),
                              right(release.test, TextKind::released).accuracy, settings));
  };
  LearnSettings settings;
  if (corpus_ == nullptr) {
    const TextSpace space = release_space(mechanism_, release.train, {}, {.threads = threads_});
    settings.features = space.features();
    add(kDefaults,
        fit_text_model(space, release.train, TextKind::released, labels, settings.penalty, threads_),
        &settings);
    return;
  }
  const auto fitted = [&](const LearnSettings& with) {
    return fit_text_model(spaces_.at(with.features), release.train, TextKind::released, labels, with.penalty,
                          threads_);
  };
  TextModel model = fitted(settings);
  add(kDefaults, model, &settings);
  const std::vector<std::uint32_t> guessed =
      drawn_labels(scores_of(model, public_texts_.clean, TextKind::clean, threads_));
  const std::vector<LearnSettings> tried = usual_settings();
  const Rehearsal found = rehearse(spaces_, public_texts_,
                                   {.labels = {.of = guessed, .classes = task_.classes},
                                    .settings = tried,
                                    .most_trained = release.train.size()},
                                   threads_);
  settings = found.rows[found.best].settings;
  model = fitted(settings);
  add(kRehearsed, model, &settings);
  if (public_only_) {
    add(kFused, fused(model, *public_only_, public_texts_.clean, kFusionShare, threads_), &settings);
  }
}

}  // namespace sotto::lab::learning
