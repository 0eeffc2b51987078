#include "mechanisms/privemb/grid_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kRounding = 0x1.0p-53;
// glibc documents log, sin and cos to be within 1 unit in the last place, at most 2 kRounding: four times
// that.
constexpr double kLibrary = 8 * kRounding;
// Of an angle 2 pi V below pi: conversion of V, constant, product, and the library, with slack.
constexpr double kAngle = 16 * kRounding;
// Fewer leading digits than this leave no useful bound.
constexpr std::uint64_t kFewest = std::uint64_t{1} << 32;
constexpr std::size_t kGroup = 16;  // factors above 2^-33, so that their product is no subnormal number

// w / 2^64 to within a relative kRounding + 2 / w; the shift makes the conversion a single instruction.
double fraction(std::uint64_t word) {
  return static_cast<double>(static_cast<std::int64_t>(word >> 1)) * 0x1.0p-63;
}

// What is known of the least favourable of the uniforms of one vector.
struct Extremes {
  std::uint64_t smallest = ~std::uint64_t{0};    // leading word of any U
  std::uint64_t complement = ~std::uint64_t{0};  // of any 1 - U of the Gaussians
  void see(std::uint64_t word) { smallest = std::min(smallest, word); }
  void see_gaussian(std::uint64_t word) {
    see(word);
    complement = std::min(complement, ~word);
  }
};

// -(ln U_1 + ... + ln U_m).
double sum_of_logarithms(std::span<const std::uint64_t> words, Extremes& extremes) {
  double sum = 0;
  for (std::size_t begin = 0; begin < words.size(); begin += kGroup) {
    double product = 1;
    for (const std::uint64_t word : words.subspan(begin, std::min(kGroup, words.size() - begin))) {
      extremes.see(word);
      product *= fraction(word);
    }
    sum -= std::log(product);
  }
  return sum;
}

struct Lengths {
  double vector = 0;  // |G|^2
  double pairs = 0;   // with the second Gaussian of the last pair, also where it is not used
};

Lengths gaussians(std::span<const std::uint64_t> words, std::span<double> out, Extremes& extremes) {
  Lengths squared;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    extremes.see_gaussian(words[i]);
    const double square = -2 * std::log(fraction(words[i]));
    const double length = std::sqrt(square);
    // As a signed number the word is V or V - 1 in 2^-64: the same angle, and a smaller one.
    const double angle =
        3.14159265358979323846 * 0x1.0p-63 * static_cast<double>(static_cast<std::int64_t>(words[i + 1]));
    out[i] = length * std::cos(angle);
    squared.pairs += square;
    if (i + 1 < out.size()) {
      out[i + 1] = length * std::sin(angle);
      squared.vector += square;
    } else {
      squared.vector += out[i] * out[i];
    }
  }
  return squared;
}

std::size_t nothing_decided(std::span<double> out) {
  std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
  return out.size();
}

}  // namespace

GridNoise::GridNoise(const GridNoiseLaw& law)
    : law_(law),
      pairs_((law.dim + 1) / 2),
      step_(std::ldexp(1.0, law.grid_exponent)),
      inverse_step_(std::ldexp(1.0, -law.grid_exponent)) {}

std::size_t GridNoise::release_quickly(std::span<const std::uint64_t> leading, const Centre& centre,
                                       std::span<double> out) const {
  const std::size_t dim = law_.dim;
  const auto m = static_cast<double>(dim);
  Extremes extremes;
  const double logarithms = sum_of_logarithms(leading.first(dim), extremes);
  const Lengths squared = gaussians(leading.subspan(dim), out, extremes);
  if (extremes.smallest < kFewest || extremes.complement < kFewest || !(squared.vector > 0)) {
    return nothing_decided(out);
  }

  // Relative errors: of a U; of the length of a pair, where -ln U >= 1 - U; of the noise as a whole.
  const double digits = kRounding + 2 / static_cast<double>(extremes.smallest);
  const double pair =
      0.51 * (digits * 0x1.0p64 / static_cast<double>(extremes.complement) + kLibrary) + 2 * kRounding;
  const double spread = std::sqrt(squared.pairs / squared.vector);
  const double direction = 1.05 * (2 * pair + 2.5 * kAngle * spread + (m / 2 + 8) * kRounding);
  if (!(direction < 0x1.0p-10)) return nothing_decided(out);
  const double radius = law_.scale * logarithms;
  const double radius_error =
      1.05 * law_.scale * (m * (digits + kRounding) + ((m / kGroup + 8) * kRounding + kLibrary) * logarithms);
  const double error = 1.01 * (radius * direction + radius_error + centre.error);

  const double factor = radius / std::sqrt(squared.vector);
  std::size_t undecided = 0;
  for (std::size_t j = 0; j < dim; ++j) {
    const double sum = centre.values[j] + factor * out[j];
    const double scaled = sum * inverse_step_;
    const double nearest = std::rint(scaled);
    // Exact below 2^52; the margin covers the rounding of the sum, of this bound, and underflow.
    const double reach =
        std::abs(scaled - nearest) + (error + 1.01 * kRounding * std::abs(sum)) * inverse_step_ + 0x1.0p-45;
    if (std::abs(scaled) < 0x1.0p51 && reach < 0.5) {
      out[j] = nearest * step_ + 0.0;  // no -0: its sign would tell more than the grid point does
    } else {
      out[j] = std::numeric_limits<double>::quiet_NaN();
      ++undecided;
    }
  }
  return undecided;
}

}  // namespace sotto
