#pragma once
#include "lab/privemb/skipgram.h"
#include "lab/run.h"

namespace sotto::lab {

// Figure 4 (appendix A of privemb-2021): A1, vectors that are trained in few dimensions and get noise there,
// against M2, which projects vectors of 300 dimensions. Trains skip-gram vectors of unlabelled reviews, a
// stand-in for the paper's GloVe, and fills <output>/figure4. The vectors that are there are not trained
// again.
void run_figure4(const RunRequest& request);

}  // namespace sotto::lab
