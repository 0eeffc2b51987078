#include "core/odds_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/bound_text.h"
#include "core/count_text.h"

namespace sotto {

namespace {

constexpr double kRounding = 1e-6;
constexpr double kMillion = 1e6;
constexpr double kBillion = 1e9;
constexpr double kLargestNamed = 1e12;

// "5.6", "560"; `rounded` has two digits already.
std::string two_digits(double rounded) {
  return rounded < 99 ? rounded_up(rounded, 2) : grouped(static_cast<std::uint64_t>(std::lround(rounded)));
}

}  // namespace

std::string odds_text(double loss) {
  if (!std::isfinite(loss)) return "unlimited";
  if (loss <= 0) return "1";
  const double bound = loss + kRounding;
  if (bound > std::log(kLargestNamed)) {
    return fmt::format("a number with {} digits",
                       grouped(static_cast<std::uint64_t>(bound / std::log(10.0)) + 1));
  }
  const double factor = std::exp(bound) * (1 + 1e-15);
  if (factor < 10) {
    constexpr double kNearlyOne = 1.01;
    return rounded_up(factor, factor < kNearlyOne ? 4 : factor < 2 ? 3 : 2);
  }
  const double rounded = std::strtod(rounded_up(factor, 2).c_str(), nullptr);
  if (rounded >= kBillion) return two_digits(rounded / kBillion) + " billion";
  if (rounded >= kMillion) return two_digits(rounded / kMillion) + " million";
  return grouped(static_cast<std::uint64_t>(rounded));
}

std::string surer_text(double loss) {
  if (!std::isfinite(loss)) return "surer without any limit";
  if (loss <= 0) return "no surer than before";
  const std::string odds = odds_text(loss);
  constexpr std::string_view kNumber = "a number";
  return odds.starts_with(kNumber) ? fmt::format("surer by up to a factor{}", odds.substr(kNumber.size()))
                                   : fmt::format("at most {} times surer", odds);
}

}  // namespace sotto
