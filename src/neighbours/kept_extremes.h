#pragma once
#include "sotto/extremes.h"

namespace sotto {

// find_extremes(), kept in the model's derived folder: the search over all pairs takes seconds at 50,000
// words. What was kept is used only if the folder is ours alone, the file is whole and belongs to this model
// and metric, both pairs have the distances that it states, and no pair with one of 64 words, drawn at
// random, is nearer or farther. Without a derived folder, and for models that are searched in a moment, it is
// find_extremes().
Extremes kept_extremes(const Space& space, unsigned threads);

}  // namespace sotto
