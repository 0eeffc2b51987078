#include "mechanisms/privemb/interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/big_number.h"
#include "sotto/rng.h"

namespace sotto {
namespace {

using test::Big;
using test::uniform;

constexpr std::uint64_t kOnes = ~std::uint64_t{0};

// Intervals of one word, with operations in few bits, hold what each number of theirs gives in many.
TEST(Interval, EveryOperationHoldsTheTrueValue) {
  Rng rng = Rng::seeded_not_private(101);
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t words[] = {round % 5 == 0 ? kOnes - rng.bits() % 4 : rng.bits() >> rng.bits() % 40,
                                   round % 7 == 0 ? (rng.bits() % 8) << 61 : rng.bits()};
    for (const std::uint64_t tail : {std::uint64_t{0}, kOnes, rng.bits()}) {
      Big x = uniform(words[0], tail);
      Big y = uniform(words[1], tail);
      const auto made = [&](std::uint64_t word) {
        Interval out(70);
        out.set_digits({&word, 1});
        return out;
      };
      EXPECT_TRUE(made(words[0]).holds(x));
      Big value;
      Interval cosine(70);
      Interval sine(70);
      Interval::turn(made(words[1]), cosine, sine);
      Big angle;
      mpfr_const_pi(angle, MPFR_RNDN);
      mpfr_mul(angle, angle, y, MPFR_RNDN);
      mpfr_mul_ui(angle, angle, 2, MPFR_RNDN);
      mpfr_cos(value, angle, MPFR_RNDN);
      EXPECT_TRUE(cosine.holds(value));
      // With either sign, times and by what is not negative.
      Interval product(70);
      product.set(cosine);
      product.multiply(made(words[0]));
      Big expected;
      mpfr_mul(expected, value, x, MPFR_RNDN);
      EXPECT_TRUE(product.holds(expected));
      Interval quotient(70);
      quotient.set(cosine);
      quotient.divide(made(words[0]));
      mpfr_div(expected, value, x, MPFR_RNDN);
      EXPECT_TRUE(words[0] == 0 || quotient.holds(expected));
      cosine.square();
      mpfr_sqr(expected, value, MPFR_RNDN);
      EXPECT_TRUE(cosine.holds(expected));
      mpfr_sin(value, angle, MPFR_RNDN);
      EXPECT_TRUE(sine.holds(value));
      sine.negate();
      mpfr_neg(value, value, MPFR_RNDN);
      EXPECT_TRUE(sine.holds(value));

      Interval root = made(words[0]);
      root.sqrt();
      mpfr_sqrt(value, x, MPFR_RNDN);
      EXPECT_TRUE(root.holds(value));
      Interval sum(110);  // its products need 106 bits
      sum.set_digits({words, 1});
      sum.add_product(0.3, -0.7);
      mpfr_set_d(value, 0.3, MPFR_RNDN);
      mpfr_mul_d(value, value, -0.7, MPFR_RNDN);
      mpfr_add(value, value, x, MPFR_RNDN);
      EXPECT_TRUE(sum.holds(value));
      Interval logarithm = made(words[0]);
      logarithm.log();
      mpfr_log(value, x, MPFR_RNDN);
      EXPECT_TRUE(logarithm.holds(value));
    }
  }
}

TEST(Interval, AMultipleIsTheNearestOfAllOrNone) {
  const auto nearest = [](double low, double high, long exponent) {
    Interval interval(64);
    interval.set_hull(low, high);
    return interval.nearest_multiple(exponent);
  };
  EXPECT_EQ(nearest(0.26, 0.7, -1), 0.5);
  EXPECT_TRUE(std::isnan(nearest(0.24, 0.26, -1)));
  EXPECT_TRUE(std::isnan(nearest(-0.26, 0.1, -1)));
  EXPECT_FALSE(std::signbit(nearest(-0.2, -0.1, 0)));
  EXPECT_EQ(nearest(21, 23, 3), 24);
  EXPECT_TRUE(std::isnan(nearest(0, std::nan(""), 0)));
}

}  // namespace
}  // namespace sotto
