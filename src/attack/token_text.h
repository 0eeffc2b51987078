#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/model.h"

namespace sotto {

// Documents as words of a model, one after the other.
struct TokenText {
  std::vector<WordId> words = {};
  std::vector<std::size_t> ends = {};  // of each document in `words`

  [[nodiscard]] std::size_t documents() const noexcept { return ends.size(); }
  [[nodiscard]] std::size_t begin_of(std::size_t document) const {
    return document == 0 ? 0 : ends[document - 1];
  }
  [[nodiscard]] std::span<const WordId> document(std::size_t index) const {
    return std::span(words).subspan(begin_of(index), ends[index] - begin_of(index));
  }
};

// The same with what tokenising found besides.
struct TokenSample {
  TokenText text = {};
  std::vector<std::uint8_t> is_unknown = {};  // by token: no word of the model, and counted as the anchor
  std::uint64_t unknown = 0;
};

// Splits documents and looks their tokens up as `privatize` does; a token that the model does not have is the
// anchor.
class Tokeniser {
 public:
  enum class Html { keep, strip };
  // `anchor`: empty for the model's default. Throws Error(usage) if the model does not have it.
  Tokeniser(std::shared_ptr<const Model> model, std::string_view anchor, Html html);
  ~Tokeniser();
  Tokeniser(const Tokeniser&) = delete;
  Tokeniser& operator=(const Tokeniser&) = delete;
  // Appends one document. Throws Error(bad_data) on bad UTF-8, with the number of the document, from 1.
  void add(std::string_view document, TokenSample& out);
  [[nodiscard]] WordId anchor() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto
