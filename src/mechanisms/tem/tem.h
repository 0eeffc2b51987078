#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "mechanisms/calibrations.h"
#include "sotto/mechanism.h"

namespace sotto {

// A smaller gamma is a TEM too, with the same guarantee: lowered to where the smallest weight, exp(-slope *
// gamma), would leave the range of a double. It is never 0, which would be an infinite loss.
double usable_gamma(double gamma, double slope);

// Exact sampling from a ExponentialLaw (see tem.cpp). Rows of words are built on first use and kept in memory
// only.
class Tem final : public WordMechanism {
 public:
  Tem(std::shared_ptr<const Space> space, ExponentialLaw law);
  ~Tem() override;
  Tem(const Tem&) = delete;
  Tem& operator=(const Tem&) = delete;

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override;
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override;

  // As used: gamma is lowered to where the smallest weight would leave the range of a double.
  [[nodiscard]] const ExponentialLaw& law() const noexcept { return law_; }
  [[nodiscard]] const ExponentialLaw* exponential_law() const override { return &law_; }
  [[nodiscard]] const Space& space() const noexcept { return *space_; }
  // ln Z(w), the logarithm of the sum that normalises the row of `word`.
  [[nodiscard]] double log_partition(WordId word) const;
  // Bound (eta) on |ln P~ - ln P|, P~ what the program draws from and what log_law() says, P the
  // ExponentialLaw in exact arithmetic with the exact distances of the words' vectors. So the loss of two
  // words, as drawn, exceeds that of the law by 2 eta at most, however close the words are. 0 if all words
  // share one row.
  static double rounding_bound(const Space& space, const ExponentialLaw& law);

 private:
  class Sampler;
  [[nodiscard]] double log_weight(WordId output, double distance) const;
  [[nodiscard]] std::vector<double> log_weights(WordId word) const;

  std::shared_ptr<const Space> space_;
  ExponentialLaw law_;
  // Built lazily; certificates never sample.
  mutable std::once_flag sampler_made_;
  mutable std::unique_ptr<const Sampler> sampler_;
};

// What the parameters epsilon, gamma, beta and calibration ask for: tem and hyperbolic.
LawRequest read_tem(const Model& model, Metric metric, const Parameters& parameters);

// What was certified of a law that is not the paper's.
struct TemCertified {
  double largest_loss = 0;  // Lmax
};
// Everything of a Mechanism but info and parameters. Without `certified` the law must be the paper's.
Mechanism build_tem(const std::shared_ptr<const Space>& space, const LawRequest& request, ExponentialLaw law,
                    const std::optional<TemCertified>& certified);
// The paper's calibration; others are found by build_mechanism (sotto/certificate.h).
Mechanism build_tem(const std::shared_ptr<const Model>& model, const LawRequest& request);

// Their tables, written once.
extern const Parameter kGammaParameter;
extern const Parameter kBetaParameter;

}  // namespace sotto
