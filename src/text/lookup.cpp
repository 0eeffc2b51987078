#include "text/lookup.h"

#include <algorithm>
#include <array>
#include <limits>

#include "model/mean_vector.h"
#include "neighbours/nearest.h"
#include "sotto/error.h"
#include "text/folding.h"

namespace sotto {

namespace {

// Longer words are not worth a buffer on the stack: they take the general path.
constexpr std::size_t kShortWord = 64;

std::optional<WordId> find_folded(const Model& model, std::span<char> folded) {
  const std::string_view word(folded.data(), folded.size());
  if (auto found = model.find(word)) return found;
  if (word.find('\'') != std::string_view::npos) {
    const auto end = std::remove(folded.begin(), folded.end(), '\'');
    const std::string_view bare(folded.data(), static_cast<std::size_t>(end - folded.begin()));
    return bare.empty() ? std::nullopt : model.find(bare);
  }
  if (model.has_one_letter_words()) return std::nullopt;
  if (word == "a") return model.find("an");
  if (word == "i") return model.find("me");
  return std::nullopt;
}

}  // namespace

Lookup::Lookup(std::shared_ptr<const Model> model)
    : model_(std::move(model)), word_of_a_(find("a")), word_of_i_(find("i")) {}

void Lookup::find_all(const ShortWords& table, std::string_view text, std::span<const Token> tokens,
                      WordId unknown, std::vector<WordId>& words,
                      std::vector<std::uint8_t>& is_unknown) const {
  // So many slots are fetched from memory together.
  constexpr std::size_t kTogether = 16;
  struct Search {
    std::optional<ShortWords::Key> key;
    std::size_t slot = 0;
  };
  std::array<Search, kTogether> searches;
  const std::size_t before = words.size();
  words.resize(before + tokens.size());
  is_unknown.resize(before + tokens.size());
  for (std::size_t first = 0; first < tokens.size(); first += kTogether) {
    const std::span group = tokens.subspan(first, std::min(kTogether, tokens.size() - first));
    for (std::size_t i = 0; i < group.size(); ++i) {
      Search& own = searches[i];
      own.key = ShortWords::key(text, group[i].begin, group[i].end);
      if (!own.key) continue;
      own.slot = table.first_slot(*own.key);
      table.prefetch(own.slot);
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      std::optional<WordId> found;
      if (const std::optional<ShortWords::Key>& key = searches[i].key; !key) {
        found = find(text.substr(group[i].begin, group[i].end - group[i].begin));
      } else {
        found = table.find(*key, searches[i].slot);
        if (!found) found = find_otherwise(table, *key);
      }
      words[before + first + i] = found.value_or(unknown);
      is_unknown[before + first + i] = found ? 0 : 1;
    }
  }
}

std::optional<WordId> Lookup::find_otherwise(const ShortWords& table, ShortWords::Key key) const {
  if (const std::optional<WordId> found = table.find_without_apostrophes(key)) return found;
  if (key == ShortWords::Key{.low = 'a', .high = 0}) return word_of_a_;
  if (key == ShortWords::Key{.low = 'i', .high = 0}) return word_of_i_;
  return std::nullopt;
}

std::optional<WordId> Lookup::find(std::string_view token) const {
  std::array<char, 2 * kShortWord> buffer;
  if (const auto length = fold_simple(token, buffer)) return find_folded(*model_, {buffer.data(), *length});
  std::string folded = fold(token);
  return find_folded(*model_, folded);
}

WordId Lookup::anchor(std::string_view wanted) const {
  if (wanted.empty()) return default_anchor(*model_);
  if (const auto found = find(wanted)) return *found;
  throw Error(ErrorCode::usage,
              "the word given for unknown words is not in the model; give a word of the model, or leave the "
              "option out to use the default");
}

std::vector<std::string> Lookup::rules() const {
  std::vector<std::string> rules = {
      "Unicode normalisation form C, then default case folding",
      "curly apostrophes become straight ones",
      "a word that is not found is tried without its apostrophes (don't as dont)",
  };
  if (!model_->has_one_letter_words()) {
    rules.emplace_back("the model has no one-letter words: a is read as an, and i as me");
  }
  return rules;
}

WordId default_anchor(const Model& model) {
  if (const auto found = model.find("something")) return *found;
  std::vector<double> mean = mean_vector(model);
  mean.resize(model.stride(), 0.0);
  Neighbour nearest;
  scan_nearest(model, mean, 1, {&nearest, 1});
  return nearest.word;
}

}  // namespace sotto
