#include "core/samplers.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/ziggurat.h"
#include "sotto/error.h"

namespace sotto {
double uniform_open(Rng& rng) {
  int exponent = 0;
  std::uint64_t word = rng.bits();
  while (word == 0) {
    exponent -= 64;
    word = rng.bits();
  }
  const int zeros = std::countl_zero(word);
  if (zeros > 11)
    word = (word << zeros) | (rng.bits() >> (64 - zeros));  // fewer than 53 bits are left
  else
    word <<= zeros;
  return std::ldexp(static_cast<double>(word >> 11), exponent - zeros - 53);
}

double exponential(Rng& rng) {
  // -log(U) is coarse near 0, where U is near 1; so the half above 1/2 is drawn as 1 - V.
  const double v = uniform_open(rng) / 2;
  return (rng.bits() >> 63) != 0 ? -std::log(v) : -std::log1p(-v);
}

double gaussian(Rng& rng) {
  return Ziggurat::table().draw(rng);
}

double gamma(Rng& rng, double shape) {
  if (!(shape > 0) || std::isinf(shape)) {
    throw Error(ErrorCode::internal, "a gamma variate was asked with a shape that is not above 0 and finite");
  }
  if (shape < 1) {
    // X U^(1/shape), X ~ Gamma(shape + 1); -log(U) is exponential.
    const double larger = gamma(rng, shape + 1);
    return larger * std::exp(-exponential(rng) / shape);
  }
  // Marsaglia and Tsang 2000, without the squeeze: the logarithms are not what costs here.
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = gaussian(rng);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (-exponential(rng) < 0.5 * x * x + d * (1 - v + std::log(v))) return d * v;
  }
}

double gumbel(Rng& rng) {
  return -std::log(exponential(rng));
}

// X = -scale ln E, E an exponential conditioned on [low, high] = exp(-+cut/scale): E - low is an exponential
// conditioned on [0, width], by inversion at U or 1 - U, U <= 1/2, so that both ends keep their precision.
double truncated_gumbel(Rng& rng, const TruncatedGumbelLaw& law) {
  const double ratio = law.cut / law.scale;
  if (!(law.scale > 0 && law.cut > 0 && ratio > 0) || std::isinf(law.cut) || std::isinf(ratio)) {
    throw Error(ErrorCode::internal, "a truncated Gumbel was asked with a scale or cut that is not above 0");
  }
  const double width = 2 * std::sinh(ratio);
  const double mass = -std::expm1(-width);
  const double v = mass * uniform_open(rng) / 2;
  const bool upper_half = (rng.bits() >> 63) != 0;
  const double excess = upper_half ? -std::log(std::exp(-width) + v) : -std::log1p(-v);
  // E / low = 1 + excess / low; a narrow cut makes it nearly 1, a wide one makes low vanish.
  const double x = ratio < 1 ? law.cut - law.scale * std::log1p(excess * std::exp(ratio))
                             : -law.scale * std::log(std::exp(-ratio) + excess);
  return std::clamp(x, -law.cut, law.cut);
}

// The number of arrivals up to `mean` of a process with exponential gaps: right in the far tail too, where
// inversion of a rounded distribution function is not.
std::uint64_t poisson(Rng& rng, double mean) {
  if (!(mean >= 0) || std::isinf(mean)) {
    throw Error(ErrorCode::internal,
                "a Poisson variate was asked with a mean that is negative or not finite");
  }
  std::uint64_t count = 0;
  double time = exponential(rng);
  while (time < mean) {
    time += exponential(rng);
    ++count;
  }
  return count;
}

void unit_sphere(Rng& rng, std::span<double> out) {
  if (out.empty()) throw Error(ErrorCode::internal, "a direction was asked in 0 dimensions");
  if (out.size() == 1) {
    out[0] = (rng.bits() >> 63) != 0 ? 1 : -1;
    return;
  }
  const Ziggurat& gaussians = Ziggurat::table();
  double squares = 0;
  while (squares == 0) {
    for (double& x : out) x = gaussians.draw(rng);
    squares = 0;
    for (const double x : out) squares += x * x;
  }
  const double scale = 1 / std::sqrt(squares);
  for (double& x : out) x *= scale;
}

}  // namespace sotto
