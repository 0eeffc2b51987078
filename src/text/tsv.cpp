#include "text/tsv.h"

#include <algorithm>

#include "text/csv.h"

namespace sotto {
namespace {

bool begins_with_quote(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of(' ');
  return first != std::string_view::npos && cell[first] == '"';
}

enum class Quotes { refused, ordinary };  // at the start of a cell

struct TsvCell {
  std::string_view raw;
  bool ends_record = false;

  [[nodiscard]] std::string text() const { return std::string(raw); }
  void add_to(PieceCutter& pieces, std::uint64_t line) const { pieces.document(raw, raw, line); }
};

// Cells of the literal dialect. Throws Error(bad_data) on a CR without LF and, unless quotes are ordinary,
// on a cell that begins with a quote.
class TsvCursor {
 public:
  TsvCursor(std::string_view records, std::uint64_t line, Quotes quotes)
      : text_(records), position_(byte_order_mark(records, line)), line_(line), quotes_(quotes) {}

  [[nodiscard]] bool at_end() const noexcept { return position_ == text_.size(); }
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

  bool skip_blank_line() {
    const std::string_view rest = text_.substr(position_);
    if (!rest.starts_with('\n') && !rest.starts_with("\r\n")) return false;
    position_ += rest.starts_with('\n') ? 1 : 2;
    ++line_;
    return true;
  }

  TsvCell next() {
    const std::size_t start = position_;
    std::size_t end = start;
    while (end < text_.size() && text_[end] != '\t' && text_[end] != '\n') ++end;
    const bool has_line_end = end < text_.size() && text_[end] == '\n';
    TsvCell cell{text_.substr(start, end - start), has_line_end || end == text_.size()};
    position_ = std::min(end + 1, text_.size());
    if (has_line_end && cell.raw.ends_with('\r')) cell.raw.remove_suffix(1);
    check(cell.raw);
    if (has_line_end) ++line_;
    return cell;
  }

 private:
  void check(std::string_view cell) const {
    if (cell.find('\r') != std::string_view::npos) throw lone_carriage_return(line_);
    if (quotes_ == Quotes::refused && begins_with_quote(cell)) {
      throw bad_line(
          line_,
          "a cell begins with a quote, which writers of TSV use in two ways; say `tsv-quotes` literal "
          "if quotes are ordinary characters and every line is a row, or `tsv-quotes` excel if they "
          "enclose cells, as Excel and Python's excel-tab write them");
    }
  }

  std::string_view text_;
  std::size_t position_;
  std::uint64_t line_;
  Quotes quotes_;
};

class Tsv final : public Format {
 public:
  explicit Tsv(const ReadingOptions& options)
      : quotes_(options.value(kTsvQuotes) == "literal" ? Quotes::ordinary : Quotes::refused),
        columns_(options) {}

  std::size_t record_end(std::string_view next) override { return line_end(next); }

  bool begin(std::string_view record, std::uint64_t line) override {
    refuse_nul_bytes(record, line);
    std::vector<std::string> cells = read_row(TsvCursor(record, line, quotes_));
    if (cells.empty()) return false;
    columns_.resolve(std::move(cells));
    return true;
  }

  void parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const override {
    refuse_nul_bytes(chunk, first_line);
    PieceCutter pieces(chunk, out);
    parse_table(TsvCursor(chunk, first_line, quotes_), first_line, columns_, pieces, out.layout);
  }

  void append_document(std::string_view raw, std::string_view replacement, std::string& out) const override;

  [[nodiscard]] std::vector<std::string> passed_through() const override { return columns_.passed_numbers(); }
  [[nodiscard]] std::vector<std::string> passed_names() const override { return columns_.passed_names(); }
  [[nodiscard]] std::vector<std::string> notices() const override { return columns_.notices(); }
  [[nodiscard]] std::vector<std::string> allowed_leaks() const override { return columns_.allowed_leaks(); }

 private:
  Quotes quotes_;
  ColumnChoice columns_;
};

// The cell had no separator and, unless quotes are ordinary, no quote at its start. Words of a model have
// none either, but strip-html decodes &quot; and the policy `drop` removes what stood before a quote.
void Tsv::append_document(std::string_view raw, std::string_view replacement, std::string& out) const {
  if (replacement.find_first_of("\t\r\n") != std::string_view::npos) {
    throw Error(
        ErrorCode::bad_data,
        "a privatised cell holds a tab or a line end, which this TSV cannot hold; try `tsv-quotes` excel");
  }
  if (quotes_ == Quotes::refused && replacement.starts_with('"')) {
    throw Error(
        ErrorCode::bad_data,
        "a privatised cell begins with a quote, which readers of TSV read in two ways; say `tsv-quotes` "
        "literal or `tsv-quotes` excel");
  }
  if (replacement.empty() && !raw.empty() && columns_.may_have_lone_cells()) {
    throw Error(ErrorCode::bad_data,
                "a privatised cell is empty and may be alone in its row, which would be an empty line; say "
                "`tsv-quotes` excel");
  }
  out += replacement;
}

}  // namespace

std::unique_ptr<Format> make_tsv(const ReadingOptions& options) {
  if (options.value(kTsvQuotes) == "excel") return make_quoted_table(options, '\t');
  return std::make_unique<Tsv>(options);
}

}  // namespace sotto
