#pragma once
#include <string>

namespace sotto {

// The time now in UTC to the second, "2026-11-17T10:42:26Z" (ISO 8601).
std::string utc_now();

}  // namespace sotto
