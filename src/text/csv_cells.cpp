#include "text/csv_cells.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sotto {
namespace {

const char* find_byte(const char* from, const char* to, char byte) {
  return static_cast<const char*>(std::memchr(from, byte, static_cast<std::size_t>(to - from)));
}

}  // namespace

std::string CsvCell::text() const {
  if (!is_quoted) return std::string(raw);
  std::string text;
  text.reserve(raw.size());
  std::string_view rest = raw.substr(1, raw.size() - 2);
  for (auto at = rest.find('"'); at != std::string_view::npos; at = rest.find('"')) {
    text += rest.substr(0, at + 1);
    rest.remove_prefix(std::min(at + 2, rest.size()));  // of a doubled quote one is left
  }
  return text += rest;
}

void CsvCell::add_to(PieceCutter& pieces, std::uint64_t line) const {
  if (has_doubled_quotes) return pieces.decoded_document(raw, text(), line);
  pieces.document(raw, is_quoted ? raw.substr(1, raw.size() - 2) : raw, line);
}

bool CsvCursor::skip_blank_line() {
  const std::string_view rest = text_.substr(position_);
  if (!rest.starts_with('\n') && !rest.starts_with("\r\n")) return false;
  position_ += rest.starts_with('\n') ? 1 : 2;
  ++line_;
  return true;
}

CsvCell CsvCursor::next() {
  return !at_end() && text_[position_] == '"' ? quoted_cell() : unquoted_cell();
}

CsvCell CsvCursor::quoted_cell() {
  const std::size_t start = position_;
  bool has_doubled_quotes = false;
  std::size_t close = text_.find('"', start + 1);
  while (close != std::string_view::npos && close + 1 < text_.size() && text_[close + 1] == '"') {
    has_doubled_quotes = true;
    close = text_.find('"', close + 2);
  }
  if (close == std::string_view::npos) {
    throw bad_line(line_, "a quoted cell opens here and is never closed");
  }
  CsvCell cell{text_.substr(start, close + 1 - start), true, has_doubled_quotes, true};
  line_ += count_lines(cell.raw);
  position_ = close + 1;
  const std::string_view rest = text_.substr(position_);
  if (rest.starts_with(separator_)) {
    position_ += 1;
    cell.ends_record = false;
  } else if (!rest.empty() && !skip_blank_line()) {
    if (rest.starts_with('\r')) throw lone_carriage_return(line_);
    throw bad_line(line_, "text after the closing quote of a cell; a quote inside quotes must be doubled");
  }
  return cell;
}

CsvCell CsvCursor::unquoted_cell() {
  const std::size_t start = position_;
  std::size_t end = start;
  while (end < text_.size() && text_[end] != separator_ && text_[end] != '\n') ++end;
  const bool has_line_end = end < text_.size() && text_[end] == '\n';
  CsvCell cell{text_.substr(start, end - start), false, false, has_line_end || end == text_.size()};
  position_ = std::min(end + 1, text_.size());
  if (has_line_end && cell.raw.ends_with('\r')) cell.raw.remove_suffix(1);
  if (cell.raw.find('\r') != std::string_view::npos) throw lone_carriage_return(line_);
  // Python's csv reads this quote as an ordinary character, but readers that skip blanks open a quoted cell.
  const std::size_t first = cell.raw.find_first_not_of(" \t");
  if (first != std::string_view::npos && cell.raw[first] == '"') {
    throw bad_line(line_, "blanks before the opening quote of a cell; the quote must come first (RFC 4180)");
  }
  if (has_line_end) ++line_;
  return cell;
}

// After a mismatch the bytes that did match were the start of an unquoted cell.
const char* CsvRecordScanner::skip_byte_order_mark(const char* at, const char* end) {
  while (at != end && mark_bytes_ < kByteOrderMark.size()) {
    if (*at != kByteOrderMark[mark_bytes_]) {
      if (mark_bytes_ > 0) state_ = State::unquoted;
      mark_bytes_ = kByteOrderMark.size();
      break;
    }
    ++mark_bytes_;
    ++at;
  }
  return at;
}

// Stops behind a quote that opens a cell (state_ is then `quoted`), else at `stop`.
const char* CsvRecordScanner::walk_unquoted(const char* at, const char* stop) {
  if (at == stop) return at;
  if (find_byte(at, stop, '"') == nullptr) {
    state_ = stop[-1] == separator_ ? State::cell_start : State::unquoted;
    return stop;
  }
  for (; at != stop; ++at) {
    if (*at == '"' && state_ == State::cell_start) {
      state_ = State::quoted;
      return at + 1;
    }
    state_ = *at == separator_ ? State::cell_start : State::unquoted;
  }
  return at;
}

std::size_t CsvRecordScanner::record_end(std::string_view next) {
  const char* const end = next.data() + next.size();
  const char* at = skip_byte_order_mark(next.data(), end);
  const char* newline = nullptr;  // the first at or after `at`, or `end`; searched for once per line
  while (at != end) {
    if (state_ == State::quoted) {
      const char* const quote = find_byte(at, end, '"');
      if (quote == nullptr) break;
      at = quote + 1;
      state_ = State::quote_in_quoted;
      continue;
    }
    if (state_ == State::quote_in_quoted) {
      const bool is_doubled = *at == '"';
      state_ = is_doubled ? State::quoted : State::unquoted;
      at += is_doubled ? 1 : 0;
      continue;
    }
    if (newline == nullptr || newline < at) {
      newline = find_byte(at, end, '\n');
      if (newline == nullptr) newline = end;
    }
    at = walk_unquoted(at, newline);
    if (state_ != State::quoted && at == newline && newline != end) {
      state_ = State::cell_start;
      return static_cast<std::size_t>(newline + 1 - next.data());
    }
  }
  return Format::kOpen;
}

}  // namespace sotto
