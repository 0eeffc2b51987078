#pragma once
// Numbers of 1,500 bits, for slow and obvious references.
#include <mpfr.h>

#include <cstdint>

namespace sotto::test {

class Big {
 public:
  explicit Big(double value = 0) {
    mpfr_init2(value_, 1500);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Big(const Big& other) : Big() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Big& operator=(const Big&) = delete;
  ~Big() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  mpfr_t value_;
};

// 0.leading tail tail tail ...
inline Big uniform(std::uint64_t leading, std::uint64_t tail) {
  Big out;
  for (unsigned long word = 22; word-- > 0;) {
    Big digits;
    const std::uint64_t value = word == 0 ? leading : tail;
    mpfr_set_ui(digits, static_cast<unsigned long>(value >> 32), MPFR_RNDN);
    mpfr_mul_2ui(digits, digits, 32, MPFR_RNDN);
    mpfr_add_ui(digits, digits, static_cast<unsigned long>(value & 0xffffffff), MPFR_RNDN);
    mpfr_div_2ui(digits, digits, 64 * (word + 1), MPFR_RNDN);
    mpfr_add(out, out, digits, MPFR_RNDN);
  }
  return out;
}

}  // namespace sotto::test
