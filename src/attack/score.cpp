#include "attack/score.h"

#include <algorithm>
#include <cmath>

#include "attack/peaks.h"

namespace sotto {
namespace {

// Student's t at 97.5%, to 0.1% from 3 degrees of freedom on (Hill's expansion around the normal quantile).
double student_quantile(double degrees) {
  if (degrees < 1.5) return 12.706;
  if (degrees < 2.5) return 4.303;
  constexpr double z = 1.959964;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  return z + (z3 + z) / (4 * degrees) + (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees * degrees * degrees);
}

}  // namespace

std::optional<MeasuredError> error_share(std::span<const DocumentErrors> documents) {
  double wrong = 0;
  double tokens = 0;
  double count = 0;
  for (const DocumentErrors& own : documents) {
    wrong += own.wrong;
    tokens += own.tokens;
    count += own.tokens > 0 ? 1 : 0;
  }
  if (!(tokens > 0)) return std::nullopt;
  MeasuredError share{.value = wrong / tokens, .tokens = static_cast<std::size_t>(tokens)};
  if (count < 2) return share;
  double squares = 0;
  for (const DocumentErrors& own : documents) {
    const double gap = own.wrong - share.value * own.tokens;
    squares += gap * gap;
  }
  const double deviation = std::sqrt(count / (count - 1) * squares) / tokens;
  const double half = std::max(student_quantile(count - 1) * deviation, 3 / tokens);
  share.low = std::max(0.0, share.value - half);
  share.high = std::min(1.0, share.value + half);
  return share;
}

Scorer::Scorer(const Truth& truth, const Scorer* bigram)
    : truth_(truth), bigram_(bigram), outcomes_(truth.sample->text.words.size()) {}

void Scorer::believe(std::size_t token, std::span<const float> posterior) {
  Outcome& own = outcomes_[token];
  const Peaks peaks(posterior);
  own.guess = word_id(peaks.largest({.left_out = posterior.size()}).front());
  if (posterior.size() > kFunctionWords) {
    const auto content = peaks.largest({.first = kFunctionWords, .left_out = index_of(truth_.anchor)});
    own.content = word_id(content.empty() ? kFunctionWords : content.front());
  }
  own.probability = posterior[index_of(truth_.sample->text.words[token])];
}

void Scorer::believe_some(std::size_t token, std::span<const Belief> beliefs, double bigram_rest) {
  const Outcome& all = bigram_->outcomes_[token];
  const WordId truth = truth_.sample->text.words[token];
  Outcome own{.guess = all.guess, .content = all.content};
  double best = -1;
  double best_content = -1;
  double told = 0;
  for (const Belief& belief : beliefs) {
    told += belief.probability;
    if (belief.probability > best) {
      best = belief.probability;
      own.guess = belief.word;
    }
    if (is_content(belief.word) && belief.probability > best_content) {
      best_content = belief.probability;
      own.content = belief.word;
    }
    if (belief.word == truth) own.probability = static_cast<float>(belief.probability);
  }
  if (own.probability < 0) {
    const double share = bigram_rest > 0 ? double{all.probability} / bigram_rest : 0;
    own.probability = static_cast<float>(std::max(0.0, 1 - told) * std::min(1.0, share));
  }
  outcomes_[token] = own;
}

void Scorer::guess(std::size_t token, const Guess& guess) {
  outcomes_[token] = {.guess = guess.word, .content = guess.content};
}

std::optional<MeasuredError> Scorer::share(const TokenTest& counts, const TokenTest& is_right) const {
  const TokenText& text = truth_.sample->text;
  std::vector<DocumentErrors> documents(text.documents());
  for (std::size_t d = 0; d < text.documents(); ++d) {
    for (std::size_t token = text.begin_of(d); token < text.ends[d]; ++token) {
      if (!counts(token)) continue;
      documents[d].tokens += 1;
      documents[d].wrong += is_right(token) ? 0 : 1;
    }
  }
  return error_share(documents);
}

AttackScore Scorer::score() const {
  const std::vector<WordId>& words = truth_.sample->text.words;
  const std::vector<std::uint8_t>& is_unknown = truth_.sample->is_unknown;
  const auto right = [&](std::size_t token) { return outcomes_[token].guess == words[token]; };
  AttackScore out;
  out.error = share([](std::size_t) { return true; }, right);
  out.error_content = share([&](std::size_t i) { return is_content(words[i]); },
                            [&](std::size_t i) { return outcomes_[i].content == words[i]; });
  out.error_replaced = share([&](std::size_t i) { return truth_.outputs->words[i] != words[i]; }, right);
  out.error_unknown = share([&](std::size_t i) { return is_unknown[i] != 0; }, right);
  // A probability of 0 is one below what float32 holds.
  constexpr double kLeast = 1e-38;
  double loss = 0;
  for (const Outcome& own : outcomes_) {
    if (own.probability < 0) return out;
    loss -= std::log(std::max(kLeast, double{own.probability}));
  }
  if (!outcomes_.empty()) out.log_loss = loss / static_cast<double>(outcomes_.size());
  return out;
}

}  // namespace sotto
