#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sha256.h"
#include "server/routes.h"

// The keys of clients. A file holds names, scopes and the SHA-256 of each key, never a key: keys have 256
// random bits, so a plain hash gives nothing away.
namespace sotto::server {

struct ClientKey {
  std::string name = {};
  Sha256Digest digest = {};
  std::vector<Scope> scopes = {};
  // `admin` allows everything.
  [[nodiscard]] bool allows(Scope scope) const;
};

class Keys {
 public:
  // Throws Error(input_output) if the file cannot be read, Error(bad_data) if it is no file of keys.
  static Keys read(const std::filesystem::path& file);
  explicit Keys(std::vector<ClientKey> keys) : keys_(std::move(keys)) {}

  // Null: nobody's key. Every key is compared in constant time, and always all of them.
  [[nodiscard]] const ClientKey* find(std::string_view key) const;
  [[nodiscard]] std::span<const ClientKey> all() const noexcept { return keys_; }

 private:
  std::vector<ClientKey> keys_;
};

// Makes a key, adds its hash to the file (made with mode 0600 if it is not there), and returns the key, which
// cannot be found out later. Throws Error(usage) for a name that is taken or empty.
struct NewKey {
  std::string name = {};
  std::vector<Scope> scopes = {};
};
std::string create_key(const std::filesystem::path& file, const NewKey& wanted);

// "privatize", "read" or "admin"; throws Error(usage).
Scope parse_scope(std::string_view text);

}  // namespace sotto::server
