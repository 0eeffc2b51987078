#include "learn/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/error.h"
#include "sotto/forecast.h"
#include "sotto/measurement.h"

namespace sotto {
namespace {

constexpr std::uint64_t kSplitSeed = 1;  // the same split at every run, so that runs can be compared

struct Split {
  TokenLists train;
  TokenLists test;
  std::vector<std::uint32_t> train_labels = {};
  std::vector<std::uint32_t> test_labels = {};
};

Split split_of(const EvaluationQuestion& question) {
  std::vector<std::size_t> order(question.texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng = Rng::seeded_not_private(kSplitSeed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.bits() % i]);
  const auto tested = static_cast<std::size_t>(question.test_share * static_cast<double>(order.size()));
  const auto test = std::span(order).first(std::max<std::size_t>(tested, 1));
  const auto train = std::span(order).subspan(test.size());
  Split out{.train = chosen_texts(question.texts, train), .test = chosen_texts(question.texts, test)};
  for (const std::size_t i : train) out.train_labels.push_back(question.labels.of[i]);
  for (const std::size_t i : test) out.test_labels.push_back(question.labels.of[i]);
  return out;
}

std::vector<std::uint64_t> counts_of(const TokenLists& texts, std::size_t words) {
  std::vector<std::uint64_t> counts(words, 0);
  for (const WordId word : texts.words) ++counts[index_of(word)];
  return counts;
}

Prior prior_of_counts(const std::vector<std::uint64_t>& counts) {
  Prior prior{
      .weights = std::vector<double>(counts.size(), 0.0), .support = {}, .description = "training texts"};
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  for (std::size_t w = 0; w < counts.size(); ++w) {
    if (counts[w] == 0) continue;
    prior.weights[w] = static_cast<double>(counts[w]) / total;
    prior.support.push_back(word_id(w));
  }
  return prior;
}

AccuracyRange range_of(const std::vector<double>& values) {
  AccuracyRange out;
  for (const double value : values) out.mean += value / static_cast<double>(values.size());
  if (values.size() < 2) return out;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return out;
}

// Everything that does not depend on a draw of the private texts; empty without public texts.
std::optional<TextSpace> fixed_space(const Mechanism& mechanism, const EvaluationQuestion& question,
                                     const RandomSource& random, const Work& work) {
  if (question.public_texts == nullptr) return std::nullopt;
  const PublicTexts texts =
      privatised_public(*question.public_texts, mechanism, random, work.at("privatising public text"));
  return public_space(mechanism, texts, question.anchor, question.settings, question.lift, work);
}

EvaluationRow evaluate_row(const Mechanism& mechanism, const EvaluationQuestion& question, const Split& split,
                           std::uint64_t number, const Work& work) {
  const std::size_t words = mechanism.space->size();
  const TextLabels labels{.of = split.train_labels, .classes = question.labels.classes};
  // Seeds of a row: 0 for public text, then two for each draw.
  const auto source = [&](std::uint64_t use) {
    std::optional<std::uint64_t> seed = question.seed_not_private;
    if (seed) *seed += (number << 32) + (use << 16);
    return RandomSource::fresh_or_seeded_not_private(seed);
  };
  EvaluationRow row{.unchanged = forecast(mechanism, {.threads = work.threads}).unchanged,
                    .e_opt = best_attacker(mechanism, known_word_counts(split.train, words, question.anchor),
                                           work.at("measuring"))};
  const std::optional<TextSpace> fixed = fixed_space(mechanism, question, source(0), work);
  struct {
    std::vector<double> direct_clear, direct_private, lifted_clear, lifted_private;
  } found;
  for (std::size_t d = 0; d < question.draws; ++d) {
    const TokenLists train =
        privatised(split.train, mechanism, source(1 + 2 * d), work.at("privatising and learning"));
    const TokenLists test = privatised(split.test, mechanism, source(2 + 2 * d), work);
    const auto right = [&](const DenseMatrix& scores) {
      return accuracy(best_classes(scores), split.test_labels);
    };
    const DirectModel direct = fit_direct(train, words, labels, work.threads);
    found.direct_clear.push_back(right(scores_of(direct, split.test, work.threads)));
    found.direct_private.push_back(right(scores_of(direct, test, work.threads)));
    const TextSpace own = fixed ? TextSpace{} : release_space(mechanism, train, question.lift, work);
    const TextModel lifted = fit_text_model(fixed ? *fixed : own, train, TextKind::released, labels,
                                            question.settings.penalty, work.threads);
    found.lifted_clear.push_back(right(scores_of(lifted, split.test, TextKind::clean, work.threads)));
    found.lifted_private.push_back(right(scores_of(lifted, test, TextKind::released, work.threads)));
    if (work.progress) work.progress({.done = d + 1, .total = question.draws, .unit = "draws"});
  }
  row.direct_on_clear = range_of(found.direct_clear);
  row.direct_on_private = range_of(found.direct_private);
  row.lifted_on_clear = range_of(found.lifted_clear);
  row.lifted_on_private = range_of(found.lifted_private);
  return row;
}

}  // namespace

Prior word_counts(const TokenLists& texts, std::size_t words) {
  return prior_of_counts(counts_of(texts, words));
}

Prior known_word_counts(const TokenLists& texts, std::size_t words, WordId anchor) {
  std::vector<std::uint64_t> counts = counts_of(texts, words);
  if (texts.unknown < texts.words.size()) counts[index_of(anchor)] -= texts.unknown;
  return prior_of_counts(counts);
}

Quantity best_attacker(const Mechanism& mechanism, const Prior& prior, const Work& work) {
  const MeasureQuestion question{.prior = prior,
                                 .copies = 0,
                                 .extent = MeasureQuestion::Extent::headline,
                                 .seed_not_private = 1};  // of draws that nobody sees
  const Measurement found = measure(mechanism, question, work);
  const Quantity* e_opt = found.overall().find("e_opt");
  if (e_opt == nullptr) throw Error(ErrorCode::internal, "a measurement has no e_opt");
  return *e_opt;
}

Evaluation evaluate(std::span<const Mechanism> mechanisms, const EvaluationQuestion& question,
                    const Work& work) {
  const Split split = split_of(question);
  const std::size_t words = mechanisms.front().space->size();
  const TextLabels labels{.of = split.train_labels, .classes = question.labels.classes};
  Evaluation out{.trained = split.train.size(), .tested = split.test.size()};
  const DirectModel clear =
      fit_direct(split.train, words, labels, work.at("learning from clear text").threads);
  out.clear = accuracy(best_classes(scores_of(clear, split.test, work.threads)), split.test_labels);
  std::vector<std::size_t> counts(question.labels.classes, 0);
  for (const std::uint32_t label : split.test_labels) ++counts[label];
  out.majority = static_cast<double>(*std::ranges::max_element(counts)) / static_cast<double>(out.tested);
  for (std::size_t m = 0; m < mechanisms.size(); ++m) {
    out.rows.push_back(evaluate_row(mechanisms[m], question, split, m, work));
  }
  return out;
}

}  // namespace sotto
