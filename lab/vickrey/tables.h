#pragma once
#include <string>
#include <vector>

#include "lab/vickrey/results.h"

namespace sotto::lab::vickrey {

// The curves of figure 2, and of figure 3.
std::vector<std::string> figure2_series();
std::vector<std::string> figure3_series();

// Markdown. What each embedding covers of each data set.
std::string coverage_table(const Tables& tables);
// E_opt, E_M and L of a data set with an embedding, and L against laplace at equal E_opt. Empty if nothing
// was measured.
std::string result_tables(const Settings& settings, const Results& results);
std::string choices_table(const Tables& tables);

}  // namespace sotto::lab::vickrey
