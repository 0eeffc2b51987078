#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ledger/store.h"

namespace sotto::ledger {

// Thirty-two secret bytes, cleansed at the end.
class SecretKey {
 public:
  explicit SecretKey(const Mac& bytes) : bytes_(bytes) {}
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();
  [[nodiscard]] const Mac& bytes() const noexcept { return bytes_; }

 private:
  Mac bytes_;
};

// The message of an HMAC: fields one after the other, each with its length, so that no two lists of fields
// make the same message. The first field says what the HMAC is for.
class MacMessage {
 public:
  explicit MacMessage(std::string_view purpose) { add(purpose); }
  MacMessage& add(std::string_view field);
  MacMessage& add(std::int64_t number);
  template <std::size_t size>
  MacMessage& add(const std::array<unsigned char, size>& bytes) {
    return add(std::string_view(reinterpret_cast<const char*>(bytes.data()), size));
  }
  // HMAC-SHA256.
  [[nodiscard]] Mac under(const SecretKey& key) const;

 private:
  std::string bytes_;
};

bool equal_in_constant_time(const Mac& a, const Mac& b);
void fill_random(unsigned char* bytes, std::size_t size);
template <std::size_t size>
std::array<unsigned char, size> random_array() {
  std::array<unsigned char, size> out;
  fill_random(out.data(), size);
  return out;
}

std::string hex_of(std::string_view bytes);
template <std::size_t size>
std::string hex_of(const std::array<unsigned char, size>& bytes) {
  return hex_of(std::string_view(reinterpret_cast<const char*>(bytes.data()), size));
}
// Empty unless there are exactly 64 hexadecimal digits.
std::optional<Mac> mac_of_hex(std::string_view text);

// AES-256-GCM with a random nonce: nonce, ciphertext, tag. `context` is authenticated, not stored.
std::string seal(const SecretKey& key, std::string_view context, std::string_view plain);
// Empty if a bit of it was changed, or the key is another.
std::optional<std::string> unseal(const SecretKey& key, std::string_view context, std::string_view sealed);

}  // namespace sotto::ledger
