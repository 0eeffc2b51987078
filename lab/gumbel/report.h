#pragma once
#include <string>

#include "lab/gumbel/settings.h"
#include "lab/points.h"

namespace sotto::lab::gumbel {

// Tables 2 and 3 with the paper's numbers beside ours, the comparison at equal N_w, membership inference and
// the time that all took, as Markdown. A cell without a row says "not run".
struct ReportTables {
  const Points& deniability;
  const Points& models;
  const Points& attacks;
};
std::string adversarial_text(const Settings& settings, const ReportTables& tables);

}  // namespace sotto::lab::gumbel
