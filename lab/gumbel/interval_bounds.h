#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "lab/gumbel/generator.h"

namespace sotto::lab::gumbel {

// Bounds on a tensor, entry by entry: each entry lies in [centre - radius, centre + radius]. Interval bound
// propagation (Gowal et al. 2018, Jia et al. 2019) sends such boxes through a network, layer by layer. Every
// function below is the same for a plain tensor, so that a network is written once and evaluated both ways.
struct Interval {
  at::Tensor centre;
  at::Tensor radius;  // no entry below 0

  [[nodiscard]] at::Tensor lower() const;
  [[nodiscard]] at::Tensor upper() const;
};
Interval interval_between(const at::Tensor& lower, const at::Tensor& upper);
// Without freedom: radius 0.
Interval exactly(const at::Tensor& value);

// Weights of a linear layer (out x in) or of a convolution over places (out x in x width).
struct Layer {
  at::Tensor weight;
  at::Tensor bias;
};

// W x + b on the last dimension. The bounds are exact for each output: the centre goes through W, the radius
// through |W|.
at::Tensor linear(const at::Tensor& x, const Layer& layer);
Interval linear(const Interval& x, const Layer& layer);

at::Tensor rectified(const at::Tensor& x);
Interval rectified(const Interval& x);

// Times a constant without negative entries (dropout).
at::Tensor scaled(const at::Tensor& x, const at::Tensor& factor);
Interval scaled(const Interval& x, const at::Tensor& factor);

at::Tensor joined(const at::Tensor& first, const at::Tensor& second);  // along the last dimension
Interval joined(const Interval& first, const Interval& second);

// Upper bounds of z_j - z_label for every class j, z = W x + b the last layer: 0 at the label. The difference
// of two rows of W is bounded as one linear layer, which is tighter than the difference of two bounds. A text
// is certified if all others are below 0; cross entropy of these margins bounds the loss from above.
at::Tensor worst_margins(const Interval& x, const Layer& last, const at::Tensor& labels);

}  // namespace sotto::lab::gumbel
