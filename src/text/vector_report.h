#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/forecast.h"
#include "sotto/mechanism.h"
#include "sotto/report.h"

namespace sotto {

// Facts of one release of vectors that only its runner knows; the rest comes from the mechanism.
struct VectorReleaseFacts {
  std::uint64_t rows = 0;
  std::string number_type = {};  // of the numbers written: "float32"
  // The public vectors that the mechanism was built with; null: none.
  std::shared_ptr<const Model> model = {};
  // For words: the public word that stands for unknown ones, and how many these were.
  struct Words {
    std::string anchor;
    std::uint64_t unknown = 0;
  };
  std::optional<Words> words = {};
  bool seeded_not_private = false;
  // vector_forecast(): of words. Empty for free vectors, which have no strength.
  std::optional<Forecast> expected = {};
  std::string released_at = {};                            // utc_now() of the run
  std::optional<std::vector<ReleasedFile>> released = {};  // empty: the vectors went to the caller
};

// The JSON report: what was promised, in which unit, and everything not protected. Holds no number, word,
// hash or path of the input; of the file released it holds the base name and the SHA-256.
std::string vector_report(const Mechanism& mechanism, const VectorReleaseFacts& facts);

}  // namespace sotto
