#include "attack/kneser_ney.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "sotto/error.h"

namespace sotto {
namespace {

// What is subtracted from a count of 1, of 2, and of 3 or more.
class Discounts {
 public:
  // From how many n-grams were counted once, twice, three and four times.
  template <typename Counts>
  explicit Discounts(const Counts& counts) {
    std::array<double, 5> times{};
    for (const std::uint64_t count : counts) {
      if (count >= 1 && count <= 4) times[count] += 1;
    }
    // Where a text is too small for the estimate, half a count.
    if (times[1] == 0 || times[2] == 0) return;
    const double y = times[1] / (times[1] + 2 * times[2]);
    for (std::size_t k = 1; k <= 3; ++k) {
      if (times[k] == 0) break;
      const double next = static_cast<double>(k + 1) * times[k + 1] / times[k];
      const double estimate = static_cast<double>(k) - y * next;
      by_count_[k] = std::clamp(estimate, 0.05, static_cast<double>(k) - 0.05);
    }
  }
  [[nodiscard]] double of(std::uint64_t count) const {
    return count == 0 ? 0 : by_count_[std::min<std::uint64_t>(count, 3)];
  }

 private:
  std::array<double, 4> by_count_ = {0, 0.5, 0.5, 0.5};
};

// (count - discount) / total for each word, and what the discounts free spread evenly.
std::vector<float> smoothed(const std::vector<std::uint64_t>& counts) {
  const Discounts discounts(counts);
  double total = 0;
  double freed = 0;
  for (const std::uint64_t count : counts) {
    total += static_cast<double>(count);
    freed += discounts.of(count);
  }
  const double even = freed / total / static_cast<double>(counts.size());
  std::vector<float> out(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double own = static_cast<double>(counts[i]) - discounts.of(counts[i]);
    out[i] = static_cast<float>(own / total + even);
  }
  return out;
}

// Discounted values of rows of counts, with the weight of the lower order for each row.
struct Discounted {
  std::vector<float> values;
  std::vector<float> spread;
};
Discounted discounted(const std::vector<std::uint64_t>& begins, const std::vector<std::uint64_t>& counts) {
  const Discounts discounts(counts);
  Discounted out{.values = std::vector<float>(counts.size()),
                 .spread = std::vector<float>(begins.size() - 1, 1)};
  for (std::size_t row = 0; row + 1 < begins.size(); ++row) {
    double total = 0;
    double freed = 0;
    for (std::size_t e = begins[row]; e < begins[row + 1]; ++e) {
      total += static_cast<double>(counts[e]);
      freed += discounts.of(counts[e]);
    }
    if (!(total > 0)) continue;  // the lower order alone
    for (std::size_t e = begins[row]; e < begins[row + 1]; ++e) {
      out.values[e] = static_cast<float>((static_cast<double>(counts[e]) - discounts.of(counts[e])) / total);
    }
    out.spread[row] = static_cast<float>(freed / total);
  }
  return out;
}

// n-grams packed into one number, sorted, each once with its count.
struct Counted {
  std::vector<std::uint64_t> grams;
  std::vector<std::uint64_t> counts;
};
Counted counted(std::vector<std::uint64_t> grams) {
  std::ranges::sort(grams);
  Counted out;
  for (std::size_t begin = 0; begin < grams.size();) {
    std::size_t end = begin;
    while (end < grams.size() && grams[end] == grams[begin]) ++end;
    out.grams.push_back(grams[begin]);
    out.counts.push_back(end - begin);
    begin = end;
  }
  return out;
}

class Trainer {
 public:
  Trainer(const TokenText& text, std::size_t size, const TrainingOptions& options)
      : text_(text), size_(size), options_(options), bits_(static_cast<unsigned>(std::bit_width(size))) {
    if (options.order == 3 && 3 * bits_ > 64) {
      throw Error(ErrorCode::bad_data,
                  fmt::format("order 3 takes models of at most {} words, and this one has {}; use `order` 2",
                              (std::size_t{1} << 21) - 1, size));
    }
    std::size_t held = 0;
    for (std::size_t d = 0; d < text.documents(); ++d) {
      const std::size_t length = text.document(d).size();
      const bool wanted =
          options.held_out_every > 0 && d % options.held_out_every == options.held_out_every - 1;
      if (wanted && length > 0 && held + length <= options.most_held_out) {
        held += length;
        held_out_.push_back(d);
      } else {
        counted_.push_back(d);
      }
    }
  }

  LanguageModelParts train() {
    LanguageModelParts parts;
    parts.order = options_.order;
    for (const std::size_t d : held_out_) {
      for (const WordId word : text_.document(d)) parts.held_out.push_back(static_cast<std::uint32_t>(word));
      parts.held_out_ends.push_back(parts.held_out.size());
    }
    count_words(parts);
    if (options_.order >= 2) count_bigrams(parts);
    if (options_.order == 3) count_trigrams(parts);
    return parts;
  }

 private:
  void count_words(LanguageModelParts& parts) const {
    std::vector<std::uint64_t> counts(size_, 0);
    std::uint64_t total = 0;
    for (const std::size_t d : counted_) {
      for (const WordId word : text_.document(d)) ++counts[index_of(word)];
      total += text_.document(d).size();
    }
    if (total == 0) {
      throw Error(ErrorCode::bad_data,
                  "the public text has no words to count; give a text with one document per line");
    }
    parts.unigram = parts.base = smoothed(counts);
  }

  void count_bigrams(LanguageModelParts& parts) {
    std::vector<std::uint64_t> grams;
    for (const std::size_t d : counted_) {
      std::uint64_t before = size_;
      for (const WordId word : text_.document(d)) {
        grams.push_back(before << bits_ | index_of(word));
        before = index_of(word);
      }
    }
    bigrams_ = counted(std::move(grams));
    parts.bigram_begins.assign(size_ + 2, 0);
    std::vector<std::uint64_t> before_word(size_, 0);  // different words before each word
    for (const std::uint64_t gram : bigrams_.grams) {
      ++parts.bigram_begins[(gram >> bits_) + 1];
      const std::uint64_t word = gram & ((std::uint64_t{1} << bits_) - 1);
      parts.bigram_words.push_back(static_cast<std::uint32_t>(word));
      ++before_word[word];
    }
    for (std::size_t c = 0; c <= size_; ++c) parts.bigram_begins[c + 1] += parts.bigram_begins[c];
    parts.base = smoothed(before_word);
    Discounted made = discounted(parts.bigram_begins, bigrams_.counts);
    parts.values = std::move(made.values);
    parts.lambda = std::move(made.spread);
  }

  void count_trigrams(LanguageModelParts& parts) {
    std::vector<std::uint64_t> grams;
    for (const std::size_t d : counted_) {
      const auto words = text_.document(d);
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::uint64_t first = i == 1 ? size_ : index_of(words[i - 2]);
        grams.push_back((first << bits_ | index_of(words[i - 1])) << bits_ | index_of(words[i]));
      }
    }
    const Counted trigrams = counted(std::move(grams));
    const std::uint64_t low = (std::uint64_t{1} << bits_) - 1;
    parts.trigram_begins.assign(bigrams_.grams.size() + 1, 0);
    std::vector<std::uint64_t> different(bigrams_.grams.size(), 0);  // words before each bigram
    std::size_t context = 0;
    for (const std::uint64_t gram : trigrams.grams) {
      while (bigrams_.grams[context] != gram >> bits_) ++context;
      ++parts.trigram_begins[context + 1];
      parts.trigram_words.push_back(static_cast<std::uint32_t>(gram & low));
      const std::uint64_t pair = gram & (low << bits_ | low);
      ++different[static_cast<std::size_t>(std::ranges::lower_bound(bigrams_.grams, pair) -
                                           bigrams_.grams.begin())];
    }
    for (std::size_t c = 0; c < bigrams_.grams.size(); ++c) {
      parts.trigram_begins[c + 1] += parts.trigram_begins[c];
    }
    // Nothing stands before the beginning of a document: there, occurrences count.
    for (std::size_t e = parts.bigram_begins[size_]; e < parts.bigram_begins[size_ + 1]; ++e) {
      different[e] = bigrams_.counts[e];
    }
    Discounted back = discounted(parts.bigram_begins, different);
    parts.back_values = std::move(back.values);
    parts.back_lambda = std::move(back.spread);
    Discounted made = discounted(parts.trigram_begins, trigrams.counts);
    parts.trigram_values = std::move(made.values);
    parts.mu = std::move(made.spread);
  }

  const TokenText& text_;
  std::size_t size_;
  TrainingOptions options_;
  unsigned bits_;
  std::vector<std::size_t> counted_;  // documents
  std::vector<std::size_t> held_out_;
  Counted bigrams_;
};

}  // namespace

LanguageModelParts train_kneser_ney(const TokenText& text, const std::string& identity, std::size_t size,
                                    WordId anchor, const TrainingOptions& options) {
  LanguageModelParts parts = Trainer(text, size, options).train();
  parts.identity = identity;
  parts.anchor = anchor;
  return parts;
}

}  // namespace sotto
