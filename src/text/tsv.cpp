#include "text/tsv.h"

#include <algorithm>

#include "text/format_columns.h"

namespace sotto {
namespace {

struct TsvCell {
  std::string_view raw;
  bool ends_record = false;

  [[nodiscard]] std::string text() const { return std::string(raw); }
  void add_to(PieceCutter& pieces, std::uint64_t line) const { pieces.document(raw, raw, line); }
};

class TsvCursor {
 public:
  TsvCursor(std::string_view records, std::size_t start, std::uint64_t line)
      : text_(records), position_(start), line_(line) {}

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
    TsvCell cell{text_.substr(start, end - start), end == text_.size() || text_[end] == '\n'};
    position_ = std::min(end + 1, text_.size());
    if (end < text_.size() && cell.ends_record) {
      if (cell.raw.ends_with('\r')) cell.raw.remove_suffix(1);
      ++line_;
    }
    return cell;
  }

 private:
  std::string_view text_;
  std::size_t position_;
  std::uint64_t line_;
};

class Tsv final : public Format {
 public:
  Tsv(TableHeader header, const std::vector<std::string>& wanted) : columns_(wanted, header) {}

  std::size_t record_end(std::string_view next) override { return line_end(next); }

  bool begin(std::string_view record, std::uint64_t line) override {
    std::vector<std::string> cells = read_row(TsvCursor(record, byte_order_mark(record, line), line));
    if (cells.empty()) return false;
    columns_.resolve(std::move(cells));
    return true;
  }

  void parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const override {
    PieceCutter pieces(chunk, out);
    parse_table(TsvCursor(chunk, byte_order_mark(chunk, first_line), first_line), first_line, columns_,
                pieces);
  }

  // Words hold neither tab nor LF (both are white space), and the cell had none: nothing to escape.
  void append_document(std::string_view /*raw*/, std::string_view replacement,
                       std::string& out) const override {
    out += replacement;
  }

  [[nodiscard]] std::vector<std::string> passed_through() const override { return columns_.passed_numbers(); }
  [[nodiscard]] std::vector<std::string> passed_names() const override { return columns_.passed_names(); }

 private:
  ColumnChoice columns_;
};

}  // namespace

std::unique_ptr<Format> make_tsv(const FormatOptions& options) {
  return std::make_unique<Tsv>(options.header, options.columns);
}

}  // namespace sotto
