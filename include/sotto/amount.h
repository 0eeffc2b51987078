#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

// An amount of epsilon in a ledger: an exact decimal with six places, from 0 to 9e12. Sums and differences of
// amounts are exact. Rounding happens once, when a number becomes an amount: what is spent is rounded up, a
// limit is rounded down (so what remains of it is, too). A ledger therefore never counts too little.
//
// An epsilon that a person typed is a decimal text, and 0.1 means one tenth, not the nearest double (which
// lies above one tenth and would be rounded up to 0.100001). So texts are read digit by digit. Of a double
// alone, the exact binary value counts; Amount::charge() takes the shortest decimal that reads back as the
// same double, which is how Sotto prints every epsilon.
class Amount {
 public:
  enum class Rounding { up, down };
  static constexpr std::int64_t kMicros = 1'000'000;                   // 1 epsilon
  static constexpr std::int64_t kLargest = 9'000'000'000'000'000'000;  // 9e12 epsilons, in micros

  constexpr Amount() = default;
  // Throws Error(usage) below 0 or above kLargest.
  static Amount of_micros(std::int64_t micros);
  // A decimal such as "2", "0.5" or "1e-3", as parse_number() takes them. `what` is the subject of the
  // message if it is no such number, negative, or above 9e12: Error(usage).
  static Amount parse(std::string_view what, std::string_view decimal, Rounding rounding);
  // The text's decimal times `times`, rounded up once.
  static Amount product(std::string_view what, std::string_view decimal, std::uint64_t times);
  // The exact value of the double, rounded.
  static Amount of_exact_double(std::string_view what, double value, Rounding rounding);
  // What `times` words (or one document) at this epsilon cost.
  static Amount charge(double epsilon, std::uint64_t times);

  [[nodiscard]] constexpr std::int64_t micros() const noexcept { return micros_; }
  // "2.500000": always six places.
  [[nodiscard]] std::string text() const;
  // Throws Error(usage) if the sum is above 9e12.
  [[nodiscard]] Amount plus(Amount other) const;
  // 0 if `other` is larger.
  [[nodiscard]] Amount minus_down_to_zero(Amount other) const;
  constexpr auto operator<=>(const Amount&) const = default;

 private:
  explicit constexpr Amount(std::int64_t micros) : micros_(micros) {}
  std::int64_t micros_ = 0;
};

}  // namespace sotto
