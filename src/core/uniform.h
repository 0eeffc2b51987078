#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/lazy_uniform.h"
#include "sotto/rng.h"

namespace sotto {

// A uniform real number U on [0, 1), as a binary fraction whose bits are drawn 64 at a time and only
// as far as a comparison needs them: below(p) is exact, whatever the double, and all comparisons of one
// object are about the same U.
using LazyUniform = LazyUniformOf<Rng>;

// True with probability exactly p (as a real number).
bool bernoulli(Rng& rng, double p);
// Uniform on {0, ..., n-1}, exactly. n >= 1.
std::uint64_t uniform_below(Rng& rng, std::uint64_t n);

// Draws from weights given by their running sums (non-decreasing, finite, last one > 0):
// P(i) = (sums[i] - sums[i-1]) / sums.back() exactly, as real numbers. V is drawn on [0, 2^e), the
// next power of two at or above the total, and drawn again while V >= total.
std::size_t choose_by_sums(Rng& rng, std::span<const double> sums);

}  // namespace sotto
