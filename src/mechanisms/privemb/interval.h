#pragma once
#include <mpfr.h>

#include <cstdint>
#include <span>

namespace sotto {

// A closed interval of real numbers with ends of the given precision: every operation rounds outwards, so
// that the result holds all values of the operands. An end that is not a number (0/0, infinity/infinity)
// stays one, and then nothing is known: callers compare the ends for equality, which fails.
class Interval {
 public:
  explicit Interval(mpfr_prec_t precision) {
    mpfr_inits2(precision, low_, high_, scratch_, static_cast<mpfr_ptr>(nullptr));
    mpfr_set_zero(low_, 1);
    mpfr_set_zero(high_, 1);
  }
  Interval(Interval&& other) noexcept : Interval(mpfr_get_prec(other.low_)) { swap(other); }
  Interval& operator=(Interval&& other) noexcept {
    swap(other);
    return *this;
  }
  Interval(const Interval&) = delete;
  Interval& operator=(const Interval&) = delete;
  ~Interval() { mpfr_clears(low_, high_, scratch_, static_cast<mpfr_ptr>(nullptr)); }

  [[nodiscard]] mpfr_prec_t precision() const { return mpfr_get_prec(low_); }

  void set(double value) { set_hull(value, value); }
  // `low` <= `high`.
  void set_hull(double low, double high) {
    mpfr_set_d(low_, low, MPFR_RNDD);
    mpfr_set_d(high_, high, MPFR_RNDU);
  }
  void set(const Interval& other) {
    mpfr_set(low_, other.low_, MPFR_RNDD);
    mpfr_set(high_, other.high_, MPFR_RNDU);
  }
  // All binary fractions 0.w0 w1 w2 ... (64 digits each) that begin with these words.
  void set_digits(std::span<const std::uint64_t> words);

  void add(const Interval& other) {
    mpfr_add(low_, low_, other.low_, MPFR_RNDD);
    mpfr_add(high_, high_, other.high_, MPFR_RNDU);
  }
  // += a * b, the product being exact at a precision of 106 and more.
  void add_product(double a, double b);
  void negate();
  void multiply_by_double(double factor);  // factor >= 0
  void multiply(const Interval& other);    // other >= 0
  void divide(const Interval& other);      // other >= 0
  void multiply_by_power_of_two(long exponent) {
    mpfr_mul_2si(low_, low_, exponent, MPFR_RNDD);
    mpfr_mul_2si(high_, high_, exponent, MPFR_RNDU);
  }
  void square();
  void sqrt();  // of what is not negative
  void log();   // of what is not negative
  // this = min(this, limit).
  void cap(double limit);
  // The turns 2 pi V of an interval V inside [0, 1].
  static void turn(const Interval& turns, Interval& cosine, Interval& sine);

  [[nodiscard]] bool holds(mpfr_srcptr value) const {
    return mpfr_lessequal_p(low_, value) != 0 && mpfr_lessequal_p(value, high_) != 0;
  }
  // The multiple of 2^exponent nearest to every number of the interval, rounded to a double (never -0); NaN
  // if it is not the same for all. Changes the interval.
  double nearest_multiple(long exponent);

 private:
  void swap(Interval& other) noexcept {
    mpfr_swap(low_, other.low_);
    mpfr_swap(high_, other.high_);
    mpfr_swap(scratch_, other.scratch_);
  }

  mpfr_t low_;
  mpfr_t high_;
  mpfr_t scratch_;
};

}  // namespace sotto
