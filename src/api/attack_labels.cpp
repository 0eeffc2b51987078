#include "api/attack_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "api/evaluate.h"
#include "sotto/error.h"

namespace sotto::api {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::uint64_t kFoldSeed = 1;  // the same folds at every run and for clear and private text

// Shares of wrong guesses, one value from 0 to 1 for each document.
std::optional<MeasuredError> share_of(const std::vector<double>& wrong) {
  std::vector<DocumentErrors> documents;
  documents.reserve(wrong.size());
  for (const double own : wrong) documents.push_back({.wrong = own, .tokens = 1});
  return error_share(documents);
}

// Counts the words of each label; the label with the most wins.
std::optional<MeasuredError> lexicon_error(const LabelQuestion& question, const TokenText& text) {
  const Labels& lexicon = *question.lexicon;
  std::vector<std::uint32_t> class_of;
  for (const std::string& name : lexicon.names) {
    const auto found = std::ranges::lower_bound(question.labels.names, name);
    class_of.push_back(static_cast<std::uint32_t>(found - question.labels.names.begin()));
  }
  std::vector<double> wrong;
  std::vector<std::size_t> counts(question.labels.classes);
  for (std::size_t d = 0; d < text.documents(); ++d) {
    std::ranges::fill(counts, std::size_t{0});
    for (const WordId word : text.document(d)) {
      const std::int32_t label = lexicon.of[index_of(word)];
      if (label != Labels::kNone) ++counts[class_of[static_cast<std::size_t>(label)]];
    }
    const std::size_t most = *std::ranges::max_element(counts);
    const auto tied = static_cast<double>(std::ranges::count(counts, most));
    wrong.push_back(counts[question.labels.of[d]] == most ? 1 - 1 / tied : 1);
  }
  return share_of(wrong);
}

TokenLists lists_of(const TokenText& text) {
  return {.ends = text.ends, .words = text.words};
}

// Learns from four fifths of the documents and guesses the labels of the others, five times.
std::optional<MeasuredError> trained_error(const LabelQuestion& question, const TokenText& text,
                                           std::size_t words, unsigned threads) {
  const TokenLists all = lists_of(text);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng = Rng::seeded_not_private(kFoldSeed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.bits() % i]);
  std::vector<double> wrong(all.size());
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<std::size_t> train;
    std::vector<std::size_t> test;
    std::vector<std::uint32_t> labels;
    for (std::size_t i = 0; i < order.size(); ++i) {
      (i % kFolds == fold ? test : train).push_back(order[i]);
      if (i % kFolds != fold) labels.push_back(question.labels.of[order[i]]);
    }
    const DirectModel model = fit_direct(chosen_texts(all, train), words,
                                         {.of = labels, .classes = question.labels.classes}, threads);
    const std::vector<std::uint32_t> guessed =
        best_classes(scores_of(model, chosen_texts(all, test), threads));
    for (std::size_t i = 0; i < test.size(); ++i) {
      wrong[test[i]] = guessed[i] == question.labels.of[test[i]] ? 0 : 1;
    }
  }
  return share_of(wrong);
}

Json document_share_json(const std::optional<MeasuredError>& share) {
  if (!share) return nullptr;
  return {{"value", share->value}, {"low", share->low}, {"high", share->high}, {"documents", share->tokens}};
}

}  // namespace

LabelQuestion label_question(const std::vector<std::string>& labels, std::size_t documents,
                             std::optional<Labels> lexicon) {
  if (documents < kLeastLabelledTexts) {
    throw Error(ErrorCode::bad_data, fmt::format("there are {} labelled documents; at least {} are needed",
                                                 documents, kLeastLabelledTexts));
  }
  LabelQuestion out{.labels = number_labels(labels), .lexicon = std::move(lexicon)};
  check_labels(documents, {.of = out.labels.of, .classes = out.labels.classes});
  if (!out.lexicon) return out;
  for (const std::string& name : out.lexicon->names) {
    if (std::ranges::binary_search(out.labels.names, name)) continue;
    throw Error(ErrorCode::bad_data,
                fmt::format("`labels` has the label `{}`, which no document of `label-column` has: name the "
                            "lists as the labels of the documents are",
                            name));
  }
  return out;
}

LabelAttack attack_labels(const LabelQuestion& question, const LabelTexts& texts, std::size_t words,
                          unsigned threads) {
  LabelAttack out{.documents = texts.clean->documents(), .classes = question.labels.classes};
  std::vector<std::size_t> counts(out.classes, 0);
  for (const std::uint32_t label : question.labels.of) ++counts[label];
  out.majority_error = 1 - static_cast<double>(*std::ranges::max_element(counts)) /
                               static_cast<double>(question.labels.of.size());
  if (question.lexicon) {
    const auto clean = lexicon_error(question, *texts.clean);
    out.guessers.push_back({.name = "lexicon",
                            .assumes =
                                "The released words are the original ones: a public list of words says "
                                "which label each speaks for.",
                            .error = lexicon_error(question, *texts.released),
                            .error_clean = clean});
    out.guessers.push_back({.name = "lexicon-guessed",
                            .assumes = "The same list, applied to the words that the attacker with the "
                                       "smallest error guessed.",
                            .error = lexicon_error(question, *texts.guessed),
                            .error_clean = clean});
  }
  out.guessers.push_back({.name = "trained",
                          .assumes = "Labels of other documents of the same release are known: a classifier "
                                     "learns from four fifths of the documents and guesses the rest.",
                          .error = trained_error(question, *texts.released, words, threads),
                          .error_clean = trained_error(question, *texts.clean, words, threads)});
  return out;
}

Json to_json(const LabelAttack& attack) {
  Json out = {{"documents", attack.documents},
              {"classes", attack.classes},
              {"majority_error", attack.majority_error},
              {"guessers", Json::array()}};
  for (const LabelGuesser& own : attack.guessers) {
    out["guessers"].push_back({{"name", own.name},
                               {"assumes", own.assumes},
                               {"error", document_share_json(own.error)},
                               {"error_clean", document_share_json(own.error_clean)}});
  }
  return out;
}

}  // namespace sotto::api
