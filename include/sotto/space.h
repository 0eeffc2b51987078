#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sotto/ids.h"
#include "sotto/model.h"
#include "sotto/parameters.h"

namespace sotto {

// The number of a row in the table of metrics (src/model/metrics.cpp). A metric without an enumerator is
// found by its name. angular: the angle in radians; chord: the Euclidean distance of the unit vectors;
// poincare: the hyperbolic distance in the unit ball.
enum class Metric : std::uint8_t { euclidean, manhattan, chebyshev, angular, chord, poincare };
struct MetricInfo;  // a row of the table
struct SumKernels;  // its inner loops

std::string_view metric_name(Metric metric);
Metric parse_metric(std::string_view name);  // throws Error(usage) that lists the metrics
// For a mechanism's table of parameters: the names, and what is refused with its reason (1 - cosine).
std::span<const std::string_view> metric_names();
std::span<const Parameter::Refusal> metric_refusals();

// How far a computed distance may be from the exact one: |computed - d| <= relative * d + absolute. The bound
// holds as well with the computed distance in the place of d.
struct DistanceError {
  double relative = 0;
  double absolute = 0;
  [[nodiscard]] double at(double distance) const noexcept { return relative * distance + absolute; }
};

// A model seen through a metric. Distances are doubles summed in one fixed order, the same to the
// bit at every SIMD width, symmetric to the bit, exactly 0 between words that share a row.
//
// Words share one row if and only if their exact distance is 0; each then stands for the first of its group
// (`representative`). That is decided exactly, from the float32 vectors and not from a computed distance:
// - directional metrics (angular, chord): words of one direction, whatever their lengths. The quotients
//   x_j / |x_p|, p the first coordinate that is not 0, are the same doubles for parallel vectors, because
//   division is rounded correctly; and different for others, because quotients of 24-bit numbers that differ
//   at all differ by 2^-48 of themselves at least.
// - all other metrics: words with identical vectors (0 and -0 being equal).
// Near-duplicates stay apart, however close they are: a loss of theirs that is of the size of rounding is
// covered by the additive term of a certificate (certificate.h), never by merging them. In directional
// metrics two rows may be so close that their computed distance is 0 or all rounding; DistanceError says so.
class Space {
 public:
  // O(n dim): finds the reach and the groups. Throws bad_data where the metric is not defined
  // (angular, chord: a zero vector; poincare: a vector too near the edge), with the word's rank.
  static std::shared_ptr<const Space> make(std::shared_ptr<const Model> model, Metric metric);

  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] const std::shared_ptr<const Model>& shared_model() const noexcept { return model_; }
  [[nodiscard]] Metric metric() const noexcept { return metric_; }
  // Distances are the Euclidean ones of the model's vectors, so that methods that work on the vectors
  // themselves (float32 scores, sketches, search for the nearest word) may find or bound them.
  [[nodiscard]] bool is_euclidean() const noexcept;
  // Distances depend on the directions of the vectors only.
  [[nodiscard]] bool is_directional() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return model_->size(); }

  [[nodiscard]] double distance(WordId a, WordId b) const;
  // out[y] = distance(from, y) for all words; out.size() == size().
  void distances_from(WordId from, std::span<double> out) const;

  [[nodiscard]] WordId representative(WordId id) const {
    return representatives_.empty() ? id : representatives_[index_of(id)];
  }
  // Words that stand for none: size() - merged_words() is the number of rows.
  [[nodiscard]] std::size_t merged_words() const noexcept { return merged_words_; }
  // All words share one row: every mechanism treats them alike, and nothing is lost.
  [[nodiscard]] bool has_one_row() const noexcept { return merged_words_ + 1 == size(); }

  // Of distance(), and of every other evaluation of the same formulas in doubles (AllPairs): proved in
  // docs/proofs/tem.md.
  [[nodiscard]] DistanceError distance_error() const noexcept;
  // Known without an all-pairs scan: no distance, exact or computed, is larger. 0 if all words share one row.
  [[nodiscard]] double diameter_bound() const noexcept { return diameter_bound_; }
  // What the vector is multiplied by first: 1 / |x| in directional metrics, otherwise 1.
  [[nodiscard]] double factor(WordId id) const { return factors_.empty() ? 1 : factors_[index_of(id)]; }
  // poincare: 1 - |x|^2, otherwise 1. Factors and rooms are within 2.5 * 2^-53 of themselves.
  [[nodiscard]] double room(WordId id) const { return rooms_.empty() ? 1 : rooms_[index_of(id)]; }

 private:
  Space(std::shared_ptr<const Model> model, Metric metric);
  void find_scales();
  void find_groups();
  void find_reach();
  // Of words as they are, not of their representatives.
  [[nodiscard]] double raw_distance(std::size_t a, std::size_t b) const;

  std::shared_ptr<const Model> model_;
  Metric metric_;
  const MetricInfo& info_;
  const SumKernels& kernels_;
  std::vector<double> factors_;          // empty: all 1
  std::vector<double> rooms_;            // empty: all 1
  std::vector<WordId> representatives_;  // empty: every word stands for itself
  std::size_t merged_words_ = 0;
  double diameter_bound_ = 0;
};

}  // namespace sotto
