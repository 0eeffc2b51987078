// Section 6 of truncated-gumbel-2021: the data (table 1), N_w and S_w (figures 1 and 2), and adversarial
// training with private perturbations (tables 2 and 3).
#include <fmt/format.h>

#include "lab/experiments.h"
#include "lab/gumbel/claims.h"
#include "lab/gumbel/figures.h"
#include "lab/gumbel/law.h"
#include "lab/gumbel/settings.h"
#include "lab/gumbel/table1.h"

namespace sotto::lab {

void run_gumbel(const RunRequest& request) {
  using namespace gumbel;
  const Settings settings = settings_of(request);
  const Run run(request, "gumbel", {{"curve_words", fmt::format("{}", settings.curve_words)}});
  Points table1 = run.points("table1", table1_layout());
  Points deniability = run.points("deniability", deniability_layout());
  Points claims = run.points("claims", claims_layout());

  if (has_part(settings, kTable1)) measure_table1(run, table1);
  if (has_part(settings, kFigures)) {
    const std::vector<Domain> domains = {domain_of(run, "imdb"), domain_of(run, "snli")};
    measure_claims(settings, domains, claims);
    measure_deniability_rows(run, settings, domains, deniability);
    draw_figures(run, settings, deniability);
  }
  run.save_text("tables.md", figures_text(settings, table1, deniability, claims));
}

}  // namespace sotto::lab
