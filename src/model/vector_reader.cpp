#include "model/vector_reader.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kFirstBuffer = 1 << 18;
constexpr std::size_t kLongestLine = 1 << 24;  // 65,536 dimensions take about 1.5 MB

}  // namespace

VectorReader::VectorReader(ByteSource& source, std::string label)
    : source_(source), label_(std::move(label)), buffer_(kFirstBuffer, '\0') {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (peek(kByteOrderMark.size()).starts_with(kByteOrderMark)) skip(kByteOrderMark.size());
}

// Makes room behind end_ and reads once; false at the end of the source.
bool VectorReader::fill() {
  if (end_ == buffer_.size() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

std::string_view VectorReader::peek(std::size_t size) {
  while (end_ - begin_ < size && fill()) {
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

std::optional<std::string_view> VectorReader::next_line() {
  std::size_t searched = 0;
  for (;;) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const std::size_t newline = rest.find('\n', searched);
    if (newline != std::string_view::npos || !fill()) {
      if (newline == std::string_view::npos && begin_ == end_) return std::nullopt;
      std::string_view line(buffer_.data() + begin_,
                            newline == std::string_view::npos ? end_ - begin_ : newline);
      begin_ += line.size() + (newline == std::string_view::npos ? 0 : 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++line_number_;
      return line;
    }
    searched = rest.size();
    if (searched > kLongestLine) {
      throw Error(ErrorCode::bad_data,
                  fmt::format("{}: line {} is longer than {} MB, so this is not a text file of vectors "
                              "or of words; check which file was given",
                              label_, line_number_ + 1, kLongestLine >> 20));
    }
  }
}

}  // namespace sotto
