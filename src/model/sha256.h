#pragma once
#include <array>
#include <cstddef>
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

std::string hex_text(const Sha256Digest& digest);

}  // namespace sotto
