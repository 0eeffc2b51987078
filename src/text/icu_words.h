#pragma once
#include <unicode/umachine.h>
#include <unicode/utypes.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "text/token.h"

U_NAMESPACE_BEGIN
class BreakIterator;
U_NAMESPACE_END

namespace sotto {

// Clear: may stay outside tokens (White_Space, category P). Alphanumeric: category L or N.
enum class WordKind : std::uint8_t { clear, symbol, alphanumeric };
WordKind word_kind(UChar32 c);

// Throws Error(internal), which says what ICU could not do.
void check_icu(UErrorCode status, const char* what);

// An iterator over word boundaries in the root locale, for one thread.
std::unique_ptr<icu::BreakIterator> word_iterator();

// The tokens of text/words.h by ICU alone: slow, and right for every text. Not thread-safe.
class IcuWords {
 public:
  IcuWords();
  ~IcuWords();
  IcuWords(IcuWords&&) noexcept;
  // `text` is valid UTF-8 of at most 2^31 - 1 bytes and begins at byte `offset` of its document. Appends to
  // `out`.
  void split(std::string_view text, std::uint32_t offset, std::vector<Token>& out);
  // The ends of the segments of `text` between word boundaries (UAX 29), in bytes. Valid until the next call.
  // ICU reads UTF-16 here: its dictionaries would convert every other encoding, one code point at a time.
  std::span<const std::int32_t> segments(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sotto
