#include "server/keys.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/output_file.h"
#include "ledger/crypto.h"
#include "sotto/error.h"

namespace sotto::server {

namespace {

using api::Json;

constexpr Scope kScopes[] = {Scope::privatize, Scope::read, Scope::admin};
constexpr std::string_view kPrefix = "sotto_";  // so that a key is recognised where it does not belong

Sha256Digest digest_of(std::string_view key) {
  Sha256 hash;
  hash.add(key.data(), key.size());
  return hash.digest();
}

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw Error(ErrorCode::input_output, fmt::format("cannot read the keys in {}", file.string()));
  return text;
}

ClientKey client_key(const Json& row) {
  ClientKey key{.name = row.at("name").get<std::string>()};
  const std::optional<ledger::Mac> digest = ledger::mac_of_hex(row.at("sha256").get<std::string>());
  if (!digest) throw Error(ErrorCode::bad_data, "a hash has 64 hexadecimal digits");
  std::ranges::copy(*digest, key.digest.begin());
  for (const Json& scope : row.at("scopes")) key.scopes.push_back(parse_scope(scope.get<std::string>()));
  return key;
}

Json to_json(const ClientKey& key) {
  Json scopes = Json::array();
  for (const Scope scope : key.scopes) scopes.push_back(scope_name(scope));
  return {{"name", key.name}, {"sha256", hex_text(key.digest)}, {"scopes", std::move(scopes)}};
}

}  // namespace

bool ClientKey::allows(Scope scope) const {
  return scope == Scope::open || std::ranges::find(scopes, scope) != scopes.end() ||
         std::ranges::find(scopes, Scope::admin) != scopes.end();
}

Scope parse_scope(std::string_view text) {
  const auto* const found = std::ranges::find(kScopes, text, scope_name);
  if (found == std::end(kScopes)) {
    throw Error(ErrorCode::usage, "`scope` must be one of privatize, read, admin");
  }
  return *found;
}

Keys Keys::read(const std::filesystem::path& file) {
  const std::string text = text_of_file(file);
  try {
    std::vector<ClientKey> keys;
    const Json json = Json::parse(text);
    for (const Json& row : json.at("keys")) keys.push_back(client_key(row));
    return Keys(std::move(keys));
  } catch (const std::exception&) {  // its what() may quote the file
    throw Error(ErrorCode::bad_data,
                fmt::format("{} is no file of keys; `sotto serve key create` makes one", file.string()));
  }
}

const ClientKey* Keys::find(std::string_view key) const {
  const Sha256Digest digest = digest_of(key);
  const ClientKey* found = nullptr;
  for (const ClientKey& own : keys_) {
    if (CRYPTO_memcmp(own.digest.data(), digest.data(), digest.size()) == 0) found = &own;
  }
  return found;
}

std::string create_key(const std::filesystem::path& file, const NewKey& wanted) {
  if (wanted.name.empty() || wanted.scopes.empty()) {
    throw Error(ErrorCode::usage, "a key needs a `name` and at least one `scope`");
  }
  const bool is_new = !std::filesystem::exists(file);
  std::vector<ClientKey> keys;
  if (!is_new) {
    const Keys earlier = Keys::read(file);
    keys.assign(earlier.all().begin(), earlier.all().end());
  }
  if (std::ranges::find(keys, wanted.name, &ClientKey::name) != keys.end()) {
    throw Error(ErrorCode::usage, fmt::format("`name`: there is a key called {} already", wanted.name));
  }
  std::string key = std::string(kPrefix) + ledger::hex_of(ledger::random_array<32>());
  keys.push_back({.name = wanted.name, .digest = digest_of(key), .scopes = wanted.scopes});
  Json json = {{"keys", Json::array()}};
  for (const ClientKey& own : keys) json["keys"].push_back(to_json(own));
  OutputFile out(file, Overwrite::replace);
  out.write(api::json_text(json) + "\n");
  out.commit();
  // Hashes of 256 random bits give nothing away, but names of clients are nobody's business.
  using std::filesystem::perms;
  if (is_new) std::filesystem::permissions(file, perms::owner_read | perms::owner_write);
  return key;
}

}  // namespace sotto::server
