#include "mechanisms/covariance.h"

#include <algorithm>

#include "core/parallel.h"
#include "model/mean_vector.h"

namespace sotto {

std::vector<double> sample_covariance(const Model& model) {
  const std::size_t dim = model.dim();
  const std::vector<double> mean = mean_vector(model);
  constexpr std::size_t kBlock = 16384;
  std::vector<std::vector<double>> parts((model.size() + kBlock - 1) / kBlock);
  parallel_blocks(model.size(), kBlock, 0, [&](std::size_t begin, std::size_t end) {
    std::vector<double> part(dim * dim, 0.0);
    std::vector<double> x(dim);
    for (std::size_t w = begin; w < end; ++w) {
      const auto row = model.vector(word_id(w));
      for (std::size_t j = 0; j < dim; ++j) x[j] = row[j] - mean[j];
      for (std::size_t j = 0; j < dim; ++j) {
        for (std::size_t k = 0; k <= j; ++k) part[j * dim + k] += x[j] * x[k];
      }
    }
    parts[begin / kBlock] = std::move(part);
  });
  std::vector<double> covariance(dim * dim, 0.0);
  for (const auto& part : parts) {
    for (std::size_t i = 0; i < covariance.size(); ++i) covariance[i] += part[i];
  }
  const double scale = 1 / static_cast<double>(std::max<std::size_t>(model.size(), 2) - 1);
  for (std::size_t j = 0; j < dim; ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      covariance[j * dim + k] *= scale;
      covariance[k * dim + j] = covariance[j * dim + k];
    }
  }
  return covariance;
}

}  // namespace sotto
