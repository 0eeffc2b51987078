#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learn/learner.h"
#include "sotto/prior.h"
#include "sotto/quantity.h"

namespace sotto {

// What accuracy is lost when a classifier is trained on private text: the data holder's question about texts
// and labels of its own. Its answer depends on them and is for the data holder.
struct EvaluationQuestion {
  const TokenLists& texts;
  TextLabels labels = {};
  const TokenLists* public_texts = nullptr;  // null: none
  WordId anchor{};
  LearnSettings settings = {};
  std::size_t draws = 3;     // releases of the training texts, each a fit
  double test_share = 0.25;  // of the texts
  LiftQuestion lift = {};
  std::optional<std::uint64_t> seed_not_private = {};
};

// Accuracy over the draws.
struct AccuracyRange {
  double mean = 0;
  double deviation = 0;  // standard deviation over the draws; 0 for one draw
};

struct EvaluationRow {
  AccuracyRange direct_on_clear = {};
  AccuracyRange direct_on_private = {};
  AccuracyRange lifted_on_clear = {};
  AccuracyRange lifted_on_private = {};
  double unchanged = 0;  // expected share of words that stay, by the public word frequencies
  Quantity e_opt;        // error of the best attacker who has known_word_counts() of the training texts
};

struct Evaluation {
  double clear = 0;     // trained and tested on clear text, by direct training
  double majority = 0;  // the share of the most frequent class among the tested texts
  std::size_t trained = 0;
  std::size_t tested = 0;
  std::vector<EvaluationRow> rows = {};  // one for each mechanism
};

// All mechanisms have the same model. Labels were checked (api/learn.h). In stages named after their work.
Evaluation evaluate(std::span<const Mechanism> mechanisms, const EvaluationQuestion& question,
                    const Work& work);

// The share of each word; an unknown word counts as the anchor.
Prior word_counts(const TokenLists& texts, std::size_t words);
// The same without the unknown words, as `measure --prior corpus:` has it: nobody guesses such a word by
// naming the anchor. word_counts() if no word is known.
Prior known_word_counts(const TokenLists& texts, std::size_t words, WordId anchor);
// E_opt of the mechanism: the error of the best attacker on one word.
Quantity best_attacker(const Mechanism& mechanism, const Prior& prior, const Work& work);

}  // namespace sotto
