#pragma once
#include <memory>
#include <span>
#include <vector>

#include "sotto/space.h"
#include "sotto/work.h"

namespace sotto {

// Expected distance between guess and truth for one output, under its posterior.
struct DistanceErrors {
  double best = 0;       // min over guesses x of sum_w g(w) d(x,w)
  double posterior = 0;  // sum over x, w of g(x) g(w) d(x,w)
};

// For each of the posteriors, a column of `columns`: O(words^2 count). Guesses are the words of `words`,
// which the prior holds possible. By the triangle inequality best <= posterior <= 2 best, whatever the
// column.
struct PosteriorColumns {
  std::span<const WordId> words;
  std::span<const double> values;  // words x stride, row after row
  std::size_t count = 0;           // columns that are wanted
  std::size_t stride = 0;          // all columns; a multiple of kColumnStep
};
std::vector<DistanceErrors> distance_errors(const std::shared_ptr<const Space>& space,
                                            const PosteriorColumns& columns, const Work& work);

}  // namespace sotto
