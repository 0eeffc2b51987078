#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/learn.h"
#include "attack/score.h"
#include "attack/token_text.h"
#include "sotto/labels.h"

// Attributes: how well is the label of a document guessed from its private text?
namespace sotto::api {

// A guesser of labels. Errors are shares of documents whose label was guessed wrongly, with 95% intervals
// over documents. A tie between labels counts as a guess among them.
struct LabelGuesser {
  std::string_view name;
  std::string_view assumes;  // one sentence
  std::optional<MeasuredError> error = {};
  std::optional<MeasuredError> error_clean = {};  // the same guesser on the original texts
};

struct LabelAttack {
  std::size_t documents = 0;
  std::size_t classes = 0;
  double majority_error = 0;  // of always guessing the most frequent label
  std::vector<LabelGuesser> guessers = {};
};

// What label guessers are judged by. The labels come from the data holder; no answer or message quotes one.
struct LabelQuestion {
  NumberedLabels labels = {};
  // Public: which label each word of the model speaks for. Empty: no lexicon was given.
  std::optional<Labels> lexicon = {};
};
// Throws Error(bad_data) for labels of one class, fewer than kLeastLabelledTexts documents, or a lexicon with
// a label that no document has.
LabelQuestion label_question(const std::vector<std::string>& labels, std::size_t documents,
                             std::optional<Labels> lexicon);

// One text three times, document by document: as it was, as it was released, and as an attacker guessed it.
struct LabelTexts {
  const TokenText* clean = nullptr;
  const TokenText* released = nullptr;
  const TokenText* guessed = nullptr;
};
// `words`: of the model.
LabelAttack attack_labels(const LabelQuestion& question, const LabelTexts& texts, std::size_t words,
                          unsigned threads);
Json to_json(const LabelAttack& attack);

}  // namespace sotto::api
