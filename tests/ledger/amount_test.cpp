#include "sotto/amount.h"

#include <fmt/format.h>
#include <gmp.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "sotto/error.h"
#include "sotto/parameters.h"

namespace sotto {
namespace {

// Before RapidCheck reads it: the same cases in every run.
const int kSeeded = ::setenv("RC_PARAMS", "seed=20 max_success=2000", 0);

// The slow reference: exact rational numbers of GMP.
class Rational {
 public:
  explicit Rational(const std::string& digits, long exponent = 0) {
    mpq_init(value_);
    mpz_set_str(mpq_numref(value_), digits.c_str(), 10);
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, static_cast<unsigned long>(std::labs(exponent)));
    mpz_mul(exponent >= 0 ? mpq_numref(value_) : mpq_denref(value_),
            exponent >= 0 ? mpq_numref(value_) : mpq_denref(value_), power);
    mpz_clear(power);
    mpq_canonicalize(value_);
  }
  explicit Rational(double value) {
    mpq_init(value_);
    mpq_set_d(value_, value);  // exact
  }
  ~Rational() { mpq_clear(value_); }
  Rational(const Rational&) = delete;
  Rational& operator=(const Rational&) = delete;

  // In micros, rounded; empty above the largest amount.
  [[nodiscard]] std::optional<std::int64_t> micros(std::uint64_t factor, Amount::Rounding rounding) const {
    mpz_t out, times, largest;
    mpz_inits(out, times, largest, nullptr);
    mpz_set_str(times, std::to_string(factor).c_str(), 10);
    mpz_mul_ui(times, times, 1'000'000);
    mpz_mul(out, mpq_numref(value_), times);
    rounding == Amount::Rounding::up ? mpz_cdiv_q(out, out, mpq_denref(value_))
                                     : mpz_fdiv_q(out, out, mpq_denref(value_));
    mpz_set_str(largest, "9000000000000000000", 10);
    std::optional<std::int64_t> result;
    if (mpz_cmp(out, largest) <= 0) result = mpz_get_si(out);
    mpz_clears(out, times, largest, nullptr);
    return result;
  }

 private:
  mpq_t value_;
};

template <typename Make>
std::optional<std::int64_t> micros_or_refused(const Make& make) {
  try {
    return make().micros();
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::usage);
    return std::nullopt;
  }
}

rc::Gen<std::string> digits() {
  return rc::gen::withSize([](int size) {
    return rc::gen::container<std::string>(static_cast<std::size_t>(size) / 3 + 1,
                                           rc::gen::inRange<char>('0', ':'));
  });
}

rc::Gen<std::uint64_t> counts() {
  return rc::gen::oneOf(
      rc::gen::inRange<std::uint64_t>(0, 1000),
      rc::gen::map(rc::gen::inRange(0, 64), [](int bits) { return std::uint64_t{1} << bits; }),
      rc::gen::arbitrary<std::uint64_t>());
}

rc::Gen<double> doubles() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 53), rc::gen::inRange(-120, 0)),
      [](const auto& parts) { return std::ldexp(static_cast<double>(parts.first), parts.second); });
}

TEST(Amount, DecimalsAgreeWithExactRationalsInBothDirections) {
  EXPECT_TRUE(rc::check("parse and product", [] {
    const std::string mantissa = *digits();
    const int exponent = *rc::gen::inRange(-40, 14);
    const std::uint64_t factor = *counts();
    const std::string text = fmt::format("{}e{}", mantissa, exponent);
    const Rational exact(mantissa, exponent);
    using enum Amount::Rounding;
    RC_ASSERT(micros_or_refused([&] { return Amount::parse("x", text, up); }) == exact.micros(1, up));
    RC_ASSERT(micros_or_refused([&] { return Amount::parse("x", text, down); }) == exact.micros(1, down));
    RC_ASSERT(micros_or_refused([&] { return Amount::product("x", text, factor); }) ==
              exact.micros(factor, up));
  }));
}

TEST(Amount, PointAndExponentMeanTheSameDecimal) {
  EXPECT_TRUE(rc::check("written with a point", [] {
    const std::string before = *digits();
    const std::string after = *digits();
    const Rational exact(before + after, -static_cast<long>(after.size()));
    const std::string text = before + "." + after;
    RC_ASSERT(micros_or_refused([&] { return Amount::parse("x", text, Amount::Rounding::up); }) ==
              exact.micros(1, Amount::Rounding::up));
  }));
}

TEST(Amount, DoublesCountByTheirExactValueAndChargesByTheirShortestDecimal) {
  EXPECT_TRUE(rc::check("doubles", [] {
    const double value = *doubles();
    const std::uint64_t times = *counts();
    const Rational exact(value);
    for (const auto rounding : {Amount::Rounding::up, Amount::Rounding::down}) {
      RC_ASSERT(micros_or_refused([&] { return Amount::of_exact_double("x", value, rounding); }) ==
                exact.micros(1, rounding));
    }
    RC_ASSERT(micros_or_refused([&] { return Amount::charge(value, times); }) ==
              micros_or_refused([&] { return Amount::product("x", number_text(value), times); }));
  }));
  // One tenth as typed is one tenth; the double next to it lies above.
  EXPECT_EQ(Amount::charge(0.1, 1).text(), "0.100000");
  EXPECT_EQ(Amount::of_exact_double("x", 0.1, Amount::Rounding::up).text(), "0.100001");
  EXPECT_EQ(Amount::of_exact_double("x", 0.1, Amount::Rounding::down).text(), "0.100000");
  EXPECT_EQ(
      Amount::of_exact_double("x", std::numeric_limits<double>::denorm_min(), Amount::Rounding::up).micros(),
      1);
}

TEST(Amount, RoundsOnceForManyWords) {
  EXPECT_EQ(Amount::charge(1e-9, 1).micros(), 1);
  EXPECT_EQ(Amount::charge(1e-9, 1000).micros(), 1);  // not 1,000
  EXPECT_EQ(Amount::charge(1e-9, 1001).micros(), 2);
  EXPECT_EQ(Amount::charge(0.3, 3).text(), "0.900000");
}

TEST(Amount, TextReadsBackAsTheSameAmount) {
  EXPECT_TRUE(rc::check("text", [] {
    const Amount amount = Amount::of_micros(*rc::gen::inRange<std::int64_t>(0, Amount::kLargest));
    RC_ASSERT(Amount::parse("x", amount.text(), Amount::Rounding::up) == amount);
    RC_ASSERT(Amount::parse("x", amount.text(), Amount::Rounding::down) == amount);
  }));
  EXPECT_EQ(Amount::of_micros(Amount::kLargest).text(), "9000000000000.000000");
}

TEST(Amount, SumsAreExactAndNeverOverflow) {
  EXPECT_TRUE(rc::check("plus and minus", [] {
    const std::int64_t a = *rc::gen::inRange<std::int64_t>(0, Amount::kLargest);
    const std::int64_t b = *rc::gen::inRange<std::int64_t>(0, Amount::kLargest);
    __extension__ using Wide = __int128;
    const Wide sum = Wide{a} + b;
    const auto got = micros_or_refused([&] { return Amount::of_micros(a).plus(Amount::of_micros(b)); });
    RC_ASSERT(got.has_value() == (sum <= Amount::kLargest));
    if (got) RC_ASSERT(*got == static_cast<std::int64_t>(sum));
    RC_ASSERT(Amount::of_micros(a).minus_down_to_zero(Amount::of_micros(b)).micros() ==
              std::max<std::int64_t>(0, a - b));
  }));
}

// A sum of charges is never below what was really spent, and at most a micro too high for each of them.
TEST(Amount, ManyChargesNeverCountTooLittle) {
  EXPECT_TRUE(rc::check("sums", [] {
    const auto charges = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(1, 1'000'000'000), rc::gen::inRange(1, 100'000)));
    Amount sum;
    __extension__ using Wide = __int128;
    Wide exact = 0;  // in units of 1e-12
    for (const auto& [epsilon, words] : charges) {
      sum = sum.plus(Amount::product("x", fmt::format("{}e-12", epsilon), static_cast<std::uint64_t>(words)));
      exact += Wide{epsilon} * words;
    }
    const Wide counted = Wide{sum.micros()} * 1'000'000;
    RC_ASSERT(counted >= exact);
    RC_ASSERT(counted - exact <= static_cast<Wide>(charges.size()) * 1'000'000);
  }));
}

TEST(Amount, RefusesWhatIsNoAmount) {
  using enum Amount::Rounding;
  for (const char* text :
       {"nan", "inf", "-1", "", " 1", "0x10", "1e400", "9000000000000.000001", "9e13", "1,5"}) {
    EXPECT_THROW((void)Amount::parse("x", text, up), Error) << text;
  }
  EXPECT_EQ(Amount::parse("x", "9e12", up).micros(), Amount::kLargest);
  EXPECT_EQ(Amount::parse("x", "9000000000000.0000009", down).micros(), Amount::kLargest);
  EXPECT_EQ(Amount::parse("x", "-0", up).micros(), 0);
  EXPECT_THROW((void)Amount::charge(std::numeric_limits<double>::infinity(), 1), Error);
  EXPECT_THROW((void)Amount::charge(std::nan(""), 1), Error);
  EXPECT_THROW((void)Amount::charge(1e12, 10), Error);
  EXPECT_THROW((void)Amount::of_exact_double("x", -1, up), Error);
  EXPECT_THROW((void)Amount::of_micros(-1), Error);
}

}  // namespace
}  // namespace sotto
