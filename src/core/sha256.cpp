#include "core/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "sotto/error.h"

namespace sotto {
namespace {

void require_openssl(int openssl_result) {
  if (openssl_result != 1) throw Error(ErrorCode::internal, "the SHA-256 of OpenSSL failed");
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* state = EVP_MD_CTX_new();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(state); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  require_openssl(context_->state == nullptr ? 0 : EVP_DigestInit_ex(context_->state, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::add(const void* bytes, std::size_t size) {
  require_openssl(EVP_DigestUpdate(context_->state, bytes, size));
}

Sha256Digest Sha256::digest() {
  Sha256Digest digest{};
  require_openssl(EVP_DigestFinal_ex(context_->state, digest.data(), nullptr));
  return digest;
}

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(std::size_t{1} << 18);
  Sha256 hash;
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.add(buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) {
    throw Error(ErrorCode::input_output,
                fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  }
  return hex_text(hash.digest());
}

std::string hex_text(const Sha256Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace sotto
