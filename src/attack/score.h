#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "attack/posterior.h"
#include "attack/token_text.h"
#include "sotto/report.h"

namespace sotto {

// What one attacker achieved. Each share is empty where there was nothing to count.
struct AttackScore {
  std::optional<MeasuredError> error = {};           // all tokens
  std::optional<MeasuredError> error_content = {};   // content words but the anchor, guessed among these
  std::optional<MeasuredError> error_replaced = {};  // tokens whose output is another word
  std::optional<MeasuredError> error_unknown =
      {};                               // tokens that the model does not have: right is the anchor
  std::optional<double> log_loss = {};  // mean of -ln P(word), nats; empty for guesses without probabilities
};

// What is true of a text, for judging guesses. Attackers never see it.
struct Truth {
  const TokenSample* sample = nullptr;
  const TokenText* outputs = nullptr;  // what was released, token by token
  WordId anchor{};                     // what unknown words were counted as; no content word
};

// Judges the guesses of one attacker as they come. Thread-safe for different tokens.
class Scorer final : public PosteriorSink {
 public:
  // `bigram`: the scorer of the attacker that spreads the rest (PosteriorSink::believe_some); may be null
  // where that is never called. All live longer.
  Scorer(const Truth& truth, const Scorer* bigram);

  void believe(std::size_t token, std::span<const float> posterior) override;
  void believe_some(std::size_t token, std::span<const Belief> beliefs, double bigram_rest) override;
  void guess(std::size_t token, const Guess& guess) override;

  [[nodiscard]] AttackScore score() const;
  // Of one token: what was guessed.
  [[nodiscard]] WordId guessed(std::size_t token) const { return outcomes_[token].guess; }

 private:
  // Outside the kFunctionWords most frequent words, and not the anchor, which stands for unknown words.
  [[nodiscard]] bool is_content(WordId word) const {
    return index_of(word) >= kFunctionWords && word != truth_.anchor;
  }
  struct Outcome {
    WordId guess{};
    WordId content{};
    float probability = -1;  // of the truth; below 0: none was given
  };
  // Of the tokens that `counts` holds for; `is_right` judges each.
  using TokenTest = std::function<bool(std::size_t token)>;
  [[nodiscard]] std::optional<MeasuredError> share(const TokenTest& counts, const TokenTest& is_right) const;

  Truth truth_;
  const Scorer* bigram_;
  std::vector<Outcome> outcomes_;
};

// Wrong guesses and tokens of one document.
struct DocumentErrors {
  double wrong = 0;
  double tokens = 0;
};
// The share of wrong guesses over all documents. The interval is that of a ratio of sums over independent
// documents (linearised, Student's t); its half width is at least 3 / tokens. With fewer than two documents
// that have tokens nothing is known of the spread, and the interval is 0 to 1. Empty without tokens.
std::optional<MeasuredError> error_share(std::span<const DocumentErrors> documents);

}  // namespace sotto
