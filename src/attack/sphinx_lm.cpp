// The file, all numbers little-endian:
//
//   "Trie Language Model"  19 bytes, without an end
//   order                  u8
//   counts                 u32 for each order: n-grams
//   type                   u32, always 1
//   tables                 65,536 float32 each: values of p and of the back-off weight of each order from 2
//   to
//                          order - 1, then of p of the highest order
//   words                  counts[0] + 1 times: p float32, back-off weight float32, first entry u32
//   entries                of each order from 2 on, packed: word, index of p and of the weight (16 bits each,
//                          the weight in the low ones), first entry of the next order; of the highest order
//                          only word and index of p. One entry more than counted, then 8 bytes more
//   texts                  u32 length, then the words, each with a zero byte after it
//
// Probabilities are logarithms to the base 1.0001. The trie is reversed: below a word w lie the words v
// before it, which makes the bigram (v, w), and below these the words u before v. The children of an entry
// end where those of the next entry begin.
#include "attack/sphinx_lm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>

#include "model/file_bytes.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::string_view kSphinxMagic = "Trie Language Model";
constexpr std::size_t kTable = 65536;
constexpr std::size_t kMostGrams = std::size_t{1} << 25;  // the format's own limit
constexpr double kLogBase = 9.9995000333308335e-05;       // ln 1.0001

[[noreturn]] void refuse_file(std::string_view what) {
  throw Error(ErrorCode::bad_data, fmt::format("the Sphinx language model {}; is the file whole?", what));
}

// Takes one part of the file after the other.
class Parts {
 public:
  explicit Parts(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > rest_.size()) refuse_file("ends too early");
    const auto out = rest_.first(size);
    rest_ = rest_.subspan(size);
    return out;
  }
  template <typename T>
  T number() {
    T out{};
    std::memcpy(&out, take(sizeof out).data(), sizeof out);
    return out;
  }

 private:
  std::span<const std::byte> rest_;
};

template <typename T>
T number_at(std::span<const std::byte> bytes, std::size_t place) {
  T out{};
  std::memcpy(&out, bytes.data() + place, sizeof out);
  return out;
}

// Entries of equal width in bits, one more than counted, whose first field is a word.
class PackedEntries {
 public:
  struct Layout {
    std::uint32_t count = 0;
    unsigned word_bits = 0;
    unsigned value_bits = 0;
    unsigned next_bits = 0;  // 0: the highest order
  };
  PackedEntries(Parts& parts, const Layout& layout)
      : layout_(layout),
        width_(layout.word_bits + layout.value_bits + layout.next_bits),
        bytes_(parts.take((std::uint64_t{1 + layout.count} * width_ + 7) / 8 + 8)) {}

  [[nodiscard]] std::uint32_t count() const { return layout_.count; }
  [[nodiscard]] std::uint32_t word(std::size_t entry) const { return field(entry, 0, layout_.word_bits); }
  [[nodiscard]] std::uint32_t value(std::size_t entry) const {
    return field(entry, layout_.word_bits, layout_.value_bits);
  }
  [[nodiscard]] std::uint32_t next(std::size_t entry) const {
    return field(entry, layout_.word_bits + layout_.value_bits, layout_.next_bits);
  }

 private:
  // At most 32 bits from any bit on lie within 8 bytes, and the part has 8 bytes to spare.
  [[nodiscard]] std::uint32_t field(std::size_t entry, unsigned offset, unsigned bits) const {
    const std::uint64_t at = std::uint64_t{entry} * width_ + offset;
    const std::uint64_t word = number_at<std::uint64_t>(bytes_, at / 8) >> (at % 8);
    return static_cast<std::uint32_t>(word & ((std::uint64_t{1} << bits) - 1));
  }

  Layout layout_;
  unsigned width_;
  std::span<const std::byte> bytes_;
};

class SphinxReader {
 public:
  SphinxReader(std::span<const std::byte> bytes, const std::shared_ptr<const Model>& model,
               std::string_view anchor)
      : parts_(bytes), builder_(model, anchor) {}

  ImportedLanguage read() {
    const auto magic = parts_.take(kSphinxMagic.size());
    if (std::memcmp(magic.data(), kSphinxMagic.data(), kSphinxMagic.size()) != 0)
      refuse_file("has another beginning");
    const auto order = parts_.number<std::uint8_t>();
    if (order != 2 && order != 3) refuse_file("has an order other than 2 and 3");
    std::array<std::uint32_t, 3> counts{};
    for (std::size_t i = 0; i < order; ++i) {
      counts[i] = parts_.number<std::uint32_t>();
      if (counts[i] >= kMostGrams) refuse_file("has too many n-grams");
    }
    (void)parts_.number<std::uint32_t>();
    for (std::size_t i = 0; i < (order == 3 ? 3 : 1); ++i) tables_[i] = parts_.take(kTable * sizeof(float));
    unigrams_ = parts_.take(std::uint64_t{1 + counts[0]} * kUnigram);
    const unsigned word_bits = static_cast<unsigned>(std::bit_width(counts[0]));
    std::optional<PackedEntries> middle;
    if (order == 3) {
      middle.emplace(parts_,
                     PackedEntries::Layout{.count = counts[1],
                                           .word_bits = word_bits,
                                           .value_bits = 32,
                                           .next_bits = static_cast<unsigned>(std::bit_width(counts[2]))});
    }
    const PackedEntries longest(parts_,
                                {.count = counts[order - 1], .word_bits = word_bits, .value_bits = 16});
    read_words(counts[0]);
    for (std::uint32_t w = 0; w < counts[0]; ++w) {
      const std::size_t place = std::size_t{w} * kUnigram;
      builder_.add(std::array{ids_[w]}, {.p = probability(number_at<float>(unigrams_, place)),
                                         .back_off = weight(number_at<float>(unigrams_, place + 4))});
      const auto [first, last] = range(number_at<std::uint32_t>(unigrams_, place + 8),
                                       number_at<std::uint32_t>(unigrams_, place + kUnigram + 8), counts[1]);
      for (std::uint32_t e = first; e < last; ++e) {
        if (middle) {
          add_bigram(*middle, e, w, longest);
        } else {
          builder_.add(std::array{id(longest.word(e)), ids_[w]}, {.p = probability(in(0, longest.value(e)))});
        }
      }
    }
    if (!builder_.has_words()) refuse_file("has no word of the model");
    return builder_.build();
  }

 private:
  static constexpr std::size_t kUnigram = 12;

  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  // Ranges that follow each other: a file cannot name one entry twice.
  static Range range(std::uint32_t first, std::uint32_t last, std::uint32_t count) {
    if (first > last || last > count) refuse_file("has entries out of order");
    return {first, last};
  }

  void add_bigram(const PackedEntries& middle, std::uint32_t entry, std::uint32_t w,
                  const PackedEntries& longest) {
    const BackOffBuilder::Word v = id(middle.word(entry));
    const std::uint32_t value = middle.value(entry);
    builder_.add(std::array{v, ids_[w]},
                 {.p = probability(in(0, value >> 16)), .back_off = weight(in(1, value & 0xffff))});
    const auto [first, last] = range(middle.next(entry), middle.next(entry + 1), longest.count());
    if (!v || !ids_[w]) return;
    for (std::uint32_t e = first; e < last; ++e) {
      builder_.add(std::array{id(longest.word(e)), v, ids_[w]}, {.p = probability(in(2, longest.value(e)))});
    }
  }

  void read_words(std::uint32_t count) {
    const auto bytes = parts_.take(parts_.number<std::uint32_t>());
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ids_.reserve(count);
    for (std::uint32_t w = 0; w < count; ++w) {
      const std::size_t end = rest.find('\0');
      if (end == std::string_view::npos) refuse_file("has fewer words than it says");
      ids_.push_back(builder_.id_of(rest.substr(0, end)));
      rest.remove_prefix(end + 1);
    }
  }
  [[nodiscard]] BackOffBuilder::Word id(std::uint32_t word) const {
    if (word >= ids_.size()) refuse_file("names a word that it does not have");
    return ids_[word];
  }
  [[nodiscard]] float in(std::size_t table, std::uint32_t index) const {
    return number_at<float>(tables_[table], std::size_t{index} * sizeof(float));
  }
  // 0 to 1; the smallest is 1e-30.
  static float probability(float logarithm) { return std::min(1.0F, weight(logarithm)); }
  static float weight(float logarithm) {
    const double own = double{logarithm} * kLogBase;
    if (std::isnan(own) || own > std::log(1e6))
      refuse_file("has a value that is no logarithm of a probability");
    return static_cast<float>(std::exp(std::max(own, std::log(1e-30))));
  }

  Parts parts_;
  BackOffBuilder builder_;
  std::array<std::span<const std::byte>, 3> tables_;
  std::span<const std::byte> unigrams_;
  std::vector<BackOffBuilder::Word> ids_;
};

}  // namespace

bool is_sphinx_lm(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(kSphinxMagic.size(), ' ');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == kSphinxMagic;
}

ImportedLanguage import_sphinx_lm(std::span<const std::byte> bytes, const std::shared_ptr<const Model>& model,
                                  std::string_view anchor) {
  return SphinxReader(bytes, model, anchor).read();
}

ImportedLanguage import_sphinx_lm(const std::filesystem::path& path,
                                  const std::shared_ptr<const Model>& model, std::string_view anchor) {
  return import_sphinx_lm(FileBytes::map(path).view(), model, anchor);
}

}  // namespace sotto
