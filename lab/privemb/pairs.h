#pragma once
#include <span>
#include <vector>

#include "lab/points.h"
#include "lab/privemb/plan.h"

namespace sotto::lab {

// Released vectors against the vectors themselves, over all pairs of one of `left` with one of `right`.
struct PairFigures {
  double mean = 0;
  double deviation = 0;  // standard, over the pairs
  double low = 0;        // 5% of the pairs lie below
  double high = 0;       // 5% lie above
  // Pearson's, of the released quantity with the true one: 1 if the order is kept, 0 for noise. NaN if one of
  // the two is constant.
  double correlation = 0;
};
struct PairComparison {
  PairFigures distance;       // |w_i - w_j| - |x_i - x_j|
  PairFigures inner_product;  // |<w_i, w_j> - <x_i, x_j>|
};
// Rows of `left` and `right`, of `dim` values each before release and `released_dim` after it.
struct VectorPairs {
  std::span<const double> left;
  std::span<const double> right;
  std::size_t dim = 0;
};
PairComparison compare_pairs(const VectorPairs& original, const VectorPairs& released);

// Experiments 1 and 2: the pairs of 100 words with 100 others, the same in every run.
struct PairPoints {
  Points distance;
  Points inner_product;
};
std::vector<VectorSeries> pair_series(const Model& model, const PrivembPlan& plan);
PairPoints pair_points(const Run& run);
void measure_pairs(const PrivembLab& lab, PairPoints& points);

}  // namespace sotto::lab
