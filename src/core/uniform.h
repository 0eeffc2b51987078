#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/rng.h"

namespace sotto {

// A uniform real number U on [0, 1), as a binary fraction whose bits are drawn 64 at a time and only
// as far as a comparison needs them: every answer below is exact, whatever the double.
class LazyUniform {
 public:
  explicit LazyUniform(Rng& rng) : rng_(rng), first_(rng.bits()) {}
  LazyUniform(const LazyUniform&) = delete;
  LazyUniform& operator=(const LazyUniform&) = delete;

  // U < p, decided exactly. p <= 0 is never, p >= 1 always; NaN is a bug of the caller.
  bool below(double p);
  // The first 64 bits: U lies in [leading(), leading()+1) / 2^64.
  [[nodiscard]] std::uint64_t leading() const noexcept { return first_; }

 private:
  std::uint64_t word(std::size_t index);

  Rng& rng_;
  std::uint64_t first_;
  std::vector<std::uint64_t> rest_;
};

// True with probability exactly p (as a real number).
bool bernoulli(Rng& rng, double p);
// Uniform on {0, ..., n-1}, exactly. n >= 1.
std::uint64_t uniform_below(Rng& rng, std::uint64_t n);

// Draws from weights given by their running sums (non-decreasing, finite, last one > 0):
// P(i) = (sums[i] - sums[i-1]) / sums.back() exactly, as real numbers. V is drawn on [0, 2^e), the
// next power of two at or above the total, and drawn again while V >= total.
std::size_t choose_by_sums(Rng& rng, std::span<const double> sums);

}  // namespace sotto
