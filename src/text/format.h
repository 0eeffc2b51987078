#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

enum class FormatKind { text, csv, tsv, jsonl };
std::string_view format_name(FormatKind kind);
FormatKind parse_format(std::string_view name);
// By extension, below .gz / .zst: .csv .tsv .jsonl .ndjson; everything else, and "-", is text.
FormatKind format_of_name(const std::filesystem::path& path);

struct FormatOptions {
  FormatKind kind = FormatKind::text;
  bool header = true;                  // csv, tsv
  std::vector<std::string> columns;    // csv, tsv: names, or 1-based numbers
  std::vector<std::string> fields;     // jsonl: nested paths, "review.text"
};

// A chunk of whole records cut into what is copied and what is a document. `pieces` in order cover
// `chunk`: raw bytes to copy, or the raw bytes of one document with its decoded text.
struct Piece {
  std::string_view raw;
  std::size_t document = kCopied;  // index into ParsedChunk::documents
  static constexpr std::size_t kCopied = static_cast<std::size_t>(-1);
};
struct ParsedChunk {
  std::vector<Piece> pieces;
  std::vector<std::string_view> documents;  // decoded; point into the chunk or into `decoded`
  std::vector<std::unique_ptr<std::string>> decoded;
  std::vector<std::uint64_t> document_lines;  // 1-based line of each document, for messages
  void clear();
};

// One file's format. begin() and next_boundary() are called by the reading thread, in order;
// parse() and append_document() by any worker afterwards.
class Format {
 public:
  virtual ~Format() = default;
  // How many bytes at the start of `buffer` are whole records not yet scanned; 0 if none is whole.
  // `at_end`: no more bytes follow, so a last record without its line end is whole (and an open quote
  // is Error(bad_data) with the line where it opened).
  virtual std::size_t whole_records(std::string_view buffer, bool at_end) = 0;
  // Sees the first record of the file (the header, if there is one) and resolves the columns. Throws
  // Error(usage) for a column that is not there, listing how many there are (names of columns are
  // metadata, not text: they may be shown).
  virtual void begin(std::string_view first_record) = 0;
  // `first_line` is the chunk's 1-based first line; `is_first` marks the chunk that has the header.
  virtual void parse(std::string_view chunk, std::uint64_t first_line, bool is_first,
                     ParsedChunk& out) const = 0;
  // Appends a document's replacement, quoted or escaped as its raw form and its new text need.
  virtual void append_document(std::string_view raw, std::string_view replacement,
                               std::string& out) const = 0;
  // Names (or 1-based numbers) of the columns that pass through in clear; empty for text. For jsonl
  // "every field but the chosen ones".
  [[nodiscard]] virtual std::vector<std::string> passed_through() const = 0;
};
std::unique_ptr<Format> make_format(const FormatOptions& options);

}  // namespace sotto
