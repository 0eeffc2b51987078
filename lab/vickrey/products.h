#pragma once
#include "lab/vickrey/privacy.h"

namespace sotto::lab::vickrey {

// Product Reviews with these vectors: the words of the opinion lexicon that have one (a word in both lists is
// left out), each equally likely, with their polarity as the label.
Subject product_words(const Run& run, const std::string& vectors);

// Figure 1: five words on a line, and the probability of each as the output, by the place of the noisy
// vector.
void draw_figure1(const Run& run);

// What Algorithm 2 chooses for the two budgets of the text, with several first epsilons (it only doubles
// them), on Product Reviews with the first embedding. Finished settings are kept in
// choices.state.
void choose_as_printed(const Run& run, const Settings& settings, Points& choices);

}  // namespace sotto::lab::vickrey
