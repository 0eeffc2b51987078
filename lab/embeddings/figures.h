#pragma once
#include "lab/embeddings/results.h"

namespace sotto::lab::embeddings {

void draw_figures(const Run& run, const Settings& settings, const LawResults& results, const Tables& tables);

}  // namespace sotto::lab::embeddings
