#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/sha256.h"
#include "model/model_file.h"
#include "model/model_header.h"
#include "model/origin_json.h"
#include "sotto/error.h"

namespace sotto {
namespace {

[[noreturn]] void refuse_to_write(const std::string& fault) {
  throw Error(ErrorCode::bad_data, fault);
}

void check_sizes(const std::vector<std::string>& words, const std::vector<float>& vectors, std::size_t dim) {
  if (words.empty() || words.size() > kMostWords) {
    refuse_to_write(fmt::format("a model has 1 to {} words, not {}", kMostWords, words.size()));
  }
  if (dim < 1 || dim > kMostDimensions) {
    refuse_to_write(fmt::format("vectors have 1 to {} dimensions, not {}", kMostDimensions, dim));
  }
  if (vectors.size() % dim != 0 || vectors.size() / dim != words.size()) {
    refuse_to_write(
        fmt::format("{} words of {} dimensions do not fit {} values", words.size(), dim, vectors.size()));
  }
}

template <typename T>
T* at(std::span<std::byte> bytes, const ModelSection& section) {
  return reinterpret_cast<T*>(bytes.data() + section.offset);
}

void write_words(const std::vector<std::string>& words, std::uint32_t* ends, char* bytes) {
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::copy(words[i].begin(), words[i].end(), bytes + end);
    end += static_cast<std::uint32_t>(words[i].size());
    ends[i] = end;
  }
}

void write_slots(const std::vector<std::string>& words, std::span<std::uint32_t> slots) {
  const auto empty = static_cast<std::uint32_t>(words.size());
  std::fill(slots.begin(), slots.end(), empty);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t slot = WordTable::first_slot(words[i]) & (slots.size() - 1);
    while (slots[slot] != empty) slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace

FileBytes make_model_file(const std::vector<std::string>& words, const std::vector<float>& vectors,
                          std::size_t dim, const ModelOrigin& origin) {
  check_sizes(words, vectors, dim);
  const std::string origin_json = origin_to_json(origin);
  std::uint64_t word_bytes = 0;
  for (const std::string& word : words) word_bytes += word.size();
  if (word_bytes > kMostWordBytes)
    refuse_to_write("the words take more than 4 GB together; import fewer with `limit`");

  ModelHeader header{};
  header.magic = kModelMagic;
  header.version = kModelVersion;
  header.header_size = sizeof header;
  header.words = words.size();
  header.dim = static_cast<std::uint32_t>(dim);
  header.stride = padded_dim(header.dim);
  header.slots = std::bit_ceil(2 * header.words);  // at most half full
  header.origin.size = origin_json.size();
  header.word_ends.size = header.words * sizeof(std::uint32_t);
  header.word_bytes.size = word_bytes;
  header.slot_table.size = header.slots * sizeof(std::uint32_t);
  header.rows.size = header.words * header.stride * sizeof(float);
  std::uint64_t end = sizeof header;
  for (ModelSection* section :
       {&header.origin, &header.word_ends, &header.word_bytes, &header.slot_table, &header.rows}) {
    section->offset = aligned_up(end);
    end = section->offset + section->size;
  }
  header.file_size = end;

  FileBytes file = FileBytes::zeroed(end);
  const std::span<std::byte> bytes = file.writable();
  std::memcpy(at<char>(bytes, header.origin), origin_json.data(), origin_json.size());
  auto* word_ends = at<std::uint32_t>(bytes, header.word_ends);
  auto* slots = at<std::uint32_t>(bytes, header.slot_table);
  auto* rows = at<float>(bytes, header.rows);
  write_words(words, word_ends, at<char>(bytes, header.word_bytes));
  write_slots(words, {slots, header.slots});
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::memcpy(rows + i * header.stride, vectors.data() + i * dim, dim * sizeof(float));
  }
  ModelView view;
  view.words = {words.size(), word_ends, at<char>(bytes, header.word_bytes), slots, header.slots};
  view.dim = dim;
  view.stride = header.stride;
  view.rows = rows;
  header.identity = identity_of(view);
  std::memcpy(bytes.data(), &header, sizeof header);
  set_model_file_checksum(bytes);
  return file;
}

Sha256Digest identity_of(const ModelView& view) {
  constexpr std::string_view kDomain = "sotto model identity 1\n";
  const std::array<std::uint64_t, 2> counts = {view.words.size, view.dim};
  const std::size_t word_bytes = view.words.ends[view.words.size - 1];
  Sha256 hash;
  hash.add(kDomain.data(), kDomain.size());
  hash.add(counts.data(), sizeof counts);
  hash.add(view.words.ends, view.words.size * sizeof(std::uint32_t));
  hash.add(view.words.bytes, word_bytes);
  for (std::size_t i = 0; i < view.words.size; ++i) {
    hash.add(view.rows + i * view.stride, view.dim * sizeof(float));
  }
  return hash.digest();
}

void set_model_file_checksum(std::span<std::byte> bytes) {
  const std::uint64_t checksum = model_file_checksum(bytes);
  std::memcpy(bytes.data() + offsetof(ModelHeader, checksum), &checksum, sizeof checksum);
}

}  // namespace sotto
