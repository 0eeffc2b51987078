#include "lab/tem/mechanisms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/points.h"
#include "lab/tem/stopwatch.h"
#include "measure/law_rows.h"
#include "measure/law_sweep.h"
#include "sotto/certificate.h"
#include "sotto/measurement.h"

namespace sotto::lab {

namespace {

double certified_epsilon(const CertifiedMechanism& built, const Work& work) {
  if (built.certificate) return built.certificate->realised_epsilon;
  if (built.mechanism.words->exponential_law() != nullptr) {
    if (const auto certificate = certify_again(built.mechanism, work)) return certificate->realised_epsilon;
  }
  const double claimed = built.mechanism.claim.epsilon;
  return std::isfinite(claimed) ? claimed : kNone;
}

// Of a bracket: the middle, with the ends.
struct Estimate {
  double value = kNone;
  Bounds interval = {.low = kNone, .high = kNone};
};
Estimate estimate_of(std::span<const Quantity> figures, std::string_view name) {
  const auto figure = std::ranges::find(figures, name, &Quantity::name);
  if (figure == figures.end() || figure->kind == QuantityKind::unavailable) return {};
  const Bounds ends = figure->bracket.value_or(figure->interval);
  return {.value = figure->value.value_or((ends.low + ends.high) / 2), .interval = figure->interval};
}

// A mechanism under measurement.
struct Subject {
  TemPlace place;
  Mechanism mechanism = {};
  double certified = kNone;
  double seconds = 0;
};

void record(const Subject& subject, std::span<const Quantity> figures, Points& table) {
  const Estimate error = estimate_of(figures, "e_opt");
  const Estimate changed = estimate_of(figures, "loss_changed");
  table.add({.keys = {subject.place.series->name, subject.place.epsilon},
             .values = {subject.certified, error.value, error.interval.low, error.interval.high,
                        estimate_of(figures, "constant_guess").value, 1 - changed.value,
                        1 - changed.interval.high, 1 - changed.interval.low, subject.seconds}});
  tell(fmt::format("{} {}: certified epsilon {:.3f}, E_opt {:.3f}, {:.1f} s", subject.place.series->name,
                   subject.place.epsilon, subject.certified, error.value, subject.seconds));
}

}  // namespace

// Closed laws go through one pass together: nearly all the time of one of them would be distances.
void measure_mechanisms(const Run& run, const TemSettings& settings, Points& table) {
  const Work work{.threads = run.threads()};
  const Prior prior = frequency_rank_prior(*run.model());
  std::vector<Subject> closed;
  for (const TemPlace& place : wanted_places(settings)) {
    if (table.find(std::vector<std::string>{place.series->name, place.epsilon})) continue;
    Stopwatch watch;
    CertifiedMechanism built =
        build_mechanism(place.series->mechanism, run.model(), parameters_of(place), work);
    Subject subject{.place = place, .certified = certified_epsilon(built, work)};
    subject.mechanism = std::move(built.mechanism);
    if (has_closed_law(subject.mechanism)) {
      subject.seconds = watch.seconds();
      tell(fmt::format("{} {}: certified in {:.1f} s", place.series->name, place.epsilon, subject.seconds));
      closed.push_back(std::move(subject));
      continue;
    }
    const Measurement measurement =
        measure(subject.mechanism,
                {.prior = prior,
                 .draws = settings.draws,
                 .extent = MeasureQuestion::Extent::headline,
                 .seed_not_private = run.seed_of({"measure", place.series->name, place.epsilon})},
                work);
    subject.seconds = watch.seconds();
    record(subject, measurement.overall().quantities, table);
  }
  Stopwatch watch;
  std::vector<Mechanism> mechanisms;
  mechanisms.reserve(closed.size());
  for (const Subject& subject : closed) mechanisms.push_back(subject.mechanism);
  const std::vector<std::vector<Quantity>> figures = sweep_laws(mechanisms, prior, nullptr, work);
  const double each = watch.seconds() / static_cast<double>(std::max<std::size_t>(closed.size(), 1));
  for (std::size_t i = 0; i < closed.size(); ++i) {
    closed[i].seconds += each;
    record(closed[i], figures[i], table);
  }
}

}  // namespace sotto::lab
