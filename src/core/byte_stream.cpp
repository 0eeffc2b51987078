#include "sotto/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/foreign_file.h"
#include "core/peeked_source.h"
#include "core/zip.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} * 1024;

[[noreturn]] void damaged(const std::string& name, std::string_view format, std::string_view how) {
  throw Error(ErrorCode::bad_data, fmt::format("{}: the {} data {}; nothing after that point can be read, so "
                                               "get a whole copy of it",
                                               shown(name), format, how));
}

class FileSource final : public ByteSource {
 public:
  FileSource(Descriptor owned, int fd, std::string name)
      : owned_(std::move(owned)), fd_(fd), name_(std::move(name)) {
    struct stat status {};
    if (::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)) {
      const off_t start = std::max<off_t>(::lseek(fd_, 0, SEEK_CUR), 0);
      total_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size - start, 0));
      (void)::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);  // a hint: failure changes nothing
    }
  }
  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t count = read_some(fd_, buffer, capacity, name_);
    consumed_ += count;
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const override { return total_; }

 private:
  Descriptor owned_;
  int fd_;
  std::string name_;
  std::uint64_t consumed_ = 0;
  std::uint64_t total_ = 0;
};

class StringSource final : public ByteSource {
 public:
  explicit StringSource(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t count = bytes_.copy(buffer, capacity, position_);
    position_ += count;
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return position_; }
  [[nodiscard]] std::uint64_t total() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> inner, std::string name)
      : inner_(std::move(inner)), name_(std::move(name)), input_(kInputBytes) {
    ::isal_inflate_init(&stream_);
    stream_.crc_flag = ISAL_GZIP;
  }

  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t wanted = std::min<std::size_t>(capacity, 1U << 30);  // ISA-L counts in 32 bits
    if (wanted == 0) return 0;
    stream_.next_out = reinterpret_cast<std::uint8_t*>(buffer);
    stream_.avail_out = static_cast<std::uint32_t>(wanted);
    for (;;) {
      if (between_members_) {
        if (stream_.avail_in == 0 && !refill()) return 0;
        if (!begin_member()) continue;
      }
      // Output may wait inside the decompressor when no input is left, so it is asked before the file is.
      if (::isal_inflate(&stream_) < 0) damaged(name_, "gzip", "is damaged");
      if (stream_.block_state == ISAL_BLOCK_FINISH) {
        between_members_ = true;
        ::isal_inflate_reset(&stream_);
        stream_.crc_flag = ISAL_GZIP;
      }
      if (stream_.avail_out < wanted) return wanted - stream_.avail_out;
      if (!between_members_ && stream_.avail_in == 0 && !refill()) {
        damaged(name_, "gzip", "ends too early");
      }
    }
  }
  [[nodiscard]] std::uint64_t consumed() const override { return inner_->consumed(); }
  [[nodiscard]] std::uint64_t total() const override { return inner_->total(); }

 private:
  bool refill() {
    stream_.next_in = reinterpret_cast<std::uint8_t*>(input_.data());
    stream_.avail_in = static_cast<std::uint32_t>(inner_->read(input_.data(), input_.size()));
    return stream_.avail_in > 0;
  }
  // Zero padding after the last member is customary (tape blocks) and skipped; anything else that is
  // not a member would be silent loss, and isal_inflate() refuses it.
  bool begin_member() {
    padded_ = padded_ || (begun_ && *stream_.next_in == 0);
    if (!padded_) {
      begun_ = true;
      between_members_ = false;
      return true;
    }
    for (; stream_.avail_in > 0; --stream_.avail_in, ++stream_.next_in) {
      if (*stream_.next_in != 0) damaged(name_, "gzip", "is followed by other bytes");
    }
    return false;
  }

  std::unique_ptr<ByteSource> inner_;
  std::string name_;
  std::vector<char> input_;
  inflate_state stream_ = {};
  bool between_members_ = true;
  bool begun_ = false;
  bool padded_ = false;
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> inner, std::string name)
      : inner_(std::move(inner)), name_(std::move(name)), input_(kInputBytes), context_(ZSTD_createDCtx()) {
    if (!context_) throw Error(ErrorCode::internal, "zstd could not be started (out of memory?)");
  }

  std::size_t read(char* buffer, std::size_t capacity) override {
    ZSTD_outBuffer out{buffer, capacity, 0};
    while (out.pos == 0 && capacity > 0) {
      if (between_frames_) {
        begin_frame();
      } else if (pending_.pos == pending_.size && !may_hold_output_) {
        pending_ = {input_.data(), inner_->read(input_.data(), input_.size()), 0};
      }
      if (pending_.pos == pending_.size && !may_hold_output_) {
        if (between_frames_) return 0;
        damaged(name_, "zstd", "ends too early");
      }
      const std::size_t before = out.pos;
      const std::size_t status = ZSTD_decompressStream(context_.get(), &out, &pending_);
      if (ZSTD_isError(status) != 0) refuse(ZSTD_getErrorCode(status));
      frame_bytes_ += out.pos - before;
      between_frames_ = status == 0;
      // libzstd 1.5.4 compares these two only if the whole frame fits into the output, or its last block is
      // not empty.
      if (between_frames_ && stated_bytes_ != ZSTD_CONTENTSIZE_UNKNOWN && frame_bytes_ != stated_bytes_) {
        damaged(name_, "zstd", "is damaged");
      }
      may_hold_output_ = out.pos == out.size && !between_frames_;
    }
    return out.pos;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return inner_->consumed(); }
  [[nodiscard]] std::uint64_t total() const override { return inner_->total(); }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
  };
  void begin_frame() {
    gather_header();
    frame_bytes_ = 0;
    const unsigned long long stated =
        ZSTD_getFrameContentSize(input_.data() + pending_.pos, pending_.size - pending_.pos);
    stated_bytes_ = stated == ZSTD_CONTENTSIZE_ERROR ? ZSTD_CONTENTSIZE_UNKNOWN : stated;
  }
  // libzstd 1.5.4 takes bytes in the middle of a frame for its beginning if the header of the frame comes in
  // two pieces and the output has room for the whole frame. So the header always comes in one piece.
  void gather_header() {
    constexpr std::size_t kLongestHeader = 18;  // RFC 8878, section 3.1.1: 4 bytes and 14 at most
    std::size_t size = pending_.size - pending_.pos;
    if (size >= kLongestHeader) return;
    if (size > 0) std::memmove(input_.data(), input_.data() + pending_.pos, size);
    while (size < kLongestHeader) {
      const std::size_t more = inner_->read(input_.data() + size, input_.size() - size);
      if (more == 0) break;
      size += more;
    }
    pending_ = {input_.data(), size, 0};
  }
  [[noreturn]] void refuse(ZSTD_ErrorCode error) const {
    if (error == ZSTD_error_memory_allocation) throw Error(ErrorCode::internal, "zstd ran out of memory");
    if (error == ZSTD_error_frameParameter_windowTooLarge) {
      throw Error(ErrorCode::bad_data,
                  fmt::format("{}: the zstd data needs a window above 128 MB; compress it "
                              "again without --long or --ultra",
                              shown(name_)));
    }
    damaged(name_, "zstd", "is damaged");
  }

  std::unique_ptr<ByteSource> inner_;
  std::string name_;
  std::vector<char> input_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  ZSTD_inBuffer pending_ = {nullptr, 0, 0};
  std::uint64_t frame_bytes_ = 0;   // of the current frame, unpacked so far
  std::uint64_t stated_bytes_ = 0;  // by its header
  bool between_frames_ = true;
  bool may_hold_output_ = false;
};

// A truncated magic counts from two bytes on: neither pair begins valid UTF-8 text.
Compression compression_of_head(std::string_view head) {
  constexpr std::string_view kGzip = "\x1f\x8b";
  constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
  head = head.substr(0, 4);
  if (head.size() < 2) return Compression::none;
  if (head.starts_with(kGzip)) return Compression::gzip;
  if (kZstd.starts_with(head)) return Compression::zstd;
  // Skippable frame, with which parallel zstd writers begin.
  if (head.size() == 4 && (head[0] & 0xf0) == 0x50 && head.substr(1) == "\x2a\x4d\x18")
    return Compression::zstd;
  return Compression::none;
}

enum class Zip { refused, accepted };

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> raw, const std::string& name, Zip zip) {
  auto peeked = std::make_unique<PeekedSource>(std::move(raw));
  switch (compression_of_head(peeked->head(4))) {
    case Compression::gzip:
      return std::make_unique<GzipSource>(std::move(peeked), name);
    case Compression::zstd:
      return std::make_unique<ZstdSource>(std::move(peeked), name);
    case Compression::none:
      break;
  }
  if (zip == Zip::accepted && peeked->head(kZipMagic.size()).starts_with(kZipMagic)) return peeked;
  if (const std::optional<ForeignFile> foreign = foreign_file(*peeked)) {
    throw Error(ErrorCode::bad_data, fmt::format("{} is {}, which Sotto does not read; {}", shown(name),
                                                 foreign->kind, foreign->advice));
  }
  return peeked;
}

std::unique_ptr<ByteSource> open_path(const std::filesystem::path& path, Zip zip) {
  if (path == "-") {
    const std::string name = "standard input";
    return decompressed(std::make_unique<FileSource>(Descriptor(), STDIN_FILENO, name), name, zip);
  }
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    throw Error(ErrorCode::input_output, cannot_read(path.string(), errno));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::usage, fmt::format("{} is a folder; give a file in it", shown(path.string())));
  }
  const int fd = file.get();
  return decompressed(std::make_unique<FileSource>(std::move(file), fd, path.string()), path.string(), zip);
}

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path) {
  return open_path(path, Zip::refused);
}

std::unique_ptr<ByteSource> open_source_or_zip(const std::filesystem::path& path) {
  return open_path(path, Zip::accepted);
}

std::unique_ptr<ByteSource> source_of_string(std::string bytes) {
  return decompressed(std::make_unique<StringSource>(std::move(bytes)), "the input", Zip::refused);
}

}  // namespace sotto
