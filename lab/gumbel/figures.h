#pragma once
#include <string>

#include "lab/gumbel/settings.h"
#include "lab/points.h"
#include "lab/run.h"

namespace sotto::lab::gumbel {

// Figure 1 (N_w and S_w against the strength of each mechanism; the band is one standard deviation of the
// words, as in the paper) and figure 2 (S_w against N_w, logarithmic).
void draw_figures(const Run& run, const Settings& settings, const Points& deniability);
// Table 1, the rows of the figures, and Lemma 1 and appendix C, as Markdown.
std::string figures_text(const Settings& settings, const Points& table1, const Points& deniability,
                         const Points& claims);

}  // namespace sotto::lab::gumbel
