#pragma once
#include <string>
#include <string_view>

namespace sotto::ledger {

// "postgresql://..." or "postgres://...".
bool is_postgres(std::string_view location);
// For messages: without user, password and options.
std::string shown_address(const std::string& location);

}  // namespace sotto::ledger
