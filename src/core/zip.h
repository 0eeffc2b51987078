#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/byte_stream.h"

namespace sotto {

inline constexpr std::string_view kZipMagic = "PK\x03\x04";

// As open_source(), which refuses zip archives with advice for people who have a spreadsheet; this one gives
// their bytes.
std::unique_ptr<ByteSource> open_source_or_zip(const std::filesystem::path& path);

// A zip archive in memory (APPNOTE 6.3: stored and deflated members, found by the central directory; sizes
// of 64 bits are read). Encrypted, split and empty archives are refused. Nothing is allocated by a size that
// the archive states.
class ZipArchive {
 public:
  // Throws Error(bad_data) that names `label`; messages never quote a member's name or content.
  ZipArchive(std::string bytes, std::string label);
  ZipArchive(const ZipArchive&) = delete;  // names are views of the bytes
  ZipArchive& operator=(const ZipArchive&) = delete;

  [[nodiscard]] bool has(std::string_view name) const;
  // Streams a member; its length and CRC-32 are checked when its end is read. The archive must outlive it.
  // Throws Error(bad_data) if there is no such member.
  [[nodiscard]] std::unique_ptr<ByteSource> open(std::string_view name) const;

 private:
  struct Member {
    std::string_view name;
    std::uint64_t packed = 0;
    std::uint64_t size = 0;
    std::uint64_t header = 0;  // where its local header begins
    std::uint32_t crc = 0;
    unsigned method = 0;
  };
  [[noreturn]] void refuse(const std::string& reason) const;
  [[nodiscard]] std::size_t find_directory_end() const;
  Member read_member(std::size_t& at) const;
  void read_long_sizes(Member& member, std::string_view extra) const;

  std::string bytes_;
  std::string label_;
  std::vector<Member> members_;
};

}  // namespace sotto
