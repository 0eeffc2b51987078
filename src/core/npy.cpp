#include "core/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "core/npy_start.h"
#include "sotto/error.h"

// Format: NEP 1 of NumPy (magic, version, length of the header, a Python dictionary, the values).
namespace sotto {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie");

constexpr std::size_t kReadChunk = std::size_t{1} << 16;

constexpr std::size_t size_of(NpyShape::Type type) {
  return type == NpyShape::Type::float32 ? 4 : 8;
}

constexpr std::string_view kTryAstype = "convert it in Python with a.astype(\"float32\") and save it again";

// Why an array of this type is not one of floats.
std::string type_refusal(std::string_view descr) {
  const char kind = descr.size() < 2 ? '\0' : descr[1];
  switch (kind) {
    case 'i':
    case 'u':
    case 'b':
      return fmt::format("it holds integers or truth values, but float32 or float64 is needed; {}",
                         kTryAstype);
    case 'f':
    case 'c':
      return fmt::format("it holds {} numbers, but float32 or float64 is needed; {}",
                         kind == 'c' ? "complex" : "floating-point", kTryAstype);
    case 'O':
      return "it holds pickled Python objects, which are refused because reading them runs code; make a "
             "matrix "
             "of numbers with numpy.stack(list(a)).astype(\"float32\") and save that";
    case 'S':
    case 'U':
      return "it holds text, but a matrix of numbers (float32 or float64) is needed";
    default:
      return "it does not hold plain numbers; save a matrix of float32 or float64, without named fields";
  }
}

std::string shape_refusal(std::size_t dimensions) {
  const std::string_view advice = dimensions == 1   ? "a.reshape(1, -1) makes it one row"
                                  : dimensions == 0 ? "it is a single number"
                                                    : "a.reshape(len(a), -1) makes each item one row";
  return fmt::format("the array has {} dimension{}, but a matrix has two, rows and columns; {}", dimensions,
                     dimensions == 1 ? "" : "s", advice);
}

}  // namespace

NpyReader::NpyReader(ByteSource& source, std::string label) : source_(source), label_(std::move(label)) {
  read_header();
}

void NpyReader::refuse(const std::string& reason) const {
  throw Error(ErrorCode::bad_data, fmt::format("{}: {}", label_, reason));
}

void NpyReader::read_header() {
  const NpyDictionary dictionary = read_npy_start(source_, label_);
  const std::string& descr = dictionary.descr;
  const bool is_float = descr == "<f4" || descr == ">f4" || descr == "<f8" || descr == ">f8";
  if (!is_float) refuse(type_refusal(descr));
  if (dictionary.shape.size() != 2) refuse(shape_refusal(dictionary.shape.size()));
  shape_ = {dictionary.shape[0], dictionary.shape[1],
            descr[2] == '4' ? NpyShape::Type::float32 : NpyShape::Type::float64};
  layout_ = {descr[0] == '>', dictionary.fortran_order};
  item_size_ = size_of(shape_.type);
  if (shape_.cols < 1 || shape_.cols > kMostNpyColumns) {
    refuse(fmt::format("it has {} columns, and 1 to {} are allowed; check that a row is one vector",
                       shape_.cols, kMostNpyColumns));
  }
  if (shape_.rows > std::numeric_limits<std::size_t>::max() / 2 / item_size_ / shape_.cols) {
    refuse(fmt::format("its header states {} rows, more than a file can hold: it is damaged", shape_.rows));
  }
}

double NpyReader::value_at(const char* bytes) const {
  std::array<char, 8> item{};
  std::copy_n(bytes, item_size_, item.begin());
  if (layout_.is_big_endian) std::reverse(item.begin(), item.begin() + static_cast<long>(item_size_));
  if (shape_.type == NpyShape::Type::float64) return std::bit_cast<double>(item);
  float value = 0;
  std::memcpy(&value, item.data(), sizeof value);
  return static_cast<double>(value);
}

std::size_t NpyReader::read(std::span<double> out) {
  const std::size_t room = out.size() / shape_.cols;
  if (room == 0) throw Error(ErrorCode::internal, "no room for one row of an .npy file");
  const std::size_t rows = std::min(room, shape_.rows - rows_done_);
  const auto wanted = out.first(rows * shape_.cols);
  if (layout_.is_fortran_order) {
    read_column_major(wanted);
  } else {
    read_row_major(wanted);
  }
  rows_done_ += rows;
  if (rows_done_ == shape_.rows) check_end();
  return rows;
}

void NpyReader::read_row_major(std::span<double> out) {
  std::array<char, kReadChunk> chunk;
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t count = std::min(out.size() - done, chunk.size() / item_size_);
    const std::size_t got = read_fully(source_, chunk.data(), count * item_size_);
    if (got < count * item_size_) {
      refuse(
          fmt::format("the file ends after {} of the {} rows that its header states; get a whole copy of it",
                      rows_done_ + (done + got / item_size_) / shape_.cols, shape_.rows));
    }
    for (std::size_t i = 0; i < count; ++i) out[done + i] = value_at(chunk.data() + i * item_size_);
    done += count;
  }
}

void NpyReader::load_columns() {
  const std::size_t size = shape_.rows * shape_.cols * item_size_;
  while (columns_.size() < size) {
    // Doubles with what has arrived.
    const std::size_t before = columns_.size();
    const std::size_t more = std::min(size - before, std::max(before, kReadChunk));
    columns_.resize(before + more);
    const std::size_t got = read_fully(source_, columns_.data() + before, more);
    if (got < more) {
      refuse(fmt::format(
          "the file ends after {} of the {} columns that its header states (Fortran order); get a "
          "whole copy of it",
          (before + got) / item_size_ / shape_.rows, shape_.cols));
    }
  }
}

void NpyReader::read_column_major(std::span<double> out) {
  if (rows_done_ == 0) load_columns();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = rows_done_ + i / shape_.cols;
    const std::size_t column = i % shape_.cols;
    out[i] = value_at(columns_.data() + (column * shape_.rows + row) * item_size_);
  }
}

void NpyReader::check_end() {
  char extra = 0;
  if (read_fully(source_, &extra, 1) > 0) {
    refuse(
        fmt::format("bytes follow the {} rows that its header states: it is damaged, or holds several "
                    "arrays; save one matrix",
                    shape_.rows));
  }
}

std::string npy_header(const NpyShape& shape) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kPrefix = kNpyMagic.size() + 4;
  std::string text = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                 size_of(shape.type), shape.rows, shape.cols);
  const std::size_t used = kPrefix + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ').push_back('\n');
  std::string out(kNpyMagic);
  out.append({'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)});
  return out + text;
}

void append_npy_values(std::span<const double> values, NpyShape::Type type, std::string& out) {
  const std::size_t before = out.size();
  out.resize(before + values.size() * size_of(type));
  char* to = out.data() + before;
  if (type == NpyShape::Type::float64) {
    if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
    return;
  }
  for (const double value : values) {
    const float narrow = static_cast<float>(value);
    std::memcpy(to, &narrow, sizeof narrow);
    to += sizeof narrow;
  }
}

}  // namespace sotto
