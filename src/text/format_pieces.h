#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/error.h"
#include "text/format.h"

namespace sotto {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Length of the byte order mark at the start of a file's first chunk; 0 for every other chunk.
std::size_t byte_order_mark(std::string_view chunk, std::uint64_t first_line);

// "line 7: <what>", as Error(bad_data). `what` must not hold anything read from the line.
Error bad_line(std::uint64_t line, std::string_view what);

// For csv and tsv: a CR outside quotes that no LF follows.
Error lone_carriage_return(std::uint64_t line);

// Names of columns or keys for a message: 'id', 'text', #3. A name that is long or holds control
// characters is shown by its number: it may be text that stands where a name is expected.
std::string name_list(std::span<const std::string> names);
std::string shown_name(const std::string& name, std::size_t number);

// End of the record that starts `next` for formats whose records are lines.
std::size_t line_end(std::string_view next);
// How many line ends `bytes` has.
std::uint64_t count_lines(std::string_view bytes);

// Fills a ParsedChunk so that its pieces cover the chunk: what lies between documents is copied.
class PieceCutter {
 public:
  PieceCutter(std::string_view chunk, ParsedChunk& out);
  // `raw` lies in the chunk, after every earlier one; `text` outlives the ParsedChunk's use.
  void document(std::string_view raw, std::string_view text, std::uint64_t line);
  // For a document whose text is not a part of the chunk.
  void decoded_document(std::string_view raw, std::string text, std::uint64_t line);
  // The documents that follow belong to the next record.
  void next_record() { ++record_; }
  void finish();

 private:
  void copy_up_to(const char* end);

  const char* next_;
  const char* end_;
  ParsedChunk* out_;
  std::uint32_t record_ = 0;
};

}  // namespace sotto
