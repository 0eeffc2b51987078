#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/sha256.h"

namespace sotto {

static_assert(std::endian::native == std::endian::little, "the .sotto format is little-endian and mapped");

// The tail of the magic shows a transfer that rewrote line ends, as PNG's does.
inline constexpr std::array<char, 8> kModelMagic = {'S', 'O', 'T', 'T', 'O', '\r', '\n', '\x1a'};
inline constexpr std::uint32_t kModelVersion = 1;
inline constexpr std::size_t kSectionAlignment = 64;
inline constexpr std::uint32_t kRowGroup = 16;  // floats; rows are padded with zeros to a multiple

struct ModelSection {
  std::uint64_t offset;
  std::uint64_t size;  // bytes
};

// The first 192 bytes of a file. Sections follow in this order, each at the next multiple of 64.
struct ModelHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_size;
  std::uint64_t checksum;  // XXH3-64 of every byte after this field
  std::uint64_t file_size;
  std::uint64_t words;
  std::uint32_t dim;
  std::uint32_t stride;  // floats
  std::uint64_t slots;
  ModelSection origin;
  ModelSection word_ends;
  ModelSection word_bytes;
  ModelSection slot_table;
  ModelSection rows;
  Sha256Digest identity;
  std::array<std::uint64_t, 3> reserved;  // zero
};
static_assert(sizeof(ModelHeader) == 192 && sizeof(ModelHeader) % kSectionAlignment == 0);
inline constexpr std::size_t kChecksumEnd = offsetof(ModelHeader, file_size);

// Limits that keep every product of header fields far from 2^64.
inline constexpr std::uint64_t kMostWords = std::uint64_t{1} << 31;
inline constexpr std::uint32_t kMostDimensions = 1U << 16;
inline constexpr std::uint64_t kMostOriginBytes = 1U << 16;
inline constexpr std::uint64_t kMostWordBytes = 0xffffffff;

constexpr std::uint64_t aligned_up(std::uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}
constexpr std::uint32_t padded_dim(std::uint32_t dim) {
  return (dim + kRowGroup - 1) / kRowGroup * kRowGroup;
}

}  // namespace sotto
