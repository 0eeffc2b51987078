#pragma once
#include <string>
#include <vector>

#include "cli/measure/text.h"
#include "sotto/work.h"

namespace sotto::cli {

// The figures of `sotto measure` as one page with plots. `command`: what was typed.
std::string measure_page(const MeasureSubject& subject, const std::vector<std::string>& command,
                         const Work& work);

// A command for a page, without the names of files that may be private (counts:, corpus:).
std::string public_command(std::vector<std::string> command);

}  // namespace sotto::cli
