#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "sotto/mechanism.h"

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
};

// What holds for this release, seeded or not.
Status release_status(const Mechanism& mechanism, const VectorReleaseFacts& facts);

// The JSON report: what was promised, in which unit, and everything not protected. Holds no number, word,
// hash or path of the input.
std::string vector_report(const Mechanism& mechanism, const VectorReleaseFacts& facts);

}  // namespace sotto
