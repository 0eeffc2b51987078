#include "ledger/crypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <memory>

#include "sotto/error.h"

namespace sotto::ledger {

namespace {

constexpr int kNonceBytes = 12;
constexpr int kTagBytes = 16;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

[[noreturn]] void openssl_failed() {
  throw Error(ErrorCode::internal, "OpenSSL refused a computation of the ledger");
}

}  // namespace

SecretKey::~SecretKey() {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

MacMessage& MacMessage::add(std::string_view field) {
  add(static_cast<std::int64_t>(field.size()));
  bytes_ += field;
  return *this;
}

MacMessage& MacMessage::add(std::int64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) {
    bytes_ += static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xff);
  }
  return *this;
}

Mac MacMessage::under(const SecretKey& key) const {
  Mac out{};
  unsigned length = 0;
  if (HMAC(EVP_sha256(), key.bytes().data(), static_cast<int>(key.bytes().size()), unsigned_bytes(bytes_),
           bytes_.size(), out.data(), &length) == nullptr ||
      length != out.size()) {
    openssl_failed();
  }
  return out;
}

bool equal_in_constant_time(const Mac& a, const Mac& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void fill_random(unsigned char* bytes, std::size_t size) {
  if (RAND_bytes(bytes, static_cast<int>(size)) != 1) {
    throw Error(ErrorCode::internal, "OpenSSL gave no randomness");
  }
}

std::string hex_of(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::optional<Mac> mac_of_hex(std::string_view text) {
  Mac out{};
  if (text.size() != 2 * out.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else {
      return std::nullopt;
    }
    out[i / 2] = static_cast<unsigned char>(out[i / 2] << 4 | digit);
  }
  return out;
}

std::string seal(const SecretKey& key, std::string_view context, std::string_view plain) {
  const auto nonce = random_array<kNonceBytes>();
  const Cipher cipher(EVP_CIPHER_CTX_new());
  std::string out(kNonceBytes + plain.size() + kTagBytes, '\0');
  std::copy(nonce.begin(), nonce.end(), out.begin());
  auto* body = reinterpret_cast<unsigned char*>(out.data()) + kNonceBytes;
  int length = 0;
  const bool done =
      cipher != nullptr &&
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.bytes().data(), nonce.data()) == 1 &&
      EVP_EncryptUpdate(cipher.get(), nullptr, &length, unsigned_bytes(context),
                        static_cast<int>(context.size())) == 1 &&
      EVP_EncryptUpdate(cipher.get(), body, &length, unsigned_bytes(plain), static_cast<int>(plain.size())) ==
          1 &&
      EVP_EncryptFinal_ex(cipher.get(), body + length, &length) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, body + plain.size()) == 1;
  if (!done) openssl_failed();
  return out;
}

std::optional<std::string> unseal(const SecretKey& key, std::string_view context, std::string_view sealed) {
  if (sealed.size() < kNonceBytes + kTagBytes) return std::nullopt;
  const std::string_view body = sealed.substr(kNonceBytes, sealed.size() - kNonceBytes - kTagBytes);
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  const Cipher cipher(EVP_CIPHER_CTX_new());
  std::string plain(body.size() + 1, '\0');
  auto* out = reinterpret_cast<unsigned char*>(plain.data());
  int length = 0;
  const bool started = cipher != nullptr &&
                       EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.bytes().data(),
                                          unsigned_bytes(sealed)) == 1 &&
                       EVP_DecryptUpdate(cipher.get(), nullptr, &length, unsigned_bytes(context),
                                         static_cast<int>(context.size())) == 1 &&
                       EVP_DecryptUpdate(cipher.get(), out, &length, unsigned_bytes(body),
                                         static_cast<int>(body.size())) == 1 &&
                       EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1;
  if (!started) openssl_failed();
  if (EVP_DecryptFinal_ex(cipher.get(), out + length, &length) != 1) return std::nullopt;
  plain.pop_back();
  return plain;
}

}  // namespace sotto::ledger
