#include "measure/word_lines.h"

#include <fmt/format.h>

#include "model/unicode.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::string_view kSpace = " \t\r\n\v\f";
constexpr std::string_view kMark = "\xEF\xBB\xBF";

std::string from_latin1(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return out;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string_view given_word(std::string_view text) {
  return is_valid_utf8(text) ? trimmed(text) : std::string_view();
}

bool WordLines::raw_line(std::string& line) {
  for (;;) {
    const std::size_t end = buffer_.find('\n', place_);
    if (end != std::string::npos) {
      line.assign(buffer_, place_, end - place_);
      place_ = end + 1;
      ++number_;
      return true;
    }
    buffer_.erase(0, place_);
    place_ = 0;
    if (buffer_.size() > kLongestLine) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format("line {} is over 1 MB long: this is not a file with one word per line", number_ + 1));
    }
    const std::size_t kept = buffer_.size();
    buffer_.resize(kept + kReadBytes);
    const std::size_t got = source_.read(buffer_.data() + kept, kReadBytes);
    buffer_.resize(kept + got);
    if (got > 0) continue;
    line = std::move(buffer_);
    buffer_.clear();
    number_ += line.empty() ? 0 : 1;
    return !line.empty();
  }
}

bool WordLines::next(std::string& line) {
  std::string raw;
  while (raw_line(raw)) {
    std::string_view text = raw;
    if (number_ == 1 && text.starts_with(kMark)) text.remove_prefix(kMark.size());
    text = trimmed(text);
    if (text.empty() || text.front() == ';') continue;
    if (is_valid_utf8(text)) {
      line.assign(text);
    } else {
      ++latin1_lines_;
      line = from_latin1(text);
    }
    return true;
  }
  return false;
}

TwoColumns two_columns(std::string_view line) {
  for (const char separator : {'\t', ',', ' '}) {
    const std::size_t place = line.rfind(separator);
    if (place == std::string_view::npos) continue;
    return {.first = trimmed(line.substr(0, place)), .second = trimmed(line.substr(place + 1))};
  }
  return {.first = line, .second = {}};
}

}  // namespace sotto
