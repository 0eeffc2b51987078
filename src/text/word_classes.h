#pragma once
#include <array>
#include <cstdint>

namespace sotto {

// What a code point does at word boundaries (UAX 29) and in tokens (text/words.h). A text of `needs_icu`-free
// code points is split by these classes alone; ICU decides everything else.
enum class WordClass : std::uint8_t {
  clear,       // its own segment, outside tokens: space, most punctuation
  symbol,      // its own segment and a token: + $ emoji
  letter,      // joins with letters, digits and connectors
  digit,       // the same
  connector,   // the same, but no end of a token: _
  mid_letter,  // joins between two letters
  mid_digit,   // joins between two digits: ,
  mid_both,    // joins between two letters or two digits: ' .
  dictionary,  // Han and Kana, of which DictionaryWords (text/dictionary_words.h) makes words
  needs_icu,   // combines with its neighbours in other ways, or belongs to a script that only ICU can split
};

// The classes of code points, asked from ICU once in a process: the program follows the rules of the ICU it
// runs with.
class WordClasses {
 public:
  static const std::array<WordClass, 128>& ascii();
  // The code point must not be ASCII. Each table is made when a text first needs it: making the one of East
  // Asia takes some milliseconds.
  static WordClass of(char32_t c);
};

}  // namespace sotto
