#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "sotto/model.h"

namespace sotto {

// Vectors that carry noise, padded with zeros to the model's stride. Only NoiseShape (mechanisms/noise.h)
// writes rows, so whoever holds one of these holds noise, not a word: a search that takes nothing else is
// post-processing, and may be approximate. A row that was never written is zero.
class NoisyVectors {
 public:
  NoisyVectors(const Model& model, std::size_t count)
      : dim_(model.dim()), stride_(model.stride()), values_(count * stride_, 0.0) {}

  [[nodiscard]] std::size_t size() const noexcept { return values_.size() / stride_; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  // Row after row, stride() values each.
  [[nodiscard]] std::span<const double> values() const noexcept { return values_; }

 private:
  friend class NoiseShape;
  [[nodiscard]] std::span<double> row(std::size_t i) { return std::span(values_).subspan(i * stride_, dim_); }

  std::size_t dim_;
  std::size_t stride_;
  std::vector<double> values_;
};

}  // namespace sotto
