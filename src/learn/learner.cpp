#include "learn/learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "learn/release_prior.h"
#include "learn/shrinkage.h"
#include "measure/law_rows.h"

namespace sotto {
namespace {

Prior prior_of_shares(std::vector<double> shares) {
  Prior prior{.weights = std::move(shares), .support = {}, .description = {}};
  for (std::size_t w = 0; w < prior.weights.size(); ++w) {
    if (prior.weights[w] > 0) prior.support.push_back(word_id(w));
  }
  return prior;
}

// Every row has length 1, but for empty ones.
void normalise_rows(Documents& documents) {
  for (std::size_t row = 0; row < documents.size(); ++row) {
    double squares = 0;
    for (std::size_t i = documents.begin_of(row); i < documents.ends[row]; ++i) {
      squares += documents.values[i] * documents.values[i];
    }
    if (!(squares > 0)) continue;
    const double scale = 1 / std::sqrt(squares);
    for (std::size_t i = documents.begin_of(row); i < documents.ends[row]; ++i) documents.values[i] *= scale;
  }
}

Documents weighted_rows(const TokenLists& texts, std::span<const double> weights) {
  Documents out = mean_counts(texts, weights.size());
  for (std::size_t i = 0; i < out.words.size(); ++i) out.values[i] *= weights[out.words[i]];
  normalise_rows(out);
  return out;
}

void add_intercepts(DenseMatrix& scores, std::span<const double> intercepts) {
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const auto row = scores.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] += intercepts[k];
  }
}

// The means of the columns, and one deviation from them for all columns: a scale for each class of its own
// would change which class is the largest. 1 where all scores are equal.
struct Spread {
  std::vector<double> means;
  double deviation = 1;
};
Spread spread_of(DenseMatrix scores) {
  Spread out{.means = column_means(scores)};
  subtract_from_rows(scores, out.means);
  double squares = 0;
  for (const double value : scores.values) squares += value * value;
  if (squares > 0) out.deviation = std::sqrt(squares / static_cast<double>(scores.values.size()));
  return out;
}

}  // namespace

PublicTexts privatised_public(TokenLists clean, const Mechanism& mechanism, const RandomSource& random,
                              const Work& work) {
  TokenLists released = privatised(clean, mechanism, random, work);
  return {.clean = std::move(clean), .released = std::move(released)};
}

LiftedWords lifted_words(const Mechanism& mechanism, const TokenLists& public_texts, WordId anchor,
                         const LearnSettings& settings, const LiftQuestion& lift, const Work& work) {
  const std::size_t words = mechanism.space->size();
  LiftedWords out{.clean = {}, .lifted = {}, .shares = smoothed_shares(public_texts, words)};
  out.clean = word_features(mean_counts(public_texts, words), out.shares, anchor,
                            {.features = settings.features, .smoothing = settings.smoothing},
                            work.at("finding features"));
  out.lifted = lift_features(mechanism, prior_of_shares(out.shares), out.clean, lift, work.at("lifting"));
  return out;
}

TextSpace calibrated(const LiftedWords& words, const PublicTexts& texts, std::size_t features,
                     unsigned threads) {
  TextSpace out{.clean = first_columns(words.clean, features),
                .released = first_columns(words.lifted.features, features),
                .shares = words.shares,
                .public_texts = texts.clean.size(),
                .is_exact = words.lifted.draws == 0,
                .lift_error = words.lifted.error};
  const std::size_t count = words.clean.rows;
  const ShrinkageMap map =
      shrinkage_map(product(mean_counts(texts.released, count), out.released, threads),
                    product(mean_counts(texts.clean, count), out.clean, threads), threads);
  out.released = mapped(out.released, map, threads);
  return out;
}

TextSpace public_space(const Mechanism& mechanism, const PublicTexts& texts, WordId anchor,
                       const LearnSettings& settings, const LiftQuestion& lift, const Work& work) {
  const LiftedWords words = lifted_words(mechanism, texts.clean, anchor, settings, lift, work);
  return calibrated(words, texts, settings.features, work.at("calibrating features").threads);
}

TextSpace release_space(const Mechanism& mechanism, const TokenLists& released, const LiftQuestion& lift,
                        const Work& work) {
  const std::size_t words = mechanism.space->size();
  const bool has_law = words <= kQuickReleaseWords && has_closed_law(mechanism);
  const Prior prior =
      has_law ? release_prior(mechanism, smoothed_shares(released, words), work.at("estimating the prior"))
              : frequency_rank_prior(mechanism.space->model());
  TextSpace space{.clean = vector_features(mechanism.space->model(), prior.weights),
                  .released = {},
                  .shares = prior.weights};
  Lifted lifted = lift_features(mechanism, prior, space.clean, lift, work.at("lifting"));
  space.released = std::move(lifted.features);
  space.is_exact = lifted.draws == 0;
  space.lift_error = lifted.error;
  return space;
}

DenseMatrix document_features(const TextSpace& space, const TokenLists& texts, TextKind kind,
                              unsigned threads) {
  const DenseMatrix& features = kind == TextKind::clean ? space.clean : space.released;
  return product(mean_counts(texts, features.rows), features, threads);
}

TextModel fit_text_model(const TextSpace& space, const TokenLists& texts, TextKind kind,
                         const TextLabels& labels, double penalty, unsigned threads) {
  DenseMatrix rows = document_features(space, texts, kind, threads);
  const std::vector<double> mean = column_means(rows);
  subtract_from_rows(rows, mean);
  double squares = 0;
  for (const double value : rows.values) squares += value * value;
  const double scale = squares > 0 ? std::sqrt(static_cast<double>(rows.rows) / squares) : 1;
  for (double& value : rows.values) value *= scale;
  LinearModel linear =
      fit_logistic(rows, {.labels = labels.of, .classes = labels.classes, .penalty = penalty}, threads);
  for (double& value : linear.weights.values) value *= scale;
  TextModel out{.clean = product(space.clean, linear.weights, threads),
                .released = product(space.released, linear.weights, threads),
                .intercepts = linear.intercepts};
  for (std::size_t j = 0; j < mean.size(); ++j) {
    for (std::size_t k = 0; k < out.intercepts.size(); ++k) {
      out.intercepts[k] -= mean[j] * linear.weights.row(j)[k];
    }
  }
  return out;
}

TextModel fused(const TextModel& own, const TextModel& known, const TokenLists& public_texts, double share,
                unsigned threads) {
  const Spread of_own = spread_of(scores_of(own, public_texts, TextKind::clean, threads));
  const Spread of_known = spread_of(scores_of(known, public_texts, TextKind::clean, threads));
  const double first = 1 / of_own.deviation;
  const double second = share / of_known.deviation;
  const auto sum = [&](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = first * a[i] + second * b[i];
    return out;
  };
  TextModel out = own;
  out.clean.values = sum(own.clean.values, known.clean.values);
  out.released.values = sum(own.released.values, known.released.values);
  out.intercepts = sum(own.intercepts, known.intercepts);
  for (std::size_t k = 0; k < out.intercepts.size(); ++k) out.intercepts[k] -= second * of_known.means[k];
  return out;
}

DenseMatrix scores_of(const TextModel& model, const TokenLists& texts, TextKind kind, unsigned threads) {
  const DenseMatrix& words = kind == TextKind::clean ? model.clean : model.released;
  DenseMatrix scores = product(mean_counts(texts, words.rows), words, threads);
  add_intercepts(scores, model.intercepts);
  return scores;
}

DirectModel fit_direct(const TokenLists& texts, std::size_t words, const TextLabels& labels,
                       unsigned threads) {
  DirectModel model{.weights = std::vector<double>(words, 0.0), .linear = {}};
  const Documents counts = mean_counts(texts, words);
  for (const std::uint32_t word : counts.words) model.weights[word] += 1;
  // Smooth idf, as in scikit-learn's TfidfVectorizer; a word that no text has is given no weight.
  const auto documents = static_cast<double>(texts.size());
  for (double& weight : model.weights) {
    weight = weight > 0 ? std::log((1 + documents) / (1 + weight)) + 1 : 0;
  }
  model.linear = fit_logistic(
      weighted_rows(texts, model.weights),
      {.labels = labels.of, .classes = labels.classes, .penalty = 1 / std::max(documents, 1.0)}, threads);
  return model;
}

DenseMatrix scores_of(const DirectModel& model, const TokenLists& texts, unsigned threads) {
  DenseMatrix scores = product(weighted_rows(texts, model.weights), model.linear.weights, threads);
  add_intercepts(scores, model.linear.intercepts);
  return scores;
}

double accuracy(std::span<const std::uint32_t> guessed, std::span<const std::uint32_t> labels) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += guessed[i] == labels[i] ? 1 : 0;
  return labels.empty() ? 0 : static_cast<double>(right) / static_cast<double>(labels.size());
}

}  // namespace sotto
