#include "text/csv.h"

#include "text/csv_cells.h"
#include "text/format_columns.h"

namespace sotto {
namespace {

class Csv final : public Format {
 public:
  Csv(TableHeader header, const std::vector<std::string>& wanted) : columns_(wanted, header) {}

  std::size_t record_end(std::string_view next) override { return scanner_.record_end(next); }
  bool begin(std::string_view record, std::uint64_t line) override;
  void parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const override;
  void append_document(std::string_view raw, std::string_view replacement, std::string& out) const override;
  [[nodiscard]] std::vector<std::string> passed_through() const override { return columns_.passed_numbers(); }
  [[nodiscard]] std::vector<std::string> passed_names() const override { return columns_.passed_names(); }

 private:
  CsvRecordScanner scanner_;
  ColumnChoice columns_;
};

bool Csv::begin(std::string_view record, std::uint64_t line) {
  std::vector<std::string> cells = read_row(CsvCursor(record, byte_order_mark(record, line), line));
  if (cells.empty()) return false;
  columns_.resolve(std::move(cells));
  return true;
}

void Csv::parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const {
  PieceCutter pieces(chunk, out);
  parse_table(CsvCursor(chunk, byte_order_mark(chunk, first_line), first_line), first_line, columns_, pieces);
}

void Csv::append_document(std::string_view raw, std::string_view replacement, std::string& out) const {
  const bool was_quoted = raw.starts_with('"');
  if (!was_quoted && replacement.find_first_of(",\"\r\n") == std::string_view::npos) {
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

std::unique_ptr<Format> make_csv(const FormatOptions& options) {
  return std::make_unique<Csv>(options.header, options.columns);
}

}  // namespace sotto
