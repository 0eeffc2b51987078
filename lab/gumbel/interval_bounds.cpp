#include "lab/gumbel/interval_bounds.h"

#include <ATen/ATen.h>

namespace sotto::lab::gumbel {

at::Tensor Interval::lower() const {
  return centre - radius;
}
at::Tensor Interval::upper() const {
  return centre + radius;
}

Interval interval_between(const at::Tensor& lower, const at::Tensor& upper) {
  return {.centre = (lower + upper) / 2, .radius = (upper - lower) / 2};
}
Interval exactly(const at::Tensor& value) {
  return {.centre = value, .radius = at::zeros_like(value)};
}

at::Tensor linear(const at::Tensor& x, const Layer& layer) {
  return at::linear(x, layer.weight, layer.bias);
}
Interval linear(const Interval& x, const Layer& layer) {
  return {.centre = linear(x.centre, layer), .radius = at::linear(x.radius, layer.weight.abs())};
}

at::Tensor rectified(const at::Tensor& x) {
  return at::relu(x);
}
Interval rectified(const Interval& x) {
  return interval_between(at::relu(x.lower()), at::relu(x.upper()));
}

at::Tensor scaled(const at::Tensor& x, const at::Tensor& factor) {
  return x * factor;
}
Interval scaled(const Interval& x, const at::Tensor& factor) {
  return {.centre = x.centre * factor, .radius = x.radius * factor};
}

at::Tensor joined(const at::Tensor& first, const at::Tensor& second) {
  return at::cat({first, second}, -1);
}
Interval joined(const Interval& first, const Interval& second) {
  return {.centre = joined(first.centre, second.centre), .radius = joined(first.radius, second.radius)};
}

at::Tensor worst_margins(const Interval& x, const Layer& last, const at::Tensor& labels) {
  // texts x classes x features: the rows of W less the row of the label.
  const at::Tensor weight = last.weight.unsqueeze(0) - last.weight.index_select(0, labels).unsqueeze(1);
  const at::Tensor bias = last.bias.unsqueeze(0) - last.bias.index_select(0, labels).unsqueeze(1);
  return at::matmul(weight, x.centre.unsqueeze(2)).squeeze(2) + bias +
         at::matmul(weight.abs(), x.radius.unsqueeze(2)).squeeze(2);
}

}  // namespace sotto::lab::gumbel
