#include "core/npy_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/npy_start.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

template <typename T>
T value_of(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// A signed or unsigned integer of 1, 2, 4 or 8 little-endian bytes, or a truth value.
std::int64_t integer_of(const char* bytes, std::size_t size, bool is_signed) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  if (is_signed && size < 8) {
    const std::size_t unused = 64 - 8 * size;
    return static_cast<std::int64_t>(value << unused) >> unused;
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

NpyNumbers::NpyNumbers(ByteSource& source, std::string label)
    : source_(source), label_(std::move(label)), buffer_(kBuffer) {
  const NpyDictionary dictionary = read_npy_start(source_, label_);
  const std::string_view descr = dictionary.descr;
  constexpr std::string_view kTypes[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"};
  if (descr.size() != 3 || std::ranges::find(kTypes, descr.substr(1)) == std::end(kTypes)) {
    refuse("an array does not hold plain numbers; save it with scipy.sparse.save_npz");
  }
  if (dictionary.shape.size() != 1) {
    refuse("an array has not one dimension; save it with scipy.sparse.save_npz");
  }
  is_big_endian_ = descr[0] == '>';
  kind_ = descr[1];
  item_size_ = static_cast<std::size_t>(descr[2] - '0');
  size_ = dictionary.shape[0];
}

void NpyNumbers::refuse(const char* reason) const {
  throw Error(ErrorCode::bad_data, fmt::format("{}: {}", label_, reason));
}

const char* NpyNumbers::next_item() {
  if (taken_ == size_) throw Error(ErrorCode::internal, "more numbers were asked for than the array has");
  if (at_ == end_) {
    const std::uint64_t left = (size_ - taken_) * item_size_;
    const std::size_t wanted = left / item_size_ < size_ - taken_  // the product wrapped round
                                   ? buffer_.size()
                                   : std::min<std::uint64_t>(left, buffer_.size());
    end_ = read_fully(source_, buffer_.data(), wanted);
    at_ = 0;
    if (end_ < wanted) refuse("an array ends too early; get a whole copy of the file");
  }
  const char* const item = buffer_.data() + at_;
  at_ += item_size_;
  ++taken_;
  if (!is_big_endian_ || item_size_ == 1) return item;
  std::reverse_copy(item, item + item_size_, item_);
  return item_;
}

double NpyNumbers::next() {
  const char* const item = next_item();
  if (kind_ == 'f') return item_size_ == 4 ? double{value_of<float>(item)} : value_of<double>(item);
  const std::int64_t value = integer_of(item, item_size_, kind_ == 'i');
  if (kind_ == 'i') return static_cast<double>(value);
  return static_cast<double>(static_cast<std::uint64_t>(value));
}

std::int64_t NpyNumbers::next_integer() {
  return integer_of(next_item(), item_size_, kind_ == 'i');
}

void NpyNumbers::finish() {
  char extra = 0;
  if (taken_ != size_ || at_ != end_ || source_.read(&extra, 1) != 0) {
    refuse("an array is longer than the others allow, or bytes follow it: the file is damaged");
  }
}

std::string read_npy_text(ByteSource& source, const std::string& label) {
  const auto refuse = [&label] {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("{}: the format of its matrix is not stated; save it with scipy.sparse.save_npz", label));
  };
  constexpr std::size_t kLongest = 16;
  const NpyDictionary dictionary = read_npy_start(source, label);
  const std::string& descr = dictionary.descr;
  const bool is_bytes = descr.size() > 2 && descr[1] == 'S';
  const bool is_wide = descr.size() > 2 && descr[1] == 'U';
  if (!dictionary.shape.empty() || (!is_bytes && !is_wide) || descr.size() > 4 ||
      descr.find_first_not_of("0123456789", 2) != std::string::npos) {
    refuse();
  }
  const auto count = static_cast<std::size_t>(std::stoul(descr.substr(2)));
  if (count > kLongest) refuse();
  const std::size_t width = is_wide ? 4 : 1;
  std::string bytes(count * width, '\0');
  char extra = 0;
  if (read_fully(source, bytes.data(), bytes.size()) < bytes.size() || source.read(&extra, 1) != 0) refuse();
  std::string text;
  const std::size_t low = is_wide && descr[0] == '>' ? 3 : 0;
  for (std::size_t i = 0; i < count && bytes[i * width + low] != '\0'; ++i) text += bytes[i * width + low];
  return text;
}

}  // namespace sotto
