#include "model/mean_vector.h"

namespace sotto {

std::vector<double> mean_vector(const Model& model) {
  std::vector<double> mean(model.dim(), 0.0);
  for (std::size_t i = 0; i < model.size(); ++i) {
    const auto x = model.vector(word_id(i));
    for (std::size_t j = 0; j < x.size(); ++j) mean[j] += x[j];
  }
  for (double& value : mean) value /= static_cast<double>(model.size());
  return mean;
}

}  // namespace sotto
