#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/tune/text.h"
#include "html/plot.h"

namespace sotto::cli {

// The pictures, each with a name for a file: frontier, inference-error, loss, n_w, s_w.
std::vector<std::pair<std::string, html::Plot>> tune_plots(const TuneSubject& subject);

// Everything as one page. `command`: what was typed.
std::string tune_page(const TuneSubject& subject, const std::vector<std::string>& command);

}  // namespace sotto::cli
