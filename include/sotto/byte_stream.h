#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace sotto {

class Sha256;

// What to do with a file that is there already.
enum class Overwrite { refuse, replace };

enum class Compression { none, gzip, zstd };

// Bytes from outside, decompressed by their magic bytes (gzip, zstd; several members in a row are
// one stream). Throws Error(bad_data) on a damaged or truncated compressed stream.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills up to `capacity` bytes; 0 only at the end.
  virtual std::size_t read(char* buffer, std::size_t capacity) = 0;
  // Compressed bytes consumed, and the total if known (0: unknown), for the progress bar.
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;
  [[nodiscard]] virtual std::uint64_t total() const = 0;
};
std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);  // "-": standard input
std::unique_ptr<ByteSource> source_of_string(std::string bytes);             // tests, server, fuzzing

// Bytes to outside; finish() makes them durable (a file appears only then).
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  // No write() afterwards: what a compressor holds back goes out, and nothing appears yet. finish() does it
  // too.
  virtual void close() {}
  virtual void finish() = 0;
  // Nothing can be seen before finish(). False for standard output, pipes and devices: bytes leave at once.
  [[nodiscard]] virtual bool holds_back() const { return false; }
};
// "-" is standard output; otherwise an OutputFile, compressed if the name ends in .gz or .zst. `hash`, if it
// is given, gets every byte as it goes out, compressed or not. It is whole after close() and not used
// afterwards.
std::unique_ptr<ByteSink> open_sink(const std::filesystem::path& path, Overwrite overwrite,
                                    Sha256* hash = nullptr);
Compression compression_of_name(const std::filesystem::path& path);

}  // namespace sotto
