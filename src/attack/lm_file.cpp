#include "attack/lm_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/descriptor.h"
#include "core/output_file.h"
#include "sotto/error.h"

namespace sotto {
namespace {

static_assert(std::endian::native == std::endian::little, "the .lm format is little-endian and mapped");

constexpr std::array<char, 8> kMagic = {'S', 'O', 'T', 'L', 'M', '\r', '\n', '\x1a'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlignment = 64;
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 40;  // keeps every product far from 2^64

// In the order of the file. The names are those of LanguageModelParts.
enum Section : std::size_t {
  unigram,
  base,
  bigram_begins,
  bigram_words,
  values,
  lambda,
  back_values,
  back_lambda,
  trigram_begins,
  trigram_words,
  trigram_values,
  mu,
  held_out,
  held_out_ends,
  kSections,
};

struct Place {
  std::uint64_t offset;
  std::uint64_t size;  // bytes
};

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_size;
  std::uint64_t checksum;  // XXH3-64 of every byte after this field
  std::uint64_t file_size;
  std::uint64_t words;
  std::uint32_t order;
  std::uint32_t anchor;
  std::uint64_t bigrams;
  std::uint64_t trigrams;
  std::uint64_t held_out_words;
  std::uint64_t held_out_documents;
  Sha256Digest identity;
  std::array<Place, kSections> sections;
  std::array<std::uint64_t, 6> reserved;  // zero
};
static_assert(sizeof(Header) == 384 && sizeof(Header) % kAlignment == 0);
constexpr std::size_t kChecksumEnd = offsetof(Header, file_size);

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  const auto covered = bytes.subspan(kChecksumEnd);
  return XXH3_64bits(covered.data(), covered.size());
}

// The sizes of all sections follow from the counts.
std::array<std::uint64_t, kSections> section_sizes(const Header& h) {
  const std::uint64_t contexts = h.words + 1;
  const bool has_trigrams = h.order == 3;
  std::array<std::uint64_t, kSections> sizes{};
  sizes[unigram] = sizes[base] = h.words * sizeof(float);
  sizes[bigram_begins] = (contexts + 1) * sizeof(std::uint64_t);
  sizes[bigram_words] = h.bigrams * sizeof(std::uint32_t);
  sizes[values] = h.bigrams * sizeof(float);
  sizes[lambda] = contexts * sizeof(float);
  sizes[held_out] = h.held_out_words * sizeof(std::uint32_t);
  sizes[held_out_ends] = h.held_out_documents * sizeof(std::uint64_t);
  if (has_trigrams) {
    sizes[back_values] = sizes[values];
    sizes[back_lambda] = sizes[lambda];
    sizes[trigram_begins] = (h.bigrams + 1) * sizeof(std::uint64_t);
    sizes[trigram_words] = h.trigrams * sizeof(std::uint32_t);
    sizes[trigram_values] = h.trigrams * sizeof(float);
    sizes[mu] = h.bigrams * sizeof(float);
  }
  return sizes;
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& label) : bytes_(bytes), label_(label) {}

  LanguageModel read() {
    read_header();
    check_layout();
    LanguageModel lm;
    lm.identity = hex_text(header_.identity);
    lm.order = header_.order;
    lm.size = header_.words;
    lm.anchor = word_id(header_.anchor);
    lm.unigram = at<float>(unigram);
    lm.base = at<float>(base);
    lm.bigrams = {.begins = at<std::uint64_t>(bigram_begins), .words = at<std::uint32_t>(bigram_words)};
    lm.values = at<float>(values);
    lm.lambda = at<float>(lambda);
    lm.back_values = at<float>(back_values);
    lm.back_lambda = at<float>(back_lambda);
    lm.trigrams = {.begins = at<std::uint64_t>(trigram_begins), .words = at<std::uint32_t>(trigram_words)};
    lm.trigram_values = at<float>(trigram_values);
    lm.mu = at<float>(mu);
    lm.held_out = at<std::uint32_t>(held_out);
    lm.held_out_ends = at<std::uint64_t>(held_out_ends);
    check_distribution(lm.unigram, "word probabilities");
    check_distribution(lm.base, "base probabilities");
    check_rows(lm.bigrams, lm.size + 1, "bigrams");
    check_values(lm.values, lm.lambda, "bigram values");
    if (lm.order == 3) {
      check_values(lm.back_values, lm.back_lambda, "back-off values");
      check_rows(lm.trigrams, lm.bigrams.words.size(), "trigrams");
      check_values(lm.trigram_values, lm.mu, "trigram values");
    }
    check_held_out(lm);
    return lm;
  }

 private:
  [[noreturn]] void fail(std::string_view fault) const {
    throw Error(ErrorCode::bad_data, fmt::format("{}: {}", label_, fault));
  }
  void require(bool condition, std::string_view part) const {
    if (!condition) {
      fail(fmt::format("not a legal .lm language model ({}); train or import it again", part));
    }
  }
  template <typename T>
  std::span<const T> at(Section section) const {
    const Place& place = header_.sections[section];
    return {reinterpret_cast<const T*>(bytes_.data() + place.offset), place.size / sizeof(T)};
  }

  void read_header() {
    constexpr std::string_view kNotOne = "not an .lm language model; make one with `sotto lm train`";
    if (bytes_.size() < kMagic.size() || std::memcmp(bytes_.data(), kMagic.data(), kMagic.size()) != 0) {
      fail(kNotOne);
    }
    if (bytes_.size() < sizeof(Header)) fail("truncated .lm language model; copy, train or import it again");
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (header_.version != kVersion) {
      fail(fmt::format("format version {}, but this program reads version {}; train or import it again",
                       header_.version, kVersion));
    }
    if (header_.file_size != bytes_.size()) {
      fail(
          fmt::format("the .lm language model has {} bytes where its header says {}: truncated or damaged; "
                      "copy, train or import it again",
                      bytes_.size(), header_.file_size));
    }
    if (header_.header_size != sizeof(Header) || header_.checksum != checksum_of(bytes_)) {
      fail("damaged .lm language model: its checksum does not match; copy, train or import it again");
    }
  }

  // Sizes follow from the counts, offsets from the sizes, and the last end is the file's: nothing can overlap
  // or lie outside.
  void check_layout() const {
    const Header& h = header_;
    require(h.words >= 1 && h.words < std::numeric_limits<std::uint32_t>::max(), "number of words");
    require(h.order >= 1 && h.order <= 3, "order");
    require(h.anchor < h.words, "anchor");
    require(h.bigrams <= kMostEntries && h.trigrams <= kMostEntries && h.held_out_words <= kMostEntries &&
                h.held_out_documents <= kMostEntries,
            "number of entries");
    require(h.order > 1 || h.bigrams == 0, "order");
    require(h.order > 2 || h.trigrams == 0, "order");
    const auto sizes = section_sizes(h);
    std::uint64_t end = sizeof(Header);
    for (std::size_t i = 0; i < kSections; ++i) {
      require(h.sections[i].size == sizes[i] && h.sections[i].offset == aligned(end), "section");
      end = h.sections[i].offset + h.sections[i].size;
    }
    require(end == h.file_size, "file size");
    require(h.reserved == decltype(h.reserved){}, "reserved field");
  }

  void check_distribution(std::span<const float> probabilities, std::string_view part) const {
    double total = 0;
    for (const float p : probabilities) {
      require(std::isfinite(p) && p > 0, part);
      total += p;
    }
    require(std::abs(total - 1) < 1e-3, part);
  }

  void check_rows(const LanguageModel::Rows& rows, std::size_t contexts, std::string_view part) const {
    require(rows.begins.front() == 0 && rows.begins.back() == rows.words.size(), part);
    for (std::size_t c = 0; c < contexts; ++c) require(rows.begins[c] <= rows.begins[c + 1], part);
    for (std::size_t c = 0; c < contexts; ++c) {
      for (std::size_t e = rows.begins[c]; e < rows.begins[c + 1]; ++e) {
        require(rows.words[e] < header_.words, part);
        require(e == rows.begins[c] || rows.words[e - 1] < rows.words[e], part);
      }
    }
  }

  // No probability above 1 can arise from values within these limits by more than the limits allow, so that
  // sums over all words stay finite in float32.
  void check_values(std::span<const float> entries, std::span<const float> spreads,
                    std::string_view part) const {
    constexpr float kLargest = 1e6F;
    for (const float value : entries) require(std::abs(value) <= kLargest, part);
    for (const float value : spreads) require(value >= 0 && value <= kLargest, part);
  }

  void check_held_out(const LanguageModel& lm) const {
    for (const std::uint32_t word : lm.held_out) require(word < header_.words, "held-out text");
    std::uint64_t begin = 0;
    for (const std::uint64_t end : lm.held_out_ends) {
      require(end >= begin && end <= lm.held_out.size(), "held-out text");
      begin = end;
    }
    require(begin == lm.held_out.size(), "held-out text");
  }

  std::span<const std::byte> bytes_;
  const std::string& label_;
  Header header_{};
};

Sha256Digest digest_of(const std::string& hex) {
  Sha256Digest digest{};
  if (hex.size() != 2 * digest.size() || hex.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw Error(ErrorCode::internal, "the identity of a model is 64 hexadecimal digits");
  }
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<unsigned char>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  }
  return digest;
}

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

LanguageModelFile::LanguageModelFile(FileBytes bytes, const std::string& label)
    : bytes_(std::move(bytes)), model_(Reader(bytes_.view(), label).read()) {}

std::shared_ptr<const LanguageModelFile> LanguageModelFile::open(const std::filesystem::path& path) {
  return std::shared_ptr<const LanguageModelFile>(
      new LanguageModelFile(FileBytes::map(path), shown(path.string())));
}

std::shared_ptr<const LanguageModelFile> LanguageModelFile::from_bytes(std::span<const std::byte> bytes) {
  FileBytes own = FileBytes::zeroed(bytes.size());  // at an aligned address
  if (!bytes.empty()) std::memcpy(own.writable().data(), bytes.data(), bytes.size());
  return std::shared_ptr<const LanguageModelFile>(
      new LanguageModelFile(std::move(own), "the language model"));
}

std::shared_ptr<const LanguageModelFile> LanguageModelFile::make(const LanguageModelParts& parts) {
  std::vector<std::uint64_t> begins = parts.bigram_begins;
  if (begins.empty()) begins.assign(parts.unigram.size() + 2, 0);
  std::vector<float> spread = parts.lambda;
  if (spread.empty()) spread.assign(parts.unigram.size() + 1, 1.0F);
  const std::array<std::span<const std::byte>, kSections> contents = {
      bytes_of(parts.unigram),       bytes_of(parts.base),           bytes_of(begins),
      bytes_of(parts.bigram_words),  bytes_of(parts.values),         bytes_of(spread),
      bytes_of(parts.back_values),   bytes_of(parts.back_lambda),    bytes_of(parts.trigram_begins),
      bytes_of(parts.trigram_words), bytes_of(parts.trigram_values), bytes_of(parts.mu),
      bytes_of(parts.held_out),      bytes_of(parts.held_out_ends)};
  Header header{};
  header.magic = kMagic;
  header.version = kVersion;
  header.header_size = sizeof header;
  header.words = parts.unigram.size();
  header.order = parts.order;
  header.anchor = static_cast<std::uint32_t>(parts.anchor);
  header.bigrams = parts.bigram_words.size();
  header.trigrams = parts.trigram_words.size();
  header.held_out_words = parts.held_out.size();
  header.held_out_documents = parts.held_out_ends.size();
  header.identity = digest_of(parts.identity);
  std::uint64_t end = sizeof header;
  for (std::size_t i = 0; i < kSections; ++i) {
    header.sections[i] = {.offset = aligned(end), .size = contents[i].size()};
    end = header.sections[i].offset + header.sections[i].size;
  }
  header.file_size = end;
  FileBytes file = FileBytes::zeroed(end);
  const std::span<std::byte> bytes = file.writable();
  std::memcpy(bytes.data(), &header, sizeof header);
  for (std::size_t i = 0; i < kSections; ++i) {
    if (!contents[i].empty()) {
      std::memcpy(bytes.data() + header.sections[i].offset, contents[i].data(), contents[i].size());
    }
  }
  set_language_model_checksum(bytes);
  return std::shared_ptr<const LanguageModelFile>(
      new LanguageModelFile(std::move(file), "the language model"));
}

void LanguageModelFile::save(const std::filesystem::path& path, Overwrite overwrite) const {
  OutputFile file(path, overwrite);
  const auto all = bytes();
  file.write({reinterpret_cast<const char*>(all.data()), all.size()});
  file.commit();
}

void set_language_model_checksum(std::span<std::byte> bytes) {
  const std::uint64_t checksum = checksum_of(bytes);
  std::memcpy(bytes.data() + offsetof(Header, checksum), &checksum, sizeof checksum);
}

void require_same_words(const LanguageModel& lm, const std::string& identity) {
  if (lm.identity == identity) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("the language model was made for the model {}..., but this one is {}...: train or "
                          "import it again with `model` set to the model of the attack",
                          lm.identity.substr(0, 12), identity.substr(0, 12)));
}

}  // namespace sotto
