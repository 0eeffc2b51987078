#include "text/format_pieces.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sotto {

std::size_t byte_order_mark(std::string_view chunk, std::uint64_t first_line) {
  return first_line == 1 && chunk.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

Error bad_line(std::uint64_t line, std::string_view what) {
  return {ErrorCode::bad_data, fmt::format("line {}: {}", line, what)};
}

Error lone_carriage_return(std::uint64_t line) {
  return bad_line(line,
                  "a carriage return (CR) without a line feed (LF) after it; some readers end a row there. "
                  "Convert the line ends to LF or CRLF, or put the cell in quotes");
}

namespace {

constexpr std::size_t kLongestShownName = 64;
constexpr std::size_t kShownNames = 50;

bool may_be_shown(const std::string& name) {
  if (name.empty() || name.size() > kLongestShownName) return false;
  if (!simdjson::validate_utf8(name.data(), name.size())) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto byte = static_cast<unsigned char>(name[i]);
    if (byte < 0x20 || byte == 0x7F) return false;
    // U+0080 to U+009F: control characters that terminals obey.
    if (byte == 0xC2 && static_cast<unsigned char>(name[i + 1]) < 0xA0) return false;
  }
  return true;
}

}  // namespace

std::string shown_name(const std::string& name, std::size_t number) {
  return may_be_shown(name) ? name : fmt::format("#{}", number);
}

std::string name_list(std::span<const std::string> names) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kShownNames); ++i) {
    if (i > 0) list += ", ";
    list += may_be_shown(names[i]) ? fmt::format("'{}'", names[i]) : fmt::format("#{}", i + 1);
  }
  if (names.size() > kShownNames) list += fmt::format(" and {} more", names.size() - kShownNames);
  return list;
}

std::size_t line_end(std::string_view next) {
  const auto at = next.find('\n');
  return at == std::string_view::npos ? Format::kOpen : at + 1;
}

// From line end to line end: lines are long, and a search looks at many bytes at a time.
std::uint64_t count_lines(std::string_view bytes) {
  std::uint64_t lines = 0;
  for (auto at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) ++lines;
  return lines;
}

void ParsedChunk::clear() {
  pieces.clear();
  documents.clear();
  decoded.clear();
  document_lines.clear();
  records.clear();
  layout = {};
}

PieceCutter::PieceCutter(std::string_view chunk, ParsedChunk& out)
    : next_(chunk.data()), end_(chunk.data() + chunk.size()), out_(&out) {
  out.clear();
}

void PieceCutter::copy_up_to(const char* end) {
  if (next_ != end) out_->pieces.push_back({{next_, static_cast<std::size_t>(end - next_)}, Piece::kCopied});
  next_ = end;
}

void PieceCutter::document(std::string_view raw, std::string_view text, std::uint64_t line) {
  copy_up_to(raw.data());
  out_->pieces.push_back({raw, out_->documents.size()});
  out_->documents.push_back(text);
  out_->document_lines.push_back(line);
  out_->records.push_back(record_);
  next_ = raw.data() + raw.size();
}

void PieceCutter::decoded_document(std::string_view raw, std::string text, std::uint64_t line) {
  out_->decoded.push_back(std::move(text));
  document(raw, out_->decoded.back(), line);
}

void PieceCutter::finish() {
  copy_up_to(end_);
}

}  // namespace sotto
