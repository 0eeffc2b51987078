#pragma once
#include <cstdint>
#include <string>

namespace sotto {

// The time now in UTC to the second, "2026-11-17T10:42:26Z" (ISO 8601).
std::string utc_now();
// The same form of a time in seconds since 1970.
std::string utc_time(std::int64_t seconds);

}  // namespace sotto
