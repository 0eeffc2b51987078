#include "core/count_text.h"

#include <fmt/format.h>

namespace sotto {

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string percent(double share) {
  const double value = 100 * share;
  if (value > 0 && value < 0.1) return "under 0.1%";
  if (value > 99.9 && value < 100) return "over 99.9%";
  // A share that is not whole is never shown as 0% or 100%.
  const bool needs_decimal = (value > 0 && value < 9.95) || (value >= 99.5 && value < 100);
  return fmt::format("{:.{}f}%", value, needs_decimal ? 1 : 0);
}

}  // namespace sotto
