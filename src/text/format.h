#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/privatizer.h"
#include "sotto/reading.h"

namespace sotto {

// A chunk of whole records cut into what is copied and what is a document. `pieces` in order cover
// `chunk`: raw bytes to copy, or the raw bytes of one document with its decoded text.
struct Piece {
  std::string_view raw;
  std::size_t document = kCopied;  // index into ParsedChunk::documents
  static constexpr std::size_t kCopied = static_cast<std::size_t>(-1);
};
struct ParsedChunk {
  std::vector<Piece> pieces;
  std::vector<std::string_view> documents;    // decoded; point into the chunk or into `decoded`
  std::deque<std::string> decoded;            // addresses stay as it grows
  std::vector<std::uint64_t> document_lines;  // 1-based line of each document, for messages
  std::vector<std::uint32_t> records;         // of each document: its row or line, counted in this chunk
  LayoutCounts layout;                        // of this chunk
  void clear();
};

// How one file is cut into documents. record_end() and begin() are called by the reading thread, in the order
// of the bytes; parse() and append_document() by any worker afterwards. A UTF-8 byte order mark at the start
// of the file is copied. Errors name the line and never quote it.
class Format {
 public:
  static constexpr std::size_t kOpen = static_cast<std::size_t>(-1);

  virtual ~Format() = default;
  // How many bytes of `next` belong to the current record, its line end included; kOpen if it goes on
  // past them. `next` starts where the last call's answer ended, or, after kOpen, where its bytes
  // ended: every byte is scanned once, however the input is split. Never throws on bad data (parse
  // does, which knows the line); at the end of the input an open record is a whole one.
  virtual std::size_t record_end(std::string_view next) = 0;
  // Sees the first record of the file (the header, if there is one) and resolves the columns or
  // fields. False for a blank line that is no record: then the next one is to be shown as well.
  // Throws Error(usage) for a column or field that is not there. The message says how many there are, without
  // their names: they are text of the file.
  virtual bool begin(std::string_view record, std::uint64_t line) = 0;
  // `first_line` is the chunk's 1-based first line; the chunk at line 1 has the header.
  virtual void parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const = 0;
  // Called once, after every chunk was parsed and before the output gets its name. Throws Error if the whole
  // input shows that an option was mistyped.
  virtual void check_end() const {}
  // Appends a document's replacement, quoted or escaped as its new text needs.
  virtual void append_document(std::string_view raw, std::string_view replacement,
                               std::string& out) const = 0;
  // What passes through in clear because it was not chosen, in words that may be shown to everybody: 1-based
  // numbers of columns; for jsonl "every field but the chosen ones"; empty for text.
  [[nodiscard]] virtual std::vector<std::string> passed_through() const = 0;
  // The same columns by name, for the data holder's report only: a name is a cell of the file, which is data
  // if the file has no header after all. Empty for formats without columns.
  [[nodiscard]] virtual std::vector<std::string> passed_names() const { return {}; }
  // What a person is to be told, in words that may be shown to everybody: what is taken for a header, and
  // what passes through.
  [[nodiscard]] virtual std::vector<std::string> notices() const { return {}; }
  // One sentence for each thing that an option allowed to pass in clear (for example short rows). They depend
  // on the options only, never on the file: public reports hold them.
  [[nodiscard]] virtual std::vector<std::string> allowed_leaks() const { return {}; }
};

// One row of the table of formats: all that the rest of the program knows of a format.
struct FormatInfo {
  std::string_view name;
  std::string_view extensions;                         // ".jsonl .ndjson"
  const ReadingOption* chosen_by = nullptr;            // what must be said; null: nothing
  std::span<const ReadingOption* const> options = {};  // what it understands, that one included
  std::unique_ptr<Format> (*make)(const ReadingOptions& options) = nullptr;
};

// In the order that lists show them. The first is that of every file whose extension no format has.
std::span<const FormatInfo> formats();
const FormatInfo& default_format();
// Throws Error(usage) that lists the names.
const FormatInfo& find_format(std::string_view name);
// By extension, below .gz / .zst; "-" has none.
const FormatInfo& format_of_name(const std::filesystem::path& path);

// options.format_of(input), made. Throws what that throws.
std::unique_ptr<Format> make_format(const ReadingOptions& options, const std::filesystem::path& input = "-");

}  // namespace sotto
