#include "mechanisms/privemb/interval.h"

#include <limits>

namespace sotto {

void Interval::set_digits(std::span<const std::uint64_t> words) {
  const auto bits = static_cast<mpfr_exp_t>(64 * words.size());
  mpfr_set_zero(low_, 1);
  mpfr_set_zero(high_, 1);
  mpfr_exp_t place = 0;
  const auto add_digits = [&](std::uint64_t digits) {  // 32 of them: an unsigned long may have no more
    place -= 32;
    mpfr_set_ui_2exp(scratch_, static_cast<unsigned long>(digits), place, MPFR_RNDD);
    mpfr_add(low_, low_, scratch_, MPFR_RNDD);
  };
  for (const std::uint64_t word : words) {
    add_digits(word >> 32);
    add_digits(word & 0xffffffff);
  }
  mpfr_set_ui_2exp(scratch_, 1, -bits, MPFR_RNDU);
  mpfr_add(high_, low_, scratch_, MPFR_RNDU);
}

void Interval::add_product(double a, double b) {
  mpfr_set_d(scratch_, a, MPFR_RNDN);
  mpfr_mul_d(scratch_, scratch_, b, MPFR_RNDN);
  mpfr_add(low_, low_, scratch_, MPFR_RNDD);
  mpfr_add(high_, high_, scratch_, MPFR_RNDU);
}

void Interval::negate() {
  mpfr_swap(low_, high_);
  mpfr_neg(low_, low_, MPFR_RNDD);
  mpfr_neg(high_, high_, MPFR_RNDU);
}

void Interval::multiply_by_double(double factor) {
  mpfr_mul_d(low_, low_, factor, MPFR_RNDD);
  mpfr_mul_d(high_, high_, factor, MPFR_RNDU);
}

void Interval::multiply(const Interval& other) {
  mpfr_mul(low_, low_, mpfr_signbit(low_) != 0 ? other.high_ : other.low_, MPFR_RNDD);
  mpfr_mul(high_, high_, mpfr_signbit(high_) != 0 ? other.low_ : other.high_, MPFR_RNDU);
}

void Interval::divide(const Interval& other) {
  mpfr_div(low_, low_, mpfr_signbit(low_) != 0 ? other.low_ : other.high_, MPFR_RNDD);
  mpfr_div(high_, high_, mpfr_signbit(high_) != 0 ? other.high_ : other.low_, MPFR_RNDU);
}

void Interval::square() {
  if (mpfr_sgn(low_) < 0 && mpfr_sgn(high_) > 0) {
    if (mpfr_cmpabs(low_, high_) > 0) mpfr_swap(low_, high_);
    mpfr_sqr(high_, high_, MPFR_RNDU);
    mpfr_set_zero(low_, 1);
    return;
  }
  if (mpfr_sgn(high_) <= 0) mpfr_swap(low_, high_);
  mpfr_sqr(low_, low_, MPFR_RNDD);
  mpfr_sqr(high_, high_, MPFR_RNDU);
}

void Interval::sqrt() {
  mpfr_sqrt(low_, low_, MPFR_RNDD);
  mpfr_sqrt(high_, high_, MPFR_RNDU);
}

void Interval::log() {
  mpfr_log(low_, low_, MPFR_RNDD);
  mpfr_log(high_, high_, MPFR_RNDU);
}

void Interval::cap(double limit) {
  if (mpfr_cmp_d(low_, limit) > 0) mpfr_set_d(low_, limit, MPFR_RNDD);
  if (mpfr_cmp_d(high_, limit) > 0) mpfr_set_d(high_, limit, MPFR_RNDU);
}

void Interval::turn(const Interval& turns, Interval& cosine, Interval& sine) {
  // sin and cos change by no more than their argument: their values at one point, and the largest distance
  // of another point. That is at most the width of 2 pi V plus one rounding of a number below 8, and the two
  // function values are rounded outwards themselves.
  Interval angle(mpfr_get_prec(turns.low_));
  mpfr_const_pi(angle.low_, MPFR_RNDD);
  mpfr_const_pi(angle.high_, MPFR_RNDU);
  mpfr_mul(angle.low_, angle.low_, turns.low_, MPFR_RNDD);
  mpfr_mul(angle.high_, angle.high_, turns.high_, MPFR_RNDU);
  angle.multiply_by_power_of_two(1);
  mpfr_sub(angle.scratch_, angle.high_, angle.low_, MPFR_RNDU);
  mpfr_sin_cos(sine.low_, cosine.low_, angle.low_, MPFR_RNDD);
  mpfr_sin_cos(sine.high_, cosine.high_, angle.low_, MPFR_RNDU);
  for (Interval* end : {&cosine, &sine}) {
    mpfr_sub(end->low_, end->low_, angle.scratch_, MPFR_RNDD);
    mpfr_add(end->high_, end->high_, angle.scratch_, MPFR_RNDU);
  }
}

double Interval::nearest_multiple(long exponent) {
  multiply_by_power_of_two(-exponent);
  // At their own precision: an end too large for a fraction is an integer already, and stays as it is.
  mpfr_rint(low_, low_, MPFR_RNDN);
  mpfr_rint(high_, high_, MPFR_RNDN);
  if (mpfr_number_p(low_) == 0 || mpfr_equal_p(low_, high_) == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  mpfr_mul_2si(low_, low_, exponent, MPFR_RNDN);
  return mpfr_get_d(low_, MPFR_RNDN) + 0.0;
}

}  // namespace sotto
