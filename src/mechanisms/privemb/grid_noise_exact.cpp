// The slow path of GridNoise: the same function of the same uniforms, in intervals.
#include <cmath>

#include "mechanisms/privemb/grid_noise.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// -ln x
void take_minus_log(Interval& x) {
  x.log();
  x.negate();
}

// Whatever happens, the constants that MPFR keeps per thread are given back.
struct FreedCaches {
  FreedCaches() = default;
  FreedCaches(const FreedCaches&) = delete;
  FreedCaches& operator=(const FreedCaches&) = delete;
  ~FreedCaches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

}  // namespace

// sqrt(-2 ln U) times the cosine or the sine of 2 pi V.
Interval GridNoise::gaussian(const Digits& digits, std::size_t coordinate, mpfr_prec_t precision) const {
  const std::size_t pair = law_.dim + coordinate / 2 * 2;
  Interval length(precision);
  length.set_digits(digits[pair]);
  take_minus_log(length);
  length.multiply_by_power_of_two(1);
  length.sqrt();
  Interval turns(precision);
  turns.set_digits(digits[pair + 1]);
  Interval cosine(precision);
  Interval sine(precision);
  Interval::turn(turns, cosine, sine);
  Interval& out = coordinate % 2 == 0 ? cosine : sine;
  out.multiply(length);
  return std::move(out);
}

// The radius divided by |G|. The squares of a whole pair add up to -2 ln U.
Interval GridNoise::factor(const Digits& digits, mpfr_prec_t precision) const {
  const std::size_t dim = law_.dim;
  Interval term(precision);
  Interval radius(precision);
  radius.set(1);
  for (std::size_t j = 0; j < dim; ++j) {
    term.set_digits(digits[j]);
    radius.multiply(term);
  }
  take_minus_log(radius);
  radius.multiply_by_double(law_.scale);

  Interval length(precision);
  length.set(1);
  for (std::size_t i = 0; i < dim / 2; ++i) {
    term.set_digits(digits[dim + 2 * i]);
    length.multiply(term);
  }
  take_minus_log(length);
  length.multiply_by_power_of_two(1);
  if (dim % 2 == 1) {
    Interval last = gaussian(digits, dim - 1, precision);
    last.square();
    length.add(last);
  }
  length.sqrt();
  radius.divide(length);
  return radius;
}

void GridNoise::release_exactly(std::span<const std::uint64_t> leading, const Words& more,
                                const ExactCentre& centre, std::span<double> out) const {
  constexpr std::size_t kFirstWords = 2;   // of 64 digits each
  constexpr std::size_t kMostWords = 256;  // not decided with so many: with probability below 2^-15000
  const FreedCaches caches;
  Digits digits(uniforms());
  for (std::size_t i = 0; i < digits.size(); ++i) digits[i].push_back(leading[i]);
  for (std::size_t words = kFirstWords; words <= kMostWords; words *= 2) {
    for (auto& uniform : digits) {
      while (uniform.size() < words) uniform.push_back(more());
    }
    const auto precision = static_cast<mpfr_prec_t>(64 * words + 64);
    const Interval common = factor(digits, precision);
    Interval sum(precision);
    bool decided = true;
    for (std::size_t j = 0; j < law_.dim; ++j) {
      if (!std::isnan(out[j])) continue;
      Interval kappa = gaussian(digits, j, precision);
      kappa.multiply(common);
      centre(j, sum);
      sum.add(kappa);
      out[j] = sum.nearest_multiple(law_.grid_exponent);
      decided = decided && !std::isnan(out[j]);
    }
    if (decided) return;
  }
  throw Error(ErrorCode::internal, "random digits without end: the generator does not work");
}

}  // namespace sotto
