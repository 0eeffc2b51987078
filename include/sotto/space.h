#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sotto/ids.h"
#include "sotto/model.h"
#include "sotto/parameters.h"

namespace sotto {

// angular: the angle in radians; chord: the Euclidean distance of the unit vectors; poincare: the hyperbolic
// distance in the unit ball.
enum class Metric { euclidean, manhattan, chebyshev, angular, chord, poincare };

std::string_view metric_name(Metric metric);
Metric parse_metric(std::string_view name);  // throws Error(usage) that lists the metrics
// For a mechanism's table of parameters: the names, and what is refused with its reason (1 - cosine).
std::span<const std::string_view> metric_names();
std::span<const Parameter::Refusal> metric_refusals();

// A model seen through a metric. Distances are doubles summed in one fixed order, the same to the
// bit at every SIMD width, symmetric to the bit, exactly 0 between identical vectors.
//
// Words whose vectors lie closer than 2^-20 of the diameter share one row: each stands for the first
// of its group (`representative`), so no loss is divided by a distance of rounding size. Every
// distance below is between representatives.
class Space {
 public:
  // O(n dim): finds the reach and the groups. Throws bad_data where the metric is not defined
  // (angular, chord: a zero vector; poincare: a vector too near the edge), with the word's rank.
  static std::shared_ptr<const Space> make(std::shared_ptr<const Model> model, Metric metric);

  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] const std::shared_ptr<const Model>& shared_model() const noexcept { return model_; }
  [[nodiscard]] Metric metric() const noexcept { return metric_; }
  [[nodiscard]] std::size_t size() const noexcept { return model_->size(); }

  [[nodiscard]] double distance(WordId a, WordId b) const;
  // out[y] = distance(from, y) for all words; out.size() == size().
  void distances_from(WordId from, std::span<double> out) const;

  [[nodiscard]] WordId representative(WordId id) const {
    return representatives_.empty() ? id : representatives_[index_of(id)];
  }
  [[nodiscard]] std::size_t merged_words() const noexcept { return merged_words_; }

  // Bound on the absolute error of a distance (mechanisms.md 4.1, h).
  [[nodiscard]] double distance_error() const noexcept;

  // Public bounds known without an all-pairs scan: D0 >= smallest_bound(), D <= diameter_bound().
  // smallest_bound() is 0 if all words share one row.
  [[nodiscard]] double smallest_bound() const noexcept { return smallest_bound_; }
  [[nodiscard]] double diameter_bound() const noexcept { return diameter_bound_; }

 private:
  Space(std::shared_ptr<const Model> model, Metric metric);
  void find_scales();
  void find_groups();
  [[nodiscard]] double sweep_window(double tau, const std::vector<double>& direction) const;
  [[nodiscard]] double raw_distance(std::size_t a, std::size_t b) const;

  std::shared_ptr<const Model> model_;
  Metric metric_;
  std::vector<double> scales_;           // angular, chord: 1 / norm; poincare: 1 - norm^2; else empty
  std::vector<WordId> representatives_;  // empty: every word stands for itself
  std::size_t merged_words_ = 0;
  double smallest_bound_ = 0;
  double diameter_bound_ = 0;
};

}  // namespace sotto
