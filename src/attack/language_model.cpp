#include "attack/language_model.h"

#include <algorithm>

namespace sotto {

std::optional<std::size_t> LanguageModel::Rows::find(std::size_t context, std::size_t word) const {
  const Range range = row(context);
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(range.first);
  const auto last = words.begin() + static_cast<std::ptrdiff_t>(range.last);
  const auto found = std::lower_bound(first, last, static_cast<std::uint32_t>(word));
  if (found == last || *found != word) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

namespace {

double mixed(const LanguageModel& lm, std::span<const float> values, std::span<const float> lambda,
             std::size_t context, std::size_t word) {
  const double spread = double{lambda[context]} * double{lm.base[word]};
  const auto entry = lm.bigrams.find(context, word);
  return std::max(0.0, entry ? double{values[*entry]} + spread : spread);
}

}  // namespace

double LanguageModel::bigram(std::size_t context, std::size_t word) const {
  return mixed(*this, values, lambda, context, word);
}

double LanguageModel::back_off(std::size_t v, std::size_t word) const {
  return order < 3 ? bigram(v, word) : mixed(*this, back_values, back_lambda, v, word);
}

double LanguageModel::trigram_after(std::size_t context, std::size_t word, double back) const {
  if (order < 3) return back;
  const double spread = double{mu[context]} * back;
  const auto entry = trigrams.find(context, word);
  return std::max(0.0, entry ? double{trigram_values[*entry]} + spread : spread);
}

double LanguageModel::trigram(std::size_t u, std::size_t v, std::size_t word) const {
  const double back = back_off(v, word);
  const auto context = bigrams.find(u, v);
  return context ? trigram_after(*context, word, back) : bigram(v, word);
}

}  // namespace sotto
