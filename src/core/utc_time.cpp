#include "core/utc_time.h"

#include <fmt/format.h>

#include <ctime>

namespace sotto {

std::string utc_now() {
  return utc_time(std::time(nullptr));
}

std::string utc_time(std::int64_t seconds) {
  const std::time_t now = seconds;
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace sotto
