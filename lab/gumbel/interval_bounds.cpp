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

at::Tensor convolution(const at::Tensor& x, const Layer& layer) {
  return at::conv1d(x, layer.weight, layer.bias, 1, (layer.weight.size(2) - 1) / 2);
}
Interval convolution(const Interval& x, const Layer& layer) {
  return {.centre = convolution(x.centre, layer),
          .radius = at::conv1d(x.radius, layer.weight.abs(), {}, 1, (layer.weight.size(2) - 1) / 2)};
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

at::Tensor summed(const at::Tensor& x, std::int64_t dimension) {
  return x.sum(dimension);
}
Interval summed(const Interval& x, std::int64_t dimension) {
  return {.centre = x.centre.sum(dimension), .radius = x.radius.sum(dimension)};
}

at::Tensor joined(const at::Tensor& first, const at::Tensor& second) {
  return at::cat({first, second}, -1);
}
Interval joined(const Interval& first, const Interval& second) {
  return {.centre = joined(first.centre, second.centre), .radius = joined(first.radius, second.radius)};
}

at::Tensor turned(const at::Tensor& x) {
  return x.transpose(1, 2);
}
Interval turned(const Interval& x) {
  return {.centre = turned(x.centre), .radius = turned(x.radius)};
}

at::Tensor looked_up(const at::Tensor& table, const at::Tensor& places) {
  return at::embedding(table, places);
}
Interval looked_up(const Interval& table, const at::Tensor& places) {
  return {.centre = looked_up(table.centre, places), .radius = looked_up(table.radius, places)};
}

at::Tensor worst_margins(const Interval& x, const Layer& last, const at::Tensor& labels) {
  // texts x classes x features: the rows of W less the row of the label.
  const at::Tensor weight = last.weight.unsqueeze(0) - last.weight.index_select(0, labels).unsqueeze(1);
  const at::Tensor bias = last.bias.unsqueeze(0) - last.bias.index_select(0, labels).unsqueeze(1);
  return at::matmul(weight, x.centre.unsqueeze(2)).squeeze(2) + bias +
         at::matmul(weight.abs(), x.radius.unsqueeze(2)).squeeze(2);
}

}  // namespace sotto::lab::gumbel
