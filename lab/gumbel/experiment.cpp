// Section 6 of truncated-gumbel-2021: the data (table 1), N_w and S_w (figures 1 and 2), and adversarial
// training with private perturbations (tables 2 and 3). Beyond the paper: gumbel-topk and tem at equal N_w,
// and membership inference against every model.
#include "lab/experiments.h"
#include "lab/gumbel/adversarial.h"
#include "lab/gumbel/attack_figures.h"
#include "lab/gumbel/claims.h"
#include "lab/gumbel/figures.h"
#include "lab/gumbel/law.h"
#include "lab/gumbel/report.h"
#include "lab/gumbel/settings.h"
#include "lab/gumbel/table1.h"

namespace sotto::lab {

namespace gumbel {

void run_experiment(const RunRequest& request, const Settings& settings) {
  const Run run(request, "gumbel", record_of(settings));
  Points table1 = run.points("table1", table1_layout());
  Points deniability = run.points("deniability", deniability_layout());
  Points claims = run.points("claims", claims_layout());
  Points models = run.points("models", models_layout());
  Points attacks = run.points("attacks", attacks_layout());

  const auto report = [&] {
    const ReportTables tables{.deniability = deniability, .models = models, .attacks = attacks};
    draw_figures(run, settings, deniability);
    draw_attacks(run, settings, tables);
    run.save_text("tables.md",
                  figures_text(settings, table1, deniability, claims) + adversarial_text(settings, tables));
  };
  if (request.has_part(kTable1)) measure_table1(run, table1);
  const bool adversarial =
      request.has_part(kTable2) || request.has_part(kTable3) || request.has_part(kBeyond);
  if (request.has_part(kFigures) || adversarial) {
    const std::vector<Domain> domains = {domain_of(run, "imdb"), domain_of(run, "snli")};
    if (request.has_part(kFigures)) {
      measure_claims(settings, domains, claims);
      measure_deniability_rows(run, settings, domains, deniability);
      report();
    }
    if (adversarial) {
      measure_adversarial(run, settings, domains, deniability, {.models = models, .attacks = attacks});
    }
  }
  report();
}

}  // namespace gumbel

void run_gumbel(const RunRequest& request) {
  gumbel::run_experiment(request, gumbel::settings_of(request));
}

}  // namespace sotto::lab
