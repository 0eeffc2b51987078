#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/tune/text.h"
#include "html/plot.h"

namespace sotto::cli {

// The pictures, each with a name for a file: frontier, inference-error, loss, n_w, s_w.
std::vector<std::pair<std::string, html::Plot>> tune_plots(const api::TuneAnswer& answer);

// Everything as one page. `command`: what was typed.
std::string tune_page(const api::TuneAnswer& answer, const PrivatizeLine& line, std::string command);

}  // namespace sotto::cli
