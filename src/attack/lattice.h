#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "attack/language_model.h"
#include "attack/posterior.h"

namespace sotto {

// The few words that a token may have been, as far as the exact bigram attacker can tell.
struct LatticeNode {
  struct Candidate {
    WordId word{};
    double bigram = 0;        // posterior of the bigram attacker
    double context_free = 0;  // posterior of the context-free attacker
    double channel = 0;       // P(output | word), scaled as the column
  };
  std::vector<Candidate> candidates = {};  // the likeliest first
  // Of all words that are no candidates together.
  double rest_bigram = 0;
  double rest_context_free = 0;
  double rest_channel = 0;  // sum of P(w) P(output | w)

  [[nodiscard]] bool is_filled() const noexcept { return !candidates.empty(); }
};

// The kCandidates likeliest words, and the kContentCandidates likeliest content words.
inline constexpr std::size_t kCandidates = 16;
inline constexpr std::size_t kContentCandidates = 8;

// `column`: P(output | w) of the token.
LatticeNode lattice_node(std::span<const float> bigram_posterior, std::span<const float> column,
                         const LanguageModel& lm);

}  // namespace sotto
