#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

// Writes small binary language models of CMU Sphinx (the format is described in attack/sphinx_lm.cpp).
namespace sotto::test {

struct SphinxGram {
  std::vector<std::uint32_t> words;  // in the order of the text
  double log10_p = 0;
  double log10_back_off = 0;
};
struct SphinxFile {
  std::vector<std::string> words;
  std::vector<SphinxGram> grams;  // of all orders; one unigram for each word, in their order
  unsigned order = 3;
};

class BitWriter {
 public:
  explicit BitWriter(std::size_t bits) : bytes_((bits + 7) / 8 + 8, '\0') {}
  void add(std::uint64_t value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i, ++at_) {
      if ((value >> i & 1) != 0) bytes_[at_ / 8] = static_cast<char>(bytes_[at_ / 8] | 1 << (at_ % 8));
    }
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

// 65,536 values, of which the first ones are used.
class SphinxTable {
 public:
  std::uint32_t index_of(double log10_value) {
    values_.push_back(static_cast<float>(log10_value * std::log(10.0) / std::log(1.0001)));
    return static_cast<std::uint32_t>(values_.size() - 1);
  }
  [[nodiscard]] std::string bytes() const {
    std::vector<float> all = values_;
    all.resize(65536);
    return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(float)};
  }

 private:
  std::vector<float> values_;
};

template <typename T>
void put_number(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::string sphinx_bytes(const SphinxFile& file) {
  // The trie is reversed: the last word comes first.
  std::array<std::vector<SphinxGram>, 3> grams;
  for (SphinxGram gram : file.grams) {
    std::ranges::reverse(gram.words);
    grams[gram.words.size() - 1].push_back(gram);
  }
  for (auto& own : grams) std::ranges::sort(own, {}, &SphinxGram::words);
  const auto first_below = [&](std::size_t order, const std::vector<std::uint32_t>& parent) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(grams[order], parent, {}, &SphinxGram::words) -
                                      grams[order].begin());
  };
  const auto words = static_cast<std::uint32_t>(file.words.size());
  const auto word_bits = static_cast<unsigned>(std::bit_width(words));
  SphinxTable middle_p;
  SphinxTable middle_weight;
  SphinxTable last_p;
  std::string unigrams;
  for (const SphinxGram& gram : grams[0]) {
    for (const double value : {gram.log10_p, gram.log10_back_off}) {
      put_number(unigrams, static_cast<float>(value * std::log(10.0) / std::log(1.0001)));
    }
    put_number(unigrams, first_below(1, gram.words));
  }
  put_number(unigrams, 0.0F);
  put_number(unigrams, 0.0F);
  put_number(unigrams, static_cast<std::uint32_t>(grams[1].size()));

  std::string entries;
  if (file.order == 3) {
    const auto next_bits = static_cast<unsigned>(std::bit_width(grams[2].size()));
    BitWriter middle((grams[1].size() + 1) * (word_bits + 32 + next_bits));
    for (const SphinxGram& gram : grams[1]) {
      middle.add(gram.words.back(), word_bits);
      middle.add(middle_weight.index_of(gram.log10_back_off), 16);
      middle.add(middle_p.index_of(gram.log10_p), 16);
      middle.add(first_below(2, gram.words), next_bits);
    }
    middle.add(0, word_bits);
    middle.add(0, 32);
    middle.add(grams[2].size(), next_bits);
    entries += middle.bytes();
  }
  const std::vector<SphinxGram>& last = grams[file.order - 1];
  BitWriter longest((last.size() + 1) * (word_bits + 16));
  for (const SphinxGram& gram : last) {
    longest.add(gram.words.back(), word_bits);
    longest.add(last_p.index_of(gram.log10_p), 16);
  }
  entries += longest.bytes();

  std::string out = "Trie Language Model";
  out += static_cast<char>(file.order);
  for (unsigned i = 0; i < file.order; ++i) put_number(out, static_cast<std::uint32_t>(grams[i].size()));
  put_number(out, std::uint32_t{1});
  if (file.order == 3) out += middle_p.bytes() + middle_weight.bytes();
  out += last_p.bytes() + unigrams + entries;
  std::string texts;
  for (const std::string& word : file.words) texts += word + '\0';
  put_number(out, static_cast<std::uint32_t>(texts.size()));
  return out + texts;
}

// A model of 5 words with <s>, bigrams and a trigram; "canaryword" is not in the model that tests use.
inline SphinxFile small_sphinx_file() {
  return {.words = {"<s>", "The", "soup", "was", "canaryword"},
          .grams = {{{0}, -99, -0.30103},
                    {{1}, -0.30103, -0.30103},
                    {{2}, -0.60206, 0},
                    {{3}, -0.60206, 0},
                    {{4}, -1, 0},
                    {{0, 1}, -0.1249387, -0.30103},
                    {{1, 1}, -1, 0},
                    {{1, 2}, -0.60206, 0},
                    {{0, 1, 2}, -0.0457575, 0}}};
}

}  // namespace sotto::test
