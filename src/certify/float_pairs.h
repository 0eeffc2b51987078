#pragma once
#include <optional>
#include <span>
#include <vector>

#include "certify/all_pairs.h"
#include "certify/float_kernels.h"

namespace sotto {

// All pairs of words in float32, five times as quick as in doubles, with a proven bound
// (docs/proofs/float-pairs.md). For Euclidean distances only.
//
// Every pair of words is either *near* or has a float32 distance within tolerance() of the exact one. A near
// pair is one whose float32 distance is below reach(first) + reach(second); its distance is then computed in
// doubles. Reaches grow with the squared lengths of the vectors, as the rounding errors of the products do.
class FloatPairs {
 public:
  struct Options {
    std::size_t least_rows = 2000;  // below, the passes in doubles take no time
    double most_near = 0.02;        // above this share of near pairs nothing is gained
    double error_share = 1;         // tests plant an error bound that is too small
  };
  // Empty where the passes do not serve: another metric, few rows, lengths that leave the range of float32,
  // or so many near pairs that nothing would be gained. `pairs` must outlive the answer.
  static std::optional<FloatPairs> make(const AllPairs& pairs, const Options& options);
  static std::optional<FloatPairs> make(const AllPairs& pairs) { return make(pairs, Options{}); }

  [[nodiscard]] const AllPairs& pairs() const noexcept { return *pairs_; }
  [[nodiscard]] double tolerance() const noexcept { return tolerance_; }
  [[nodiscard]] double reach(std::size_t row) const { return static_cast<double>(reaches_[row]); }

  // Weights must be within a factor of 2^40 of each other.
  static bool can_weigh(std::span<const double> weights);
  // How far a value of log_sums may be from the exact ln Z.
  [[nodiscard]] double log_error(const AllPairs::Kernel& kernel) const;

  struct Sums {
    std::vector<double> logs;      // ln of AllPairs::kernel_sums, within log_error()
    std::vector<double> nearest;   // of each row: the distance of the nearest and of the farthest other row,
    std::vector<double> farthest;  // within tolerance()
  };
  [[nodiscard]] Sums log_sums(const AllPairs::Kernel& kernel, std::span<const double> weights,
                              const Work& work) const;

  // The vectors in some order of the rows, packed for the kernels.
  class Panels {
   public:
    // `padding` is the square of what fills the last panel.
    Panels(const FloatPairs& owner, std::span<const std::size_t> order, float padding);
    [[nodiscard]] std::size_t count() const noexcept { return squares_.size() / kFloatPanel; }
    [[nodiscard]] FloatTile tile(std::size_t row_panel, std::size_t column_panel) const;

   private:
    std::size_t dim_;
    std::vector<float> rows_;
    std::vector<float> columns_;
    std::vector<float> squares_;
  };

 private:
  explicit FloatPairs(const AllPairs& pairs) : pairs_(&pairs) {}
  // In a sample of all pairs.
  [[nodiscard]] double share_of_near_pairs() const;

  const AllPairs* pairs_;
  double tolerance_ = 0;
  std::vector<double> squares_;  // |x|^2 of each row
  std::vector<float> reaches_;
};

}  // namespace sotto
