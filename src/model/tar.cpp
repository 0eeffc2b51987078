#include "model/tar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kBlock = 512;
using Block = std::array<char, kBlock>;

// Where a field of the header lies (POSIX.1-1988 ustar).
struct Field {
  std::size_t offset;
  std::size_t size;
};
constexpr Field kName = {0, 100};
constexpr Field kSize = {124, 12};
constexpr Field kChecksum = {148, 8};
constexpr Field kPrefix = {345, 155};
constexpr std::size_t kType = 156;

[[noreturn]] void refuse_archive(const std::string& label, std::string_view fault) {
  throw Error(ErrorCode::bad_data, fmt::format("{}: {}; get it again", label, fault));
}

std::string_view text_of(const Block& block, Field field) {
  const std::string_view bytes(block.data() + field.offset, field.size);
  return bytes.substr(0, bytes.find('\0'));
}

std::optional<std::uint64_t> octal_of(const Block& block, Field field) {
  std::string_view digits = text_of(block, field);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;  // 12 octal digits at most: no overflow
  for (const char digit : digits) {
    if (digit < '0' || digit > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(digit - '0');
  }
  return value;
}

bool checksum_matches(const Block& block) {
  Block copy = block;
  std::fill_n(copy.begin() + kChecksum.offset, kChecksum.size, ' ');
  const auto add = [](std::uint64_t sum, char byte) { return sum + static_cast<unsigned char>(byte); };
  return octal_of(block, kChecksum) == std::accumulate(copy.begin(), copy.end(), std::uint64_t{0}, add);
}

void read_exactly(ByteSource& archive, char* buffer, std::size_t size, const std::string& label) {
  for (std::size_t done = 0; done < size;) {
    const std::size_t got = archive.read(buffer + done, size - done);
    if (got == 0) refuse_archive(label, "truncated tar archive");
    done += got;
  }
}

void skip(ByteSource& archive, std::uint64_t size, const std::string& label) {
  std::vector<char> buffer(1 << 16);
  while (size > 0) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(size, buffer.size()));
    read_exactly(archive, buffer.data(), step, label);
    size -= step;
  }
}

class TarEntry final : public ByteSource {
 public:
  TarEntry(ByteSource& archive, std::uint64_t size, std::string label)
      : archive_(archive), size_(size), label_(std::move(label)) {}

  std::size_t read(char* buffer, std::size_t capacity) override {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(capacity, size_ - consumed_));
    if (wanted == 0) return 0;
    const std::size_t got = archive_.read(buffer, wanted);
    if (got == 0) refuse_archive(label_, "truncated tar archive");
    consumed_ += got;
    return got;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const override { return size_; }

 private:
  ByteSource& archive_;
  std::uint64_t size_;
  std::uint64_t consumed_ = 0;
  std::string label_;
};

}  // namespace

std::unique_ptr<ByteSource> open_tar_entry(ByteSource& archive, std::string_view name,
                                           const std::string& label) {
  for (;;) {
    Block block{};
    read_exactly(archive, block.data(), block.size(), label);
    if (std::all_of(block.begin(), block.end(), [](char byte) { return byte == 0; })) {
      refuse_archive(label, "the tar archive does not hold the expected file");
    }
    const auto size = octal_of(block, kSize);
    if (!size || !checksum_matches(block)) refuse_archive(label, "not a tar archive, or a damaged one");
    const std::string_view prefix = text_of(block, kPrefix);
    const std::string path = fmt::format("{}{}{}", prefix, prefix.empty() ? "" : "/", text_of(block, kName));
    const bool is_file = block[kType] == '0' || block[kType] == '\0';
    if (is_file && path == name) return std::make_unique<TarEntry>(archive, *size, label);
    skip(archive, (*size + kBlock - 1) / kBlock * kBlock, label);
  }
}

}  // namespace sotto
