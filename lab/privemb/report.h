#pragma once
#include "lab/privemb/pairs.h"
#include "lab/privemb/privacy.h"
#include "lab/privemb/sentences.h"

namespace sotto::lab {

struct PrivembPoints {
  PairPoints pairs;
  PrivacyPoints privacy;
  Points words;
  Points sentences;
};

// Figures 1 to 3, E_opt against epsilon, and accuracy against E_opt, as SVG files.
void save_figures(const PrivembLab& lab, const PrivembPoints& points);
// The tables as Markdown: means with 95% intervals over the runs, the paper's table 1 beside ours.
void save_tables(const PrivembLab& lab, const PrivembPoints& points);

}  // namespace sotto::lab
