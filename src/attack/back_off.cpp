#include "attack/back_off.h"

#include <algorithm>
#include <cmath>

#include "model/unicode.h"

namespace sotto {
namespace {

// S = p - bow * lower and the spread bow, scaled so that all words of the row sum to 1.
struct Row {
  double spread = 1;
  double total = 0;
};
void scale(const Row& row, std::span<float> values, float& spread) {
  const double total = row.total + row.spread;
  // A row whose listed words leave nothing, or far too much, says nothing: the lower order alone.
  constexpr double kLargest = 1e5;
  const double factor = total > 1e-6 ? 1 / total : 0;
  if (factor == 0 || (1 + row.spread) * factor > kLargest) {
    std::ranges::fill(values, 0.0F);
    spread = 1;
    return;
  }
  for (float& value : values) value = static_cast<float>(double{value} * factor);
  spread = static_cast<float>(row.spread * factor);
}

}  // namespace

BackOffBuilder::BackOffBuilder(const std::shared_ptr<const Model>& model, std::string_view anchor)
    : identity_(model->identity()), lookup_(model), anchor_(lookup_.anchor(anchor)), size_(model->size()) {}

BackOffBuilder::Word BackOffBuilder::id_of(std::string_view word) const {
  if (word == "<s>" || word == "<S>") return start();
  if (word == "<unk>" || word == "<UNK>") return static_cast<std::uint32_t>(anchor_);
  if (word == "</s>" || word == "</S>" || !is_valid_utf8(word)) return std::nullopt;
  const auto found = lookup_.find(word);
  if (!found) return std::nullopt;
  return static_cast<std::uint32_t>(*found);
}

void BackOffBuilder::add(std::span<const Word> words, const Values& values) {
  const std::size_t order = words.size();
  if (order == 1) {
    ++words_;
    unknown_ += words[0] ? 0 : 1;
  }
  Entry entry{.p = values.p, .back_off = values.back_off};
  for (std::size_t i = 0; i < order; ++i) {
    // <s> begins a document: nothing but a context.
    if (!words[i] || (*words[i] == start() && order > 1 && i > 0)) return;
  }
  entry.word = *words[order - 1];
  if (order >= 2) entry.second = *words[order - 2];
  if (order == 3) entry.first = *words[0];
  grams_[order - 1].push_back(entry);
}

ImportedLanguage BackOffBuilder::build() {
  ImportedLanguage out{.words = words_, .unknown = unknown_};
  LanguageModelParts& parts = out.parts;
  parts.identity = identity_;
  parts.anchor = anchor_;
  parts.order = grams_[2].empty() ? (grams_[1].empty() ? 1 : 2) : 3;
  fill_words(parts);
  if (parts.order >= 2) fill_bigrams(parts);
  if (parts.order == 3) fill_trigrams(parts);
  return out;
}

// Sorted; of several entries of one n-gram the first stays.
void BackOffBuilder::sort_grams(std::vector<Entry>& grams) {
  const auto key = [](const Entry& e) { return std::array{e.first, e.second, e.word}; };
  std::ranges::stable_sort(grams, {}, key);
  grams.erase(std::unique(grams.begin(), grams.end(),
                          [&](const Entry& a, const Entry& b) { return key(a) == key(b); }),
              grams.end());
}

void BackOffBuilder::fill_words(LanguageModelParts& parts) {
  sort_grams(grams_[0]);
  back_off_.assign(size_ + 1, 1.0F);
  std::vector<double> p(size_, 0.0);
  double rarest = 1;
  for (const Entry& entry : grams_[0]) {
    back_off_[entry.word] = entry.back_off;
    if (entry.word == start()) continue;
    p[entry.word] = std::max(1e-12, double{entry.p});
    rarest = std::min(rarest, p[entry.word]);
  }
  double total = 0;
  for (double& own : p) total += own = own > 0 ? own : rarest;
  parts.unigram.resize(size_);
  for (std::size_t w = 0; w < size_; ++w) parts.unigram[w] = static_cast<float>(p[w] / total);
  parts.base = parts.unigram;
}

void BackOffBuilder::fill_bigrams(LanguageModelParts& parts) {
  sort_grams(grams_[1]);
  parts.bigram_begins.assign(size_ + 2, 0);
  parts.lambda.assign(size_ + 1, 1.0F);
  const std::vector<Entry>& grams = grams_[1];
  for (const Entry& entry : grams) {
    ++parts.bigram_begins[entry.second + 1];
    parts.bigram_words.push_back(entry.word);
    const double spread = back_off_[entry.second];
    parts.values.push_back(static_cast<float>(double{entry.p} - spread * double{parts.base[entry.word]}));
  }
  for (std::size_t c = 0; c <= size_; ++c) parts.bigram_begins[c + 1] += parts.bigram_begins[c];
  for (std::size_t c = 0; c <= size_; ++c) {
    const auto own =
        std::span(parts.values)
            .subspan(parts.bigram_begins[c], parts.bigram_begins[c + 1] - parts.bigram_begins[c]);
    Row row{.spread = own.empty() ? 1.0 : double{back_off_[c]}};
    for (const float value : own) row.total += double{value};
    scale(row, own, parts.lambda[c]);
  }
  parts.back_values = parts.order == 3 ? parts.values : std::vector<float>();
  parts.back_lambda = parts.order == 3 ? parts.lambda : std::vector<float>();
}

void BackOffBuilder::fill_trigrams(LanguageModelParts& parts) {
  sort_grams(grams_[2]);
  const std::vector<Entry>& bigrams = grams_[1];
  parts.trigram_begins.assign(bigrams.size() + 1, 0);
  parts.mu.assign(bigrams.size(), 1.0F);
  const auto place_of = [&](std::uint32_t v, std::uint32_t w) -> std::optional<std::size_t> {
    const auto first = parts.bigram_words.begin() + static_cast<std::ptrdiff_t>(parts.bigram_begins[v]);
    const auto last = parts.bigram_words.begin() + static_cast<std::ptrdiff_t>(parts.bigram_begins[v + 1]);
    const auto found = std::lower_bound(first, last, w);
    if (found == last || *found != w) return std::nullopt;
    return static_cast<std::size_t>(found - parts.bigram_words.begin());
  };
  for (const Entry& entry : grams_[2]) {
    const auto context = place_of(entry.first, entry.second);
    if (!context) continue;  // the file lacks the bigram, or it was left out
    const auto lower = place_of(entry.second, entry.word);
    const double spread = double{parts.lambda[entry.second]} * double{parts.base[entry.word]};
    const double back = std::max(0.0, lower ? double{parts.values[*lower]} + spread : spread);
    ++parts.trigram_begins[*context + 1];
    parts.trigram_words.push_back(entry.word);
    parts.trigram_values.push_back(
        static_cast<float>(double{entry.p} - double{bigrams[*context].back_off} * back));
  }
  for (std::size_t c = 0; c < bigrams.size(); ++c) parts.trigram_begins[c + 1] += parts.trigram_begins[c];
  for (std::size_t c = 0; c < bigrams.size(); ++c) {
    const auto own =
        std::span(parts.trigram_values)
            .subspan(parts.trigram_begins[c], parts.trigram_begins[c + 1] - parts.trigram_begins[c]);
    Row row{.spread = own.empty() ? 1.0 : double{bigrams[c].back_off}};
    for (const float value : own) row.total += double{value};
    scale(row, own, parts.mu[c]);
  }
}

}  // namespace sotto
