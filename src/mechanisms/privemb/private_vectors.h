#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "mechanisms/privemb/grid_noise.h"
#include "mechanisms/privemb/projection.h"
#include "sotto/mechanism.h"

namespace sotto {

// What is known of the stretch of a projection when the noise is chosen: see VectorStretch.
struct KnownStretch {
  bool is_covered = true;
  std::optional<double> on_vocabulary = {};  // as measured then
};

// Releases the grid point nearest to P c(x) + kappa as real numbers, c(x) = x min(1, clip / |x|) and kappa
// the noise of the law. P c is a Lipschitz map with the constant |P|_2, exactly: it is evaluated to within a
// known error, and again in MPFR where that error matters, so its rounding is no part of the law.
class PrivateVectors final : public VectorMechanism {
 public:
  PrivateVectors(Projection projection, const GridNoiseLaw& law, double clip, const KnownStretch& known = {});

  [[nodiscard]] std::size_t input_dim() const override { return projection_.input_dim(); }
  [[nodiscard]] std::size_t output_dim() const override { return projection_.output_dim(); }
  void release_batch(std::span<const double> in, std::span<double> out, Rng& rng) const override;
  bool centre_batch(std::span<const double> in, std::span<double> out) const override;
  [[nodiscard]] std::optional<double> noise_scale() const override { return noise_.law().scale; }
  [[nodiscard]] std::optional<VectorStretch> stretch_on(const Model& model, Measured measured) const override;

  [[nodiscard]] const Projection& projection() const noexcept { return projection_; }
  [[nodiscard]] const GridNoise& noise() const noexcept { return noise_; }
  [[nodiscard]] double clip() const noexcept { return clip_; }

  // What the slow path had to decide so far: for tests and measurements, never for a report.
  struct Recounts {
    std::uint64_t vectors;
    std::uint64_t coordinates;
  };
  [[nodiscard]] Recounts recounts() const noexcept { return {slow_vectors_, slow_coordinates_}; }

 private:
  void clip_row(std::span<const double> in, std::span<double> out) const;
  void exact_centre(std::span<const double> in, std::size_t coordinate, Interval& out) const;

  Projection projection_;
  GridNoise noise_;
  double clip_;
  KnownStretch known_;
  double centre_error_;
  mutable std::atomic<std::uint64_t> slow_vectors_{0};
  mutable std::atomic<std::uint64_t> slow_coordinates_{0};
};

// The grid that is fine enough for noise of this scale: 2^value is its step.
int default_grid_exponent(double scale);

// For experiments with many settings of privemb: the mechanism at another epsilon on its default grid. Throws
// Error(internal) for another mechanism. The projection, its stretch and the clip are kept:
// measuring the stretch would compare all pairs of words again, with the same result.
std::shared_ptr<const VectorMechanism> privemb_at_epsilon(const Mechanism& privemb, double epsilon);

}  // namespace sotto
