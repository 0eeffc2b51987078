#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/ids.h"

namespace sotto {

// A public n-gram model over the words of one model, as attackers use it. All parts are spans into the bytes
// of an `.lm` file (lm_file.h). n is the number of words.
//
// Order 2: p(w|v) = S(v,w) + lambda(v) base(w), where S has few entries: sparse plus rank one. A message over
// all words therefore costs O(entries + n). Order 1 has no entries, and lambda is 1. Order 3 adds
// p(w|u,v) = T(u,v,w) + mu(u,v) q(w|v), where q is a back-off bigram with the entries of S and values of its
// own (Kneser-Ney counts contexts there instead of occurrences). After a pair (u,v) that the public text
// lacks, p(w|u,v) is p(w|v).
//
// A context is a word, or kStart = n: the beginning of a document. Values may be negative (ARPA files), but
// every probability is at least 0, and the probabilities of all words after a context add up to 1 within
// float32 rounding.
struct LanguageModel {
  // Rows of (word, value), one for each context; the words of a row ascend.
  struct Rows {
    std::span<const std::uint64_t> begins = {};  // contexts + 1
    std::span<const std::uint32_t> words = {};
    // The entries of row `context` are [first, last).
    struct Range {
      std::size_t first = 0;
      std::size_t last = 0;
    };
    [[nodiscard]] Range row(std::size_t context) const { return {begins[context], begins[context + 1]}; }
    // The place of (context, word); empty if there is no such entry.
    [[nodiscard]] std::optional<std::size_t> find(std::size_t context, std::size_t word) const;
  };

  std::string identity = {};  // of the model whose words these are
  unsigned order = 1;         // 1, 2 or 3
  std::size_t size = 0;       // n
  WordId anchor{};            // what unknown words of the training text were counted as

  std::span<const float> unigram = {};  // how often each word occurs: the context-free prior
  std::span<const float> base = {};     // base(w)

  Rows bigrams = {};                        // contexts: n + 1; entries may be 0
  std::span<const float> values = {};       // S
  std::span<const float> lambda = {};       // n + 1
  std::span<const float> back_values = {};  // of q; empty below order 3
  std::span<const float> back_lambda = {};

  Rows trigrams = {};                          // contexts: the entries of `bigrams`
  std::span<const float> trigram_values = {};  // T
  std::span<const float> mu = {};              // by entry of `bigrams`

  // Documents of the public text that the counts left out, for fitting weights; may be empty.
  std::span<const std::uint32_t> held_out = {};
  std::span<const std::uint64_t> held_out_ends = {};

  [[nodiscard]] std::size_t start() const noexcept { return size; }
  // Each is a probability: at least 0, also where rounding of negative values says otherwise.
  [[nodiscard]] double bigram(std::size_t context, std::size_t word) const;
  // p(word | u, v). u may be start(), v not.
  [[nodiscard]] double trigram(std::size_t u, std::size_t v, std::size_t word) const;
  // Its parts: q(word | v), and p(word | u, v) where `context` is the entry (u, v) and `back` is q(word | v).
  [[nodiscard]] double back_off(std::size_t v, std::size_t word) const;
  [[nodiscard]] double trigram_after(std::size_t context, std::size_t word, double back) const;
};

}  // namespace sotto
