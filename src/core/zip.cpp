#include "core/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::string_view kEndMagic = "PK\x05\x06";
constexpr std::string_view kMemberMagic = "PK\x01\x02";
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kMemberSize = 46;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint64_t kLong = 0xffffffff;  // the value stands in the extra field, with 64 bits
constexpr unsigned kStored = 0;
constexpr unsigned kDeflated = 8;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct Packed {
  std::string_view bytes;
  std::uint64_t size = 0;  // unpacked
  std::uint32_t crc = 0;
  bool is_deflated = false;
};

class MemberSource final : public ByteSource {
 public:
  MemberSource(const Packed& packed, std::string label) : packed_(packed), label_(std::move(label)) {
    // -MAX_WBITS: deflate without a header of its own.
    if (packed_.is_deflated && ::inflateInit2(&stream_, -MAX_WBITS) != Z_OK) {
      throw Error(ErrorCode::internal, "zlib could not be started (out of memory?)");
    }
  }
  ~MemberSource() override {
    if (packed_.is_deflated) ::inflateEnd(&stream_);
  }
  MemberSource(const MemberSource&) = delete;
  MemberSource& operator=(const MemberSource&) = delete;

  std::size_t read(char* buffer, std::size_t capacity) override {
    if (capacity == 0) return 0;
    const std::size_t wanted = std::min<std::size_t>(capacity, 1U << 30);  // zlib counts in 32 bits
    const std::size_t count = packed_.is_deflated ? unpack(buffer, wanted) : copy(buffer, wanted);
    crc_ = static_cast<std::uint32_t>(
        ::crc32(crc_, reinterpret_cast<const Bytef*>(buffer), static_cast<uInt>(count)));
    done_ += count;
    if (done_ > packed_.size) damaged("a member is longer than the archive states");
    if (count == 0 && done_ < packed_.size) damaged("a member ends too early");
    if (count == 0 && crc_ != packed_.crc) damaged("the checksum of a member is wrong");
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return taken_; }
  [[nodiscard]] std::uint64_t total() const override { return packed_.bytes.size(); }

 private:
  std::size_t copy(char* buffer, std::size_t wanted) {
    const std::size_t count = packed_.bytes.copy(buffer, wanted, taken_);
    taken_ += count;
    return count;
  }

  std::size_t unpack(char* buffer, std::size_t wanted) {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(wanted);
    while (!ended_ && stream_.avail_out == wanted) {
      const std::size_t piece = std::min<std::size_t>(packed_.bytes.size() - taken_, 1U << 30);
      // zlib's type lacks const; inflate does not write to its input.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.bytes.data() + taken_));
      stream_.avail_in = static_cast<uInt>(piece);
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      taken_ += piece - stream_.avail_in;
      if (status == Z_STREAM_END) {
        ended_ = true;
        if (taken_ != packed_.bytes.size()) damaged("bytes follow the end of a member");
      } else if (status == Z_MEM_ERROR) {
        throw Error(ErrorCode::internal, "zlib ran out of memory");
      } else if (status != Z_OK || (piece == 0 && stream_.avail_out == wanted)) {
        damaged("a member cannot be unpacked");
      }
    }
    return wanted - stream_.avail_out;
  }

  [[noreturn]] void damaged(std::string_view what) const {
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: the file is damaged: {}; get a whole copy of it", label_, what));
  }

  Packed packed_;
  std::string label_;
  z_stream stream_ = {};
  std::uint64_t taken_ = 0;
  std::uint64_t done_ = 0;
  std::uint32_t crc_ = 0;
  bool ended_ = false;
};

}  // namespace

ZipArchive::ZipArchive(std::string bytes, std::string label)
    : bytes_(std::move(bytes)), label_(std::move(label)) {
  const std::size_t end = find_directory_end();
  const auto field = [&](std::size_t at, std::size_t size) {
    return little_endian(std::string_view(bytes_).substr(end + at, size));
  };
  const std::uint64_t count = field(10, 2);
  const std::uint64_t begin = field(16, 4);
  if (field(4, 2) != 0 || field(6, 2) != 0 || field(8, 2) != count) {
    refuse("it is one part of a split archive; save the matrix as one file");
  }
  if (begin == kLong || count == 0xffff) {
    refuse("archives of more than 4 GB are not read; save the matrix in several files");
  }
  auto at = static_cast<std::size_t>(begin);
  for (std::uint64_t i = 0; i < count; ++i) {
    Member member = read_member(at);
    if (has(member.name)) refuse("two of its members have one name; save it again");
    members_.push_back(member);
  }
}

void ZipArchive::refuse(const std::string& reason) const {
  throw Error(ErrorCode::bad_data, fmt::format("{}: {}", label_, reason));
}

// The record at the end, perhaps followed by a comment.
std::size_t ZipArchive::find_directory_end() const {
  const std::string_view bytes = bytes_;
  if (bytes.size() >= kEndSize) {
    const std::size_t last = bytes.size() - kEndSize;
    const std::size_t first = last - std::min(last, kLongestComment);
    for (std::size_t at = last + 1; at-- > first;) {
      if (bytes.substr(at, 4) == kEndMagic && little_endian(bytes.substr(at + 20, 2)) == last - at) return at;
    }
  }
  refuse("it is not a whole zip archive: its directory is missing; get a whole copy of it");
}

ZipArchive::Member ZipArchive::read_member(std::size_t& at) const {
  const std::string_view bytes = bytes_;
  constexpr std::string_view kDamaged = "the directory of the archive is damaged; get a whole copy of it";
  if (at > bytes.size() || bytes.size() - at < kMemberSize || bytes.substr(at, 4) != kMemberMagic) {
    refuse(std::string(kDamaged));
  }
  const auto field = [&](std::size_t offset, std::size_t size) {
    return little_endian(bytes.substr(at + offset, size));
  };
  const auto name_size = static_cast<std::size_t>(field(28, 2));
  const auto extra_size = static_cast<std::size_t>(field(30, 2));
  const std::size_t whole = kMemberSize + name_size + extra_size + static_cast<std::size_t>(field(32, 2));
  if (bytes.size() - at < whole) refuse(std::string(kDamaged));
  if ((field(8, 2) & 1) != 0) refuse("it is encrypted; save it without a password");
  Member member{.name = bytes.substr(at + kMemberSize, name_size),
                .packed = field(20, 4),
                .size = field(24, 4),
                .header = field(42, 4),
                .crc = static_cast<std::uint32_t>(field(16, 4)),
                .method = static_cast<unsigned>(field(10, 2))};
  read_long_sizes(member, bytes.substr(at + kMemberSize + name_size, extra_size));
  at += whole;
  return member;
}

// Extra field 1: those of size, packed size and header that have no room in the record, in this order.
void ZipArchive::read_long_sizes(Member& member, std::string_view extra) const {
  while (extra.size() >= 4) {
    const auto kind = little_endian(extra.substr(0, 2));
    const auto size = static_cast<std::size_t>(little_endian(extra.substr(2, 2)));
    if (extra.size() - 4 < size) break;
    std::string_view values = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (kind != 1) continue;
    for (std::uint64_t* value : {&member.size, &member.packed, &member.header}) {
      if (*value != kLong || values.size() < 8) continue;
      *value = little_endian(values.substr(0, 8));
      values.remove_prefix(8);
    }
  }
}

bool ZipArchive::has(std::string_view name) const {
  return std::ranges::find(members_, name, &Member::name) != members_.end();
}

std::unique_ptr<ByteSource> ZipArchive::open(std::string_view name) const {
  const auto member = std::ranges::find(members_, name, &Member::name);
  if (member == members_.end()) refuse(fmt::format("it has no member {}", name));
  const std::string_view bytes = bytes_;
  if (member->header > bytes.size() || bytes.size() - member->header < kLocalSize ||
      bytes.substr(member->header, 4) != kZipMagic) {
    refuse("a member is not where the directory says; get a whole copy of the file");
  }
  const std::string_view local = bytes.substr(member->header);
  const std::uint64_t skipped =
      kLocalSize + little_endian(local.substr(26, 2)) + little_endian(local.substr(28, 2));
  if (skipped > local.size() || member->packed > local.size() - skipped) {
    refuse("the file ends within a member; get a whole copy of it");
  }
  if (member->method != kStored && member->method != kDeflated) {
    refuse("it is packed by a method other than deflate; save it with scipy.sparse.save_npz");
  }
  return std::make_unique<MemberSource>(Packed{.bytes = local.substr(skipped, member->packed),
                                               .size = member->size,
                                               .crc = member->crc,
                                               .is_deflated = member->method == kDeflated},
                                        label_);
}

}  // namespace sotto
