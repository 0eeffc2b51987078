#pragma once
#include <vector>

#include "sotto/model.h"

namespace sotto {

// The sample covariance of a model's vectors, dim x dim, row after row. In blocks of fixed size added in
// order, so that the number of threads changes no bit of what is made of it.
std::vector<double> sample_covariance(const Model& model);

}  // namespace sotto
