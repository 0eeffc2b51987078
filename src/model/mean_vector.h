#pragma once
#include <vector>

#include "sotto/model.h"

namespace sotto {

// The mean of all vectors of a model, dim() values, summed in word order.
std::vector<double> mean_vector(const Model& model);

}  // namespace sotto
