#include "text/text_lines.h"

#include "text/format_pieces.h"

namespace sotto {
namespace {

class TextLines final : public Format {
 public:
  std::size_t record_end(std::string_view next) override { return line_end(next); }
  bool begin(std::string_view /*record*/, std::uint64_t /*line*/) override { return true; }
  void parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const override;
  void append_document(std::string_view /*raw*/, std::string_view replacement,
                       std::string& out) const override {
    out += replacement;
  }
  [[nodiscard]] std::vector<std::string> passed_through() const override { return {}; }
};

void TextLines::parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const {
  PieceCutter pieces(chunk, out);
  std::string_view rest = chunk.substr(byte_order_mark(chunk, first_line));
  for (std::uint64_t line = first_line; !rest.empty(); ++line) {
    const std::size_t end = line_end(rest);
    std::string_view text = rest;
    if (end != kOpen) {
      text = rest.substr(0, end - 1);
      if (text.ends_with('\r')) text.remove_suffix(1);
    }
    pieces.next_record();
    pieces.document(text, text, line);
    rest.remove_prefix(end == kOpen ? rest.size() : end);
  }
  pieces.finish();
}

}  // namespace

std::unique_ptr<Format> make_text_lines(const ReadingOptions& /*options*/) {
  return std::make_unique<TextLines>();
}

}  // namespace sotto
