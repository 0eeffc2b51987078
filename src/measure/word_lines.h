#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/byte_stream.h"

namespace sotto {

// The lines of a file of words: without line end, byte order mark and surrounding white space; blank lines
// and those that begin with ';' (the opinion lexicon's comments) are left out. A line that is not UTF-8 is
// read as Latin-1, as such old lists are.
class WordLines {
 public:
  explicit WordLines(ByteSource& source) : source_(source) {}
  // False at the end. Throws Error(bad_data) on a line over 1 MB: then this is no list of words.
  bool next(std::string& line);
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }  // 1-based, of the last line
  [[nodiscard]] std::uint64_t latin1_lines() const noexcept { return latin1_lines_; }

 private:
  bool raw_line(std::string& line);
  ByteSource& source_;
  std::string buffer_;
  std::size_t place_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t latin1_lines_ = 0;
};

// Without surrounding white space.
std::string_view trimmed(std::string_view text);
// A word from memory, trimmed as those of a file are. Empty, which is no word, if it is not UTF-8.
std::string_view given_word(std::string_view text);

// A line of two columns, separated by the last tab, else the last comma, else the last space.
struct TwoColumns {
  std::string_view first;
  std::string_view second;
};
// Either is empty if there are not two.
TwoColumns two_columns(std::string_view line);

}  // namespace sotto
