#include "lab/embeddings/laws.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/gumbel/law.h"
#include "lab/points.h"
#include "lab/statistics.h"
#include "measure/deniability.h"
#include "measure/law_rows.h"
#include "measure/law_sweep.h"
#include "neighbours/kept_extremes.h"
#include "sotto/measurement.h"

namespace sotto::lab::embeddings {

namespace {

constexpr std::string_view kEuclidean = "euclidean";

struct Subject {
  std::vector<std::string> keys;
  double epsilon;  // nominal
  Certified built;
};

const Quantity* find(std::span<const Quantity> figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &Quantity::name);
  return found == figures.end() || found->kind == QuantityKind::unavailable ? nullptr : &*found;
}
double value_of(std::span<const Quantity> figures, std::string_view name) {
  const Quantity* found = find(figures, name);
  return found == nullptr ? kNone : middle(*found);
}
Bounds ends_of(std::span<const Quantity> figures, std::string_view name) {
  const Quantity* found = find(figures, name);
  return found == nullptr ? Bounds{.low = kNone, .high = kNone} : found->interval;
}

void record(const Run& run, const Settings& settings, const Subject& subject,
            std::span<const Quantity> figures, Points& table) {
  const std::uint64_t seed = run.seed_of(
      {"deniability", subject.keys[0], subject.keys[1], subject.keys[2], subject.keys[3], subject.keys[4]});
  const Deniability words =
      measure_deniability(subject.built.mechanism, settings.curve_words,
                          RandomSource::seeded_not_private(seed), {.threads = run.threads()});
  std::vector<double> unchanged;
  std::vector<double> distinct;
  for (const WordDeniability& word : words.words) {
    unchanged.push_back(word.unchanged);
    distinct.push_back(word.distinct);
  }
  const TrialMean n_w = trial_mean(unchanged);
  const TrialMean s_w = trial_mean(distinct);
  const Bounds error = ends_of(figures, "e_opt");
  const Bounds flipped = ends_of(figures, "loss_label");
  table.add({.keys = subject.keys,
             .values = {subject.epsilon, subject.built.epsilon, subject.built.loss,
                        value_of(figures, "e_opt"), error.low, error.high,
                        1 - value_of(figures, "loss_changed"), value_of(figures, "loss_label"), flipped.low,
                        flipped.high, value_of(figures, "loss_label") + value_of(figures, "label_lost"),
                        n_w.mean, n_w.interval.low, n_w.interval.high, s_w.mean, s_w.interval.low,
                        s_w.interval.high, words.exact ? 1.0 : 0.0, value_of(figures, "constant_guess")}});
  tell(fmt::format("{}: certified {:.3f}, Lmax {:.1f}, E_opt {:.3f}, N_w {:.3f}, S_w {:.1f}",
                   fmt::join(subject.keys, " "), subject.built.epsilon, subject.built.loss,
                   value_of(figures, "e_opt"), n_w.mean, s_w.mean));
}

}  // namespace

Certified certified(std::string_view name, const NamedSpace& space, ParameterTexts parameters,
                    const Extremes& extremes, const Work& work) {
  if (space.metric != kEuclidean) parameters["metric"] = space.metric;
  CertifiedMechanism built = build_mechanism(name, space.model, parameters, work);
  if (built.mechanism.words->exponential_law() != nullptr) add_certificate(built, work);
  Certified out{.mechanism = built.mechanism};
  out.epsilon = built.certificate ? built.certificate->realised_epsilon : built.mechanism.claim.epsilon;
  const double by_claim = built.mechanism.claim.epsilon * built.mechanism.claim.stretch * extremes.largest;
  out.loss = built.certificate
                 ? built.certificate->largest_loss
                 : std::min(built.mechanism.claim.largest_word_loss.value_or(by_claim), by_claim);
  return out;
}

void measure_laws(const Run& run, const Settings& settings, const NamedSpace& space, const Labels& labels,
                  Known known, Points& table) {
  const Work work{.threads = run.threads()};
  const Prior prior = frequency_rank_prior(*space.model);
  const auto seen = Space::make(space.model, parse_metric(space.metric));
  const gumbel::Domain domain{
      .name = space.group, .space = seen, .extremes = kept_extremes(*seen, run.threads())};
  std::vector<Subject> subjects;
  for (const Curve& curve : settings.curves) {
    if (space.metric != kEuclidean && !curve.takes_metric) continue;
    for (const double strength : curve.places.strengths) {
      std::vector<std::string> keys = space.keys();
      keys.insert(keys.end(), {curve.places.mechanism, number_text(strength)});
      if (table.find(keys)) continue;
      ParameterTexts parameters = curve.parameters;
      parameters["epsilon"] = gumbel::epsilon_text(curve.places, strength, domain);
      Subject subject{.keys = keys,
                      .epsilon = parse_number("epsilon", parameters["epsilon"], Infinity::refused),
                      .built = certified(curve.places.mechanism, space, parameters, domain.extremes, work)};
      if (has_closed_law(subject.built.mechanism) == (known == Known::by_law)) {
        subjects.push_back(std::move(subject));
      }
    }
  }
  if (known == Known::by_law) {
    // They share one pass over the distances.
    std::vector<Mechanism> mechanisms;
    for (const Subject& subject : subjects) mechanisms.push_back(subject.built.mechanism);
    const auto figures = sweep_laws(mechanisms, prior, &labels, work);
    for (std::size_t i = 0; i < subjects.size(); ++i) record(run, settings, subjects[i], figures[i], table);
    return;
  }
  for (const Subject& subject : subjects) {
    const std::vector<std::string>& keys = subject.keys;
    const Measurement measurement =
        measure(subject.built.mechanism,
                {.prior = prior,
                 .labels = labels,
                 .copies = 0,
                 .draws = settings.draws,
                 .extent = MeasureQuestion::Extent::headline,
                 .seed_not_private = run.seed_of({"measure", keys[0], keys[1], keys[2], keys[3], keys[4]})},
                work);
    record(run, settings, subject, measurement.overall().quantities, table);
  }
}

}  // namespace sotto::lab::embeddings
