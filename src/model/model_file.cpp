#include "model/model_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <bit>
#include <cstring>

#include "model/model_header.h"
#include "model/origin_json.h"
#include "model/unicode.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// One message form for all faults: "<file>: <what is wrong>; <what to try>".
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& label) : bytes_(bytes), label_(label) {}

  ModelView read() {
    read_header();
    check_layout();
    ModelView view;
    view.words = {.size = header_.words,
                  .ends = at<std::uint32_t>(header_.word_ends),
                  .bytes = at<char>(header_.word_bytes),
                  .slots = at<std::uint32_t>(header_.slot_table),
                  .slot_count = header_.slots};
    view.dim = header_.dim;
    view.stride = header_.stride;
    view.rows = at<float>(header_.rows);
    view.identity = header_.identity;
    check_words(view.words);
    check_slots(view.words);
    check_rows(view);
    view.origin = origin_from_json({at<char>(header_.origin), header_.origin.size}, label_);
    return view;
  }

 private:
  [[noreturn]] void fail(std::string_view fault) const {
    throw Error(ErrorCode::bad_data, fmt::format("{}: {}", label_, fault));
  }
  void require_consistent(bool condition, std::string_view part) const {
    if (!condition) {
      fail(fmt::format("not a legal .sotto model ({}); fetch it or import the vectors again", part));
    }
  }
  template <typename T>
  const T* at(const ModelSection& section) const {
    return reinterpret_cast<const T*>(bytes_.data() + section.offset);
  }

  void read_header();
  void check_layout() const;
  void check_words(const WordTable& words) const;
  void check_slots(const WordTable& words) const;
  void check_rows(const ModelView& view) const;

  std::span<const std::byte> bytes_;
  const std::string& label_;
  ModelHeader header_{};
};

void Reader::read_header() {
  if (bytes_.empty()) {
    fail("the file is empty, not a .sotto model; import vectors with `sotto model import`");
  }
  const std::size_t magic_size = std::min(bytes_.size(), kModelMagic.size());
  if (std::memcmp(bytes_.data(), kModelMagic.data(), magic_size) != 0) {
    fail("not a .sotto model; import vectors with `sotto model import`");
  }
  if (bytes_.size() < sizeof(ModelHeader)) {
    fail("truncated .sotto model; copy or fetch it again, or import the vectors again");
  }
  std::memcpy(&header_, bytes_.data(), sizeof header_);
  if (header_.version != kModelVersion) {
    fail(
        fmt::format("format version {}, but this program reads version {}; use the sotto that wrote it, or "
                    "import the vectors again",
                    header_.version, kModelVersion));
  }
  if (header_.file_size != bytes_.size()) {
    fail(
        fmt::format("the .sotto model has {} bytes where its header says {}: truncated or damaged; copy or "
                    "fetch it again, or import the vectors again",
                    bytes_.size(), header_.file_size));
  }
  // The magic, version and header size stand before the checksum, but have one legal value each.
  if (header_.header_size != sizeof(ModelHeader) || header_.checksum != model_file_checksum(bytes_)) {
    fail(
        "damaged .sotto model: its checksum does not match; copy or fetch it again, or import the vectors "
        "again");
  }
}

// Sizes follow from the counts, offsets from the sizes, and the last end is the file's: so nothing can
// overlap or lie outside. With the limits of model_header.h no sum or product overflows.
void Reader::check_layout() const {
  const ModelHeader& h = header_;
  require_consistent(h.words >= 1 && h.words <= kMostWords, "number of words");
  require_consistent(h.dim >= 1 && h.dim <= kMostDimensions && h.stride == padded_dim(h.dim), "dimension");
  require_consistent(std::has_single_bit(h.slots) && h.slots > h.words && h.slots <= 4 * kMostWords, "slots");
  require_consistent(h.origin.size <= kMostOriginBytes && h.word_bytes.size <= kMostWordBytes, "text size");
  require_consistent(h.word_ends.size == h.words * sizeof(std::uint32_t) &&
                         h.slot_table.size == h.slots * sizeof(std::uint32_t) &&
                         h.rows.size == h.words * h.stride * sizeof(float),
                     "section size");
  std::uint64_t end = sizeof(ModelHeader);
  for (const ModelSection* section : {&h.origin, &h.word_ends, &h.word_bytes, &h.slot_table, &h.rows}) {
    require_consistent(section->offset == aligned_up(end), "section offset");
    end = section->offset + section->size;
  }
  require_consistent(end == h.file_size, "file size");
  require_consistent(h.reserved == decltype(h.reserved){}, "reserved field");
}

// All bytes together are valid UTF-8 and no word begins inside a code point, so each word is valid.
void Reader::check_words(const WordTable& words) const {
  const std::string_view bytes(words.bytes, header_.word_bytes.size);
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < words.size; ++i) {
    const std::uint32_t end = words.ends[i];
    require_consistent(end > begin && end <= bytes.size(), "word ends");
    require_consistent((static_cast<unsigned char>(bytes[begin]) & 0xc0) != 0x80, "word ends");
    begin = end;
  }
  require_consistent(begin == bytes.size(), "word ends");
  require_consistent(is_valid_utf8(bytes) && !has_control_character(bytes), "words");
}

// Each word is found at its own index, which also shows that words are distinct; the other slots are
// empty, at least one, so a look-up of an absent word ends.
void Reader::check_slots(const WordTable& words) const {
  std::size_t used = 0;
  for (std::size_t slot = 0; slot < words.slot_count; ++slot) {
    require_consistent(words.slots[slot] <= words.size, "slots");
    used += words.slots[slot] < words.size ? 1 : 0;
  }
  require_consistent(used == words.size, "slots");
  for (std::size_t i = 0; i < words.size; ++i) {
    require_consistent(words.find(words.word(i)) == i, "two equal words, or slots");
  }
}

// On integers, in groups of a constant 16, so that the compiler vectorises it at -O2: the model may
// have 10^8 values.
void Reader::check_rows(const ModelView& view) const {
  constexpr std::int32_t kMagnitude = 0x7fffffff;
  constexpr std::int32_t kLargestFinite = 0x7f7fffff;
  const std::size_t last_group = view.stride - kRowGroup;
  std::array<std::int32_t, kRowGroup> outside{};  // all ones from the first padding value on
  for (std::size_t i = 0; i < kRowGroup; ++i) outside[i] = last_group + i >= view.dim ? -1 : 0;

  const auto* row = reinterpret_cast<const std::byte*>(view.rows);
  std::array<std::int32_t, kRowGroup> not_finite{};
  std::array<std::int32_t, kRowGroup> not_padded{};
  for (std::size_t i = 0; i < view.words.size; ++i, row += view.stride * sizeof(float)) {
    std::array<std::int32_t, kRowGroup> group{};
    for (std::size_t at_float = 0; at_float <= last_group; at_float += kRowGroup) {
      std::memcpy(group.data(), row + at_float * sizeof(float), sizeof group);
      for (std::size_t j = 0; j < kRowGroup; ++j) {
        not_finite[j] |= (group[j] & kMagnitude) > kLargestFinite ? -1 : 0;
      }
    }
    for (std::size_t j = 0; j < kRowGroup; ++j) not_padded[j] |= group[j] & outside[j];
  }
  for (std::size_t j = 0; j < kRowGroup; ++j) {
    require_consistent(not_finite[j] == 0, "a vector with NaN or infinity");
    require_consistent(not_padded[j] == 0, "padding");
  }
}

}  // namespace

ModelView read_model_file(std::span<const std::byte> bytes, const std::string& label) {
  return Reader(bytes, label).read();
}

std::uint64_t model_file_checksum(std::span<const std::byte> bytes) {
  const auto covered = bytes.subspan(kChecksumEnd);
  return XXH3_64bits(covered.data(), covered.size());
}

}  // namespace sotto
