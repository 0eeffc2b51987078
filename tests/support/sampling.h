#pragma once
// Samples of a mechanism, to be compared with its law.
#include <cstdint>
#include <span>
#include <vector>

#include "core/distributions.h"
#include "sotto/mechanism.h"

namespace sotto::test {

// How often each output came in `draws` draws for one word.
inline std::vector<std::uint64_t> sample_counts(const WordMechanism& mechanism, WordId word,
                                                std::size_t words, std::size_t draws, Rng& rng) {
  std::vector<std::uint64_t> counts(words, 0);
  const std::vector<WordId> in(1000, word);
  std::vector<WordId> out(in.size());
  for (std::size_t done = 0; done < draws; done += in.size()) {
    mechanism.sample_batch(in, out, rng);
    for (const WordId id : out) ++counts[index_of(id)];
  }
  return counts;
}

// Chi-squared p-value of the counts under the law: below test::kFalseAlarm (1e-9) they do not follow it.
inline double fit(std::span<const std::uint64_t> counts, std::span<const double> law) {
  return test::chi_squared_p_value(counts, law);
}

}  // namespace sotto::test
