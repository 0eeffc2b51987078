#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
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
  struct Row;
  [[nodiscard]] const Row& row_of(WordId word, std::unique_ptr<const Row>& temporary) const;
  [[nodiscard]] std::unique_ptr<const Row> build_row(WordId word) const;
  [[nodiscard]] WordId draw(WordId word, const Row& row, Rng& rng) const;
  [[nodiscard]] double log_weight(WordId output, double distance) const;
  [[nodiscard]] std::vector<double> log_weights(WordId word) const;

  std::shared_ptr<const Space> space_;
  TemLaw law_;
  std::vector<double> base_sums_;  // running sums of c, for drawing by base weight; empty if c = 1
  mutable std::vector<std::atomic<const Row*>> rows_;
  mutable std::atomic<std::size_t> kept_rows_{0};
};

}  // namespace sotto
