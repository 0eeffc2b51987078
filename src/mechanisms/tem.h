#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "sotto/mechanism.h"

namespace sotto {

// The resolved law of the Truncated Exponential Mechanism, for calibrations as for the paper's own choice:
// P(y|w) proportional to c_y exp(-slope * min(d(w,y), gamma)).
struct TemLaw {
  double slope = 0;
  double gamma = 0;                  // may be infinity
  std::vector<double> base_weights;  // c, all > 0; empty: all 1
};

// Exact sampling from a TemLaw (see tem.cpp). Rows of words are built on first use and kept in memory only.
class Tem final : public WordMechanism {
 public:
  Tem(std::shared_ptr<const Space> space, TemLaw law);
  ~Tem() override;
  Tem(const Tem&) = delete;
  Tem& operator=(const Tem&) = delete;

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override;
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override;

  // As used: gamma is lowered to where the smallest weight would leave the range of a double.
  [[nodiscard]] const TemLaw& law() const noexcept { return law_; }
  [[nodiscard]] const Space& space() const noexcept { return *space_; }
  // ln Z(w), the logarithm of the sum that normalises the row of `word`.
  [[nodiscard]] double log_partition(WordId word) const;
  // Bound on |ln P~ - ln P| between the law that the program draws from and the TemLaw.
  [[nodiscard]] double rounding_bound() const;

 private:
  class Sampler;
  [[nodiscard]] double log_weight(WordId output, double distance) const;
  [[nodiscard]] std::vector<double> log_weights(WordId word) const;

  std::shared_ptr<const Space> space_;
  TemLaw law_;
  // Made by the first draw: a certificate needs none.
  mutable std::once_flag sampler_made_;
  mutable std::unique_ptr<const Sampler> sampler_;
};

// tem by the parameters epsilon, gamma, beta and calibration, in the given metric: tem and hyperbolic.
Mechanism build_tem(const std::shared_ptr<const Model>& model, Metric metric, const Parameters& parameters);

// Their tables, written once.
extern const Parameter kGammaParameter;
extern const Parameter kBetaParameter;
extern const Parameter kCalibrationParameter;

}  // namespace sotto
