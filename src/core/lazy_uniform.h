#pragma once
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "sotto/error.h"

// The algorithms behind uniform.h, over any source with a member `std::uint64_t bits()`, so that a test
// can feed chosen bits.
namespace sotto {

template <class Bits>
class LazyUniformOf {
 public:
  explicit LazyUniformOf(Bits& source) : LazyUniformOf(source, source.bits()) {}
  // Goes on with a U whose first 64 bits were drawn before.
  LazyUniformOf(Bits& source, std::uint64_t leading) : source_(source) { words_[0] = leading; }
  LazyUniformOf(const LazyUniformOf&) = delete;
  LazyUniformOf& operator=(const LazyUniformOf&) = delete;

  // U < p, decided exactly. p <= 0 is never, p >= 1 always; NaN is a bug of the caller.
  bool below(double p) {
    assert(!std::isnan(p));
    if (!(p > 0)) return false;
    if (p >= 1) return true;
    const auto digits = static_cast<std::uint64_t>(p * 0x1p64);  // exact, then truncated
    return words_[0] != digits ? words_[0] < digits : below(p, Scale{0});
  }

  // U * 2^exponent < s, decided exactly.
  struct Scale {
    int exponent;
  };
  bool below(double s, Scale scale) {
    assert(!std::isnan(s));
    if (!(s > 0)) return false;
    if (std::ilogb(s) >= scale.exponent) return true;
    // s = 2^exponent * (0.w0 w1 w2 ...) in base 2^64; `rest` * 2^shift is what the words so far leave.
    // Each step is exact: scaling by a power of two into [1, 2^64), truncation, and a difference of
    // doubles with the same last bit.
    double rest = s;
    int shift = 64 - scale.exponent;
    for (std::size_t index = 0; rest != 0; ++index) {
      std::uint64_t digits = 0;
      if (std::ilogb(rest) + shift >= 0) {
        const double scaled = std::ldexp(rest, shift);
        digits = static_cast<std::uint64_t>(scaled);
        rest = scaled - std::trunc(scaled);
        shift = 0;
      }
      shift += 64;
      const std::uint64_t drawn = word(index);
      if (drawn != digits) return drawn < digits;
    }
    return false;  // all digits equal: U >= s
  }

  // The first 64 bits: U lies in [leading(), leading()+1) / 2^64.
  [[nodiscard]] std::uint64_t leading() const noexcept { return words_[0]; }

 private:
  std::uint64_t word(std::size_t index) {
    while (known_ <= index) words_[known_++] = source_.bits();
    return words_[index];
  }

  // A double's last bit is at 2^-1074 and the scale at most 2^1024: 2098 bits decide every comparison.
  static constexpr std::size_t kMostWords = 33;

  Bits& source_;
  std::size_t known_ = 1;
  std::array<std::uint64_t, kMostWords> words_;  // the first known_ are drawn
};

// The first of `sums` above `bound`, both non-negative. Without branches, which would be mispredicted half
// of the time, and on the bit patterns, which order as the doubles do and compare faster.
inline std::size_t first_above(std::span<const double> sums, double bound) {
  const auto bits = [](double value) { return std::bit_cast<std::int64_t>(value); };
  const std::int64_t limit = bits(bound);
  const double* first = sums.data();
  for (std::size_t length = sums.size(); length > 1;) {
    const std::size_t half = length / 2;
    first += half & -static_cast<std::size_t>(bits(first[half - 1]) <= limit);  // g++ branches on ?:
    length -= half;
  }
  return static_cast<std::size_t>(first - sums.data()) + (bits(*first) <= limit ? 1 : 0);
}

// See choose_by_sums in uniform.h.
template <class Bits>
std::size_t choose_by_sums_of(Bits& source, std::span<const double> sums) {
  const double total = sums.empty() ? 0 : sums.back();
  if (!(total > 0 && total <= std::numeric_limits<double>::max())) {
    throw Error(ErrorCode::internal, "a choice was asked among weights whose sum is not above 0 and finite");
  }
  int exponent = 0;
  if (std::frexp(total, &exponent) == 0.5) --exponent;  // total is itself a power of two
  // 2^-53 of the range; below the smallest double the interval would be wrong, so it is then everything.
  const double step =
      exponent >= std::numeric_limits<double>::min_exponent ? std::ldexp(1.0, exponent - 53) : 0;

  for (;;) {
    LazyUniformOf<Bits> uniform(source);
    // V = U 2^exponent lies in [low, high); both ends are doubles.
    const std::uint64_t digits = uniform.leading() >> 11;
    const double low = static_cast<double>(digits) * step;
    if (low >= total) continue;
    const double high =
        step > 0 ? static_cast<double>(digits + 1) * step : std::numeric_limits<double>::infinity();
    std::size_t index = first_above(sums, low);
    while (index < sums.size() && sums[index] < high && !uniform.below(sums[index], {exponent})) ++index;
    if (index < sums.size()) return index;  // else V >= total: again
  }
}

}  // namespace sotto
