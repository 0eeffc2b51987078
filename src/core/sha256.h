#pragma once
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace sotto {

using Sha256Digest = std::array<unsigned char, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(const void* bytes, std::size_t size);
  // Ends the computation: no add() afterwards.
  Sha256Digest digest();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Of a file's bytes as they are, compressed or not, in hexadecimal. Throws Error(input_output).
std::string sha256_of_file(const std::filesystem::path& path);
std::string hex_text(const Sha256Digest& digest);

}  // namespace sotto
