#include "ledger/postgres_address.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "core/descriptor.h"
#include "ledger/libpq.h"
#include "sotto/ledger.h"

namespace sotto {

namespace {

using ledger::libpq;
using Fields = std::map<std::string, std::string, std::less<>>;

// Throws Error(usage) if it is no address.
Fields fields_of(const std::string& location) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      libpq().parse_address(location.c_str(), &message), libpq().free_address);
  libpq().free_memory(message);  // it may quote the password
  if (!options) {
    throw Error(ErrorCode::usage, "`ledger` is no PostgreSQL address; try postgresql://host/database");
  }
  Fields out;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) out[option->keyword] = option->val;
  }
  return out;
}

}  // namespace

bool has_password(const std::string& location) {
  return ledger::is_postgres(location) && fields_of(location).contains("password");
}

namespace ledger {

bool is_postgres(std::string_view location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

std::string shown_address(const std::string& location) {
  const Fields fields = fields_of(location);
  const auto field = [&](std::string_view name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  };
  const std::string port = field("port");
  return shown(
      fmt::format("postgresql://{}{}{}/{}", field("host"), port.empty() ? "" : ":", port, field("dbname")));
}

}  // namespace ledger

}  // namespace sotto
