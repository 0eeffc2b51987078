#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/error.h"
#include "text/dictionary_words.h"
#include "text/icu_words.h"
#include "text/token.h"
#include "text/word_blocks.h"

namespace sotto {

// Bad UTF-8 (or another fault) in one document of a batch; the format layer turns the index into a
// line number.
class BadDocument : public Error {
 public:
  BadDocument(std::size_t document, const std::string& message)
      : Error(ErrorCode::bad_data, message), document_(document) {}
  [[nodiscard]] std::size_t document() const noexcept { return document_; }

 private:
  std::size_t document_;
};

// Splits UTF-8 text by Unicode word boundaries (UAX 29, ICU). A code point stays outside tokens only if
// it is White_Space or of general category P; all others (letters, digits, symbols, marks, format,
// private use, unassigned, control) lie in some token. Punctuation inside a word segment (don't, 3.14)
// belongs to it; at its ends it does not, and @ always separates. Not thread-safe: one per thread.
//
// Tokens are those of IcuWords, to the byte. Stretches of ASCII are split 64 bytes at a time
// (text/word_blocks.h), other stretches by the classes of their code points (text/word_classes.h), Han and
// Kana by ICU's dictionary (text/dictionary_words.h); where these do not decide, ICU splits.
class WordBreaker {
 public:
  // Appends the tokens of `text` in order. Throws Error(bad_data) on bad UTF-8.
  void split(std::string_view text, std::vector<Token>& out);

 private:
  IcuWords icu_;
  DictionaryWords dictionary_;
  std::vector<WordBlock> blocks_;  // of the last text
};

// The folded form (text/folding.h) of a row's word if the tokeniser would return it whole, else empty. The
// rule that model import applies (model/import.h takes it as a function: model may not include text).
std::optional<std::string> importable_word(std::string_view raw);

}  // namespace sotto
