#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "lab/gumbel/interval_bounds.h"
#include "lab/gumbel/substitutions.h"

// Pools of texts from the values of their different words: a batch has each word's values once, however often
// the word occurs, and no padding. All have gradients.
namespace sotto::lab::gumbel {

// texts x units: the mean over the places of a text of the positive part of a convolution of width 3, with
// zeros around the text. Row i of `parts` is what word i adds to the place after it, to its own place and to
// the place before it, 3 x units values (place_kernels.h). The bounds are exact for given bounds of `parts`,
// since the mean grows with each of its entries.
at::Tensor mean_of_places(const at::Tensor& parts, const Places& places);
Interval mean_of_places(const Interval& parts, const Places& places);

// texts x units: the sum over the places of a text of its words' rows.
at::Tensor sum_of_places(const at::Tensor& rows, const Places& places);
Interval sum_of_places(const Interval& rows, const Places& places);

// The smallest and largest entries of groups of rows, as the bounds of a box for each group: rows
// ends[i - 1] to ends[i] are group i. No group is empty.
struct Box {
  at::Tensor lower;  // groups x units
  at::Tensor upper;
};
Box box_of_groups(const at::Tensor& rows, const std::vector<std::int64_t>& ends);

}  // namespace sotto::lab::gumbel
