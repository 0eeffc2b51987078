// The same words with the vectors of several embeddings: certificates, attackers and utility at equal
// epsilon, at equal certified loss and at equal E_opt. Then vectors that were fine-tuned on private text:
// what they gain, and what they betray (docs/results/embeddings.md).
#include <algorithm>
#include <iterator>

#include "lab/embeddings/adaptation.h"
#include "lab/embeddings/laws.h"
#include "lab/embeddings/report.h"
#include "lab/experiments.h"

namespace sotto::lab {

namespace embeddings {

void run_experiment(const RunRequest& request, const Settings& settings) {
  const Run run(request, "embeddings", record_of(settings));
  Points spaces = run.points("spaces", spaces_layout());
  Points laws = run.points("laws", laws_layout());
  Points levels = run.points("levels", levels_layout());
  Points accuracy = run.points("accuracy", accuracy_layout());
  Points adaptation = run.points("adaptation", adaptation_layout());
  Points betrayal = run.points("betrayal", betrayal_layout());
  if (request.has_part(kLaws)) {
    std::vector<NamedSpace> all;
    for (const Group& group : settings.groups)
      std::ranges::move(spaces_of(run, settings, group), std::back_inserter(all));
    // Draws take longer: they come after all laws.
    for (const Known known : {Known::by_law, Known::by_draws}) {
      for (const NamedSpace& space : all) {
        const Labels labels = polarity_of(run.data(), space.model);
        if (!spaces.find(space.keys())) spaces.add(size_row(space, labels, run.threads()));
        measure_laws(run, settings, space, labels, known, laws);
      }
    }
  }
  if (request.has_part(kReviews)) {
    const std::vector<NamedSpace> first = spaces_of(run, settings, settings.groups.front());
    measure_reviews(run, settings, first, levels, accuracy);
  }
  if (request.has_part(kAdaptation)) measure_adaptation(run, settings, adaptation, betrayal);
  report(run, settings,
         {.spaces = spaces,
          .laws = laws,
          .levels = levels,
          .accuracy = accuracy,
          .adaptation = adaptation,
          .betrayal = betrayal});
}

}  // namespace embeddings

void run_embeddings(const RunRequest& request) {
  embeddings::run_experiment(request, embeddings::settings_of(request));
}

}  // namespace sotto::lab
