#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/output_file.h"
#include "core/sha256.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kOutputBytes = std::size_t{256} * 1024;

// One system call per write(), so that a reader downstream sees each piece at once.
class StandardOutput final : public ByteSink {
 public:
  explicit StandardOutput(Sha256* hash) : hash_(hash) {}
  void write(std::string_view bytes) override {
    write_all(STDOUT_FILENO, bytes, "standard output");
    if (hash_ != nullptr) hash_->add(bytes.data(), bytes.size());
  }
  void close() override { hash_ = nullptr; }
  void finish() override {
    // EINVAL and the like: a pipe or a terminal. EIO and ENOSPC are data that was lost.
    if (::fsync(STDOUT_FILENO) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT)) {
      throw Error(ErrorCode::input_output,
                  fmt::format("cannot write standard output: {}", system_message(errno)));
    }
  }

 private:
  Sha256* hash_;
};

class FileSink final : public ByteSink {
 public:
  FileSink(const std::filesystem::path& path, Overwrite overwrite, Sha256* hash)
      : file_(path, overwrite), hash_(hash) {}
  void write(std::string_view bytes) override {
    file_.write(bytes);
    if (hash_ != nullptr) hash_->add(bytes.data(), bytes.size());
  }
  void close() override { hash_ = nullptr; }
  void finish() override { file_.commit(); }
  [[nodiscard]] bool holds_back() const override { return file_.holds_back(); }

 private:
  OutputFile file_;
  Sha256* hash_;
};

// zlib writes a header without time and file name: nothing about the run leaks.
class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> inner) : inner_(std::move(inner)), output_(kOutputBytes) {
    constexpr int kMemoryLevel = 8;
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, kMemoryLevel,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
      throw Error(ErrorCode::internal, "zlib could not be started (out of memory?)");
    }
  }
  ~GzipSink() override { ::deflateEnd(&stream_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::size_t piece = std::min<std::size_t>(bytes.size(), 1U << 30);  // zlib counts in 32 bits
      // zlib's type lacks const; deflate does not write to its input.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(piece);
      deflate_all(Z_NO_FLUSH);
      bytes.remove_prefix(piece);
    }
  }
  void close() override {
    if (std::exchange(is_closed_, true)) return;
    deflate_all(Z_FINISH);
    inner_->close();
  }
  void finish() override {
    close();
    inner_->finish();
  }
  [[nodiscard]] bool holds_back() const override { return inner_->holds_back(); }

 private:
  void deflate_all(int flush) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      if (::deflate(&stream_, flush) == Z_STREAM_ERROR) {
        throw Error(ErrorCode::internal, "zlib refused to compress");
      }
      inner_->write({output_.data(), output_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<ByteSink> inner_;
  std::vector<char> output_;
  z_stream stream_ = {};
  bool is_closed_ = false;
};

class ZstdSink final : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> inner)
      : inner_(std::move(inner)), output_(kOutputBytes), context_(ZSTD_createCCtx()) {
    // The checksum lets a reader notice every flipped bit.
    if (!context_ || ZSTD_isError(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1)) != 0) {
      throw Error(ErrorCode::internal, "zstd could not be started (out of memory?)");
    }
  }
  void write(std::string_view bytes) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (in.pos < in.size) compress(in, ZSTD_e_continue);
  }
  void close() override {
    if (std::exchange(is_closed_, true)) return;
    ZSTD_inBuffer in{nullptr, 0, 0};
    while (compress(in, ZSTD_e_end) != 0) {
    }
    inner_->close();
  }
  void finish() override {
    close();
    inner_->finish();
  }
  [[nodiscard]] bool holds_back() const override { return inner_->holds_back(); }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
  };
  // Bytes that still wait inside the compressor.
  std::size_t compress(ZSTD_inBuffer& in, ZSTD_EndDirective directive) {
    ZSTD_outBuffer out{output_.data(), output_.size(), 0};
    const std::size_t waiting = ZSTD_compressStream2(context_.get(), &out, &in, directive);
    if (ZSTD_isError(waiting) != 0) throw Error(ErrorCode::internal, "zstd refused to compress");
    inner_->write({output_.data(), out.pos});
    return waiting;
  }

  std::unique_ptr<ByteSink> inner_;
  std::vector<char> output_;
  std::unique_ptr<ZSTD_CCtx, Free> context_;
  bool is_closed_ = false;
};

}  // namespace

Compression compression_of_name(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".gz") return Compression::gzip;
  if (extension == ".zst") return Compression::zstd;
  return Compression::none;
}

std::unique_ptr<ByteSink> open_sink(const std::filesystem::path& path, Overwrite overwrite, Sha256* hash) {
  if (path == "-") return std::make_unique<StandardOutput>(hash);
  auto file = std::make_unique<FileSink>(path, overwrite, hash);
  switch (compression_of_name(path)) {
    case Compression::gzip:
      return std::make_unique<GzipSink>(std::move(file));
    case Compression::zstd:
      return std::make_unique<ZstdSink>(std::move(file));
    case Compression::none:
      break;
  }
  return file;
}

}  // namespace sotto
