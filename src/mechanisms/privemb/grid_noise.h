#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mechanisms/privemb/interval.h"

namespace sotto {

// Multivariate Laplace noise kappa, with density proportional to exp(-|z| / scale) in `dim` dimensions, and
// the grid of step 2^grid_exponent on which a noisy vector is released.
struct GridNoiseLaw {
  std::size_t dim;
  double scale;
  int grid_exponent;
};

// kappa is a function of infinite uniform binary fractions: a radius -scale * (ln U_1 + ... + ln U_dim),
// which is Gamma(dim, scale), times G / |G|, G Gaussian by Box and Muller's formula (sqrt(-2 ln U) times
// cosine and sine of 2 pi V: no rejection). Released is the grid point nearest to centre + kappa, as real
// numbers: doubles decide it where their error bound allows, else more digits of the same uniforms in MPFR
// do. docs/proofs/privemb.md derives the bounds.
class GridNoise {
 public:
  explicit GridNoise(const GridNoiseLaw& law);

  [[nodiscard]] const GridNoiseLaw& law() const noexcept { return law_; }
  // Uniforms for one vector; the first 64 digits of each are its `leading` words below.
  [[nodiscard]] std::size_t uniforms() const noexcept { return law_.dim + 2 * pairs_; }

  // A centre known to within `error` in every coordinate; `values` are law().dim doubles.
  struct Centre {
    std::span<const double> values;
    double error;
  };
  // In double. Coordinates that it cannot decide become NaN (all of them if the digits allow no bound);
  // returns how many.
  [[nodiscard]] std::size_t release_quickly(std::span<const std::uint64_t> leading, const Centre& centre,
                                            std::span<double> out) const;

  // Makes `out`, whose precision is set, an interval that holds this coordinate of the centre.
  using ExactCentre = std::function<void(std::size_t coordinate, Interval& out)>;
  using Words = std::function<std::uint64_t()>;
  // Decides the coordinates that are NaN in `out`, with as many further digits of the same uniforms, drawn
  // from `more`, as that takes.
  void release_exactly(std::span<const std::uint64_t> leading, const Words& more, const ExactCentre& centre,
                       std::span<double> out) const;

 private:
  using Digits = std::vector<std::vector<std::uint64_t>>;
  [[nodiscard]] Interval gaussian(const Digits& digits, std::size_t coordinate, mpfr_prec_t precision) const;
  [[nodiscard]] Interval factor(const Digits& digits, mpfr_prec_t precision) const;

  GridNoiseLaw law_;
  std::size_t pairs_;
  double step_;
  double inverse_step_;
};

}  // namespace sotto
