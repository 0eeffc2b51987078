#pragma once
#include <vector>

#include "sotto/mechanism.h"

namespace sotto {

// What noise is added to for each word of the model, one row of vectors.output_dim() values a word. Empty:
// not known.
std::vector<double> word_centres(const VectorMechanism& vectors, const Model& model, unsigned threads);

}  // namespace sotto
