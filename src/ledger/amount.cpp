#include "sotto/amount.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/descriptor.h"
#include "sotto/error.h"
#include "sotto/parameters.h"

namespace sotto {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kPlaces = 6;
constexpr std::string_view kLargestText = "9000000000000 (9e12)";

[[noreturn]] void refuse_size(std::string_view what) {
  throw Error(ErrorCode::usage, fmt::format("{}: a ledger counts amounts from 0 to {}", what, kLargestText));
}

// digits * 10^exponent; no leading or trailing zero digits, "" for zero.
struct Decimal {
  std::string digits;
  long exponent = 0;
};

// The text is a number by parse_number(): digits, at most one point, at most one exponent.
Decimal read_decimal(std::string_view text) {
  Decimal out;
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  if (e < text.size()) {
    // Clamped: an exponent of more digits is beyond every limit below either way.
    std::string_view power = text.substr(e + 1);
    const bool negative = power.front() == '-';
    if (power.front() == '-' || power.front() == '+') power.remove_prefix(1);
    long value = 0;
    for (const char digit : power) value = std::min(value * 10 + (digit - '0'), 1'000'000'000L);
    out.exponent = negative ? -value : value;
  }
  bool after_point = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.') {
      after_point = true;
    } else {
      out.digits += c;
      out.exponent -= after_point ? 1 : 0;
    }
  }
  out.digits.erase(0, std::min(out.digits.find_first_not_of('0'), out.digits.size()));
  while (!out.digits.empty() && out.digits.back() == '0') {
    out.digits.pop_back();
    ++out.exponent;
  }
  return out;
}

// value * factor with factor < 2^64, or nothing above 2^127.
std::optional<Wide> times(Wide value, std::uint64_t factor) {
  if (factor != 0 && value > (Wide{1} << 127) / factor) return std::nullopt;
  return value * factor;
}

// floor or ceiling of decimal * factor in micros; empty above kLargest.
std::optional<std::int64_t> micros_of(const Decimal& decimal, std::uint64_t factor,
                                      Amount::Rounding rounding) {
  if (decimal.digits.empty() || factor == 0) return 0;
  const long shift = decimal.exponent + kPlaces;  // value in micros = digits * 10^shift
  const auto count = static_cast<long>(decimal.digits.size());
  if (count + shift > 20) return std::nullopt;  // at least 10^20 micros
  if (shift >= 0) {
    Wide value = 0;
    for (const char digit : decimal.digits) value = value * 10 + static_cast<unsigned>(digit - '0');
    for (long i = 0; i < shift; ++i) value *= 10;
    const std::optional<Wide> product = times(value, factor);
    if (!product || *product > static_cast<Wide>(Amount::kLargest)) return std::nullopt;
    return static_cast<std::int64_t>(*product);
  }
  // Schoolbook: the digits times the factor, digit by digit from the right, as a list of decimal digits. The
  // product is exact however many digits there are.
  std::string product;  // least significant first
  Wide carry = 0;
  for (std::size_t i = decimal.digits.size(); i > 0; --i) {
    carry += Wide{factor} * static_cast<unsigned>(decimal.digits[i - 1] - '0');
    product += static_cast<char>('0' + static_cast<int>(carry % 10));
    carry /= 10;
  }
  for (; carry > 0; carry /= 10) product += static_cast<char>('0' + static_cast<int>(carry % 10));
  // Drop the -shift lowest digits.
  const auto dropped = std::min(static_cast<std::size_t>(-shift), product.size());
  const bool something_left = product.find_first_not_of('0') < dropped;
  Wide value = 0;
  for (std::size_t i = product.size(); i > dropped; --i) {
    value = value * 10 + static_cast<unsigned>(product[i - 1] - '0');
    if (value > static_cast<Wide>(Amount::kLargest)) return std::nullopt;
  }
  if (something_left && rounding == Amount::Rounding::up) ++value;
  if (value > static_cast<Wide>(Amount::kLargest)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

Amount checked(std::string_view what, std::string_view text, std::uint64_t factor,
               Amount::Rounding rounding) {
  if (parse_number(what, text, Infinity::refused) < 0) refuse_size(what);
  if (text.starts_with('-')) text = "0";  // -0
  const std::optional<std::int64_t> micros = micros_of(read_decimal(text), factor, rounding);
  if (!micros) refuse_size(what);
  return Amount::of_micros(*micros);
}

}  // namespace

Amount Amount::of_micros(std::int64_t micros) {
  if (micros < 0 || micros > kLargest) refuse_size("the amount");
  return Amount(micros);
}

Amount Amount::parse(std::string_view what, std::string_view decimal, Rounding rounding) {
  return checked(what, decimal, 1, rounding);
}

Amount Amount::product(std::string_view what, std::string_view decimal, std::uint64_t times) {
  return checked(what, decimal, times, Rounding::up);
}

Amount Amount::of_exact_double(std::string_view what, double value, Rounding rounding) {
  if (!std::isfinite(value) || value < 0 || value > 9e12) refuse_size(what);
  // Every double is a finite decimal; 1,100 places hold the smallest one whole.
  return checked(what, fmt::format("{:.1100f}", value), 1, rounding);
}

Amount Amount::charge(double epsilon, std::uint64_t times) {
  if (!std::isfinite(epsilon)) refuse_size("`epsilon`");
  return product("`epsilon`", number_text(epsilon), times);
}

std::string Amount::text() const {
  return fmt::format("{}.{:06}", micros_ / kMicros, micros_ % kMicros);
}

Amount Amount::plus(Amount other) const {
  if (other.micros_ > kLargest - micros_) refuse_size("the sum of an account");
  return Amount(micros_ + other.micros_);
}

Amount Amount::minus_down_to_zero(Amount other) const {
  return Amount(other.micros_ >= micros_ ? 0 : micros_ - other.micros_);
}

}  // namespace sotto
