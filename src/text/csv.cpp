#include "text/csv.h"

#include "text/csv_cells.h"
#include "text/format_columns.h"

namespace sotto {
namespace {

class QuotedTable final : public Format {
 public:
  QuotedTable(const ReadingOptions& options, char separator)
      : separator_(separator),
        needs_quotes_{separator, '"', '\r', '\n'},
        scanner_(separator),
        columns_(options) {}

  std::size_t record_end(std::string_view next) override { return scanner_.record_end(next); }
  bool begin(std::string_view record, std::uint64_t line) override;
  void parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const override;
  void append_document(std::string_view raw, std::string_view replacement, std::string& out) const override;
  [[nodiscard]] std::vector<std::string> passed_through() const override { return columns_.passed_numbers(); }
  [[nodiscard]] std::vector<std::string> passed_names() const override { return columns_.passed_names(); }
  [[nodiscard]] std::vector<std::string> notices() const override { return columns_.notices(); }
  [[nodiscard]] std::vector<std::string> allowed_leaks() const override { return columns_.allowed_leaks(); }

 private:
  [[nodiscard]] CsvCursor cursor(std::string_view records, std::uint64_t line) const {
    return {records, byte_order_mark(records, line), line, separator_};
  }

  char separator_;
  std::string needs_quotes_;
  CsvRecordScanner scanner_;
  ColumnChoice columns_;
};

bool QuotedTable::begin(std::string_view record, std::uint64_t line) {
  refuse_nul_bytes(record, line);
  std::vector<std::string> cells = read_row(cursor(record, line));
  if (cells.empty()) return false;
  columns_.resolve(std::move(cells));
  return true;
}

void QuotedTable::parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const {
  refuse_nul_bytes(chunk, first_line);
  PieceCutter pieces(chunk, out);
  parse_table(cursor(chunk, first_line), first_line, columns_, pieces, out.layout);
}

// Quotes depend on the new text only. Copied from the input they would show, under writers that quote strings
// and no numbers, which cells were numbers.
void QuotedTable::append_document(std::string_view /*raw*/, std::string_view replacement,
                                  std::string& out) const {
  // Without quotes a row that has only this cell would be an empty line.
  const bool is_lost = replacement.empty() && columns_.may_have_lone_cells();
  // Without quotes, at the start of a file, these bytes would be the file's mark and not the cell's text.
  const bool is_mark = replacement.starts_with(kByteOrderMark);
  if (!is_lost && !is_mark && replacement.find_first_of(needs_quotes_) == std::string_view::npos) {
    out += replacement;
    return;
  }
  out += '"';
  for (std::size_t quote = replacement.find('"'); quote != std::string_view::npos;
       quote = replacement.find('"')) {
    out += replacement.substr(0, quote);
    out += "\"\"";
    replacement.remove_prefix(quote + 1);
  }
  out += replacement;
  out += '"';
}

}  // namespace

std::unique_ptr<Format> make_quoted_table(const ReadingOptions& options, char separator) {
  return std::make_unique<QuotedTable>(options, separator);
}

std::unique_ptr<Format> make_csv(const ReadingOptions& options) {
  return make_quoted_table(options, options.value(kDelimiter).front());
}

}  // namespace sotto
