// Quantities of a mechanism whose law is known: one pass over its rows, and one over the guesses for the
// distance.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "measure/adversary.h"
#include "measure/attribute.h"
#include "measure/averaging.h"
#include "measure/distance_adversary.h"
#include "measure/measurement_parts.h"

namespace sotto {
namespace {

constexpr std::size_t kTrials = 1000;
// The distance loss compares all guesses with all words for each output.
constexpr double kMostColumnProducts = 137'438'953'472.0;  // 2^37, about a minute on two cores
constexpr double kMostColumnValues = 16'777'216.0;         // 128 MB
constexpr double kFewestColumns = 16;
constexpr double kMostColumns = 512;

// The outputs whose posteriors are looked at: all, or as many drawn ones as the time allows.
struct ColumnChoice {
  std::vector<WordId> outputs;
  bool all = false;
};
ColumnChoice choose_columns(const MeasureInputs& inputs, const Work& work) {
  const std::size_t n = inputs.mechanism.space->size();
  const auto words = static_cast<double>(inputs.request.prior.support.size());
  const auto outputs = static_cast<double>(n);
  ColumnChoice choice;
  choice.all = words * outputs <= kMostColumnValues && words * words * outputs <= kMostColumnProducts;
  if (choice.all) {
    for (std::size_t o = 0; o < n; ++o) choice.outputs.push_back(word_id(o));
    return choice;
  }
  const double count = std::clamp(std::min(kMostColumnProducts / (words * words), kMostColumnValues / words),
                                  kFewestColumns, kMostColumns);
  choice.outputs = draw_joint(inputs.mechanism, inputs.request.prior,
                              {.count = static_cast<std::size_t>(count), .first_stream = kColumnStreams},
                              inputs.random, {.threads = work.threads})
                       .outputs;
  return choice;
}

AveragingAdversary::Trials draw_trials(const MeasureInputs& inputs, const Work& work) {
  const std::size_t copies = inputs.request.copies;
  // Words from the prior; their first outputs come with them, the others are drawn in one batch.
  const JointSample sample =
      draw_joint(inputs.mechanism, inputs.request.prior, {.count = kTrials, .first_stream = kTrialStreams},
                 inputs.random, {.threads = work.threads});
  std::vector<WordId> again;
  for (const WordId word : sample.words) again.insert(again.end(), copies - 1, word);
  std::vector<WordId> more(again.size());
  Rng rng = inputs.random.stream(kTrialStreams + kTrials);
  if (!again.empty()) inputs.mechanism.words->sample_batch(again, more, rng);
  AveragingAdversary::Trials trials{.copies = copies, .outputs = {}};
  for (std::size_t t = 0; t < kTrials; ++t) {
    trials.outputs.push_back(sample.outputs[t]);
    const auto own = more.begin() + static_cast<std::ptrdiff_t>(t * (copies - 1));
    trials.outputs.insert(trials.outputs.end(), own, own + static_cast<std::ptrdiff_t>(copies - 1));
  }
  return trials;
}

void add_exact(BandMeasurement& band, const char* name, double value) {
  band.quantities.push_back(exact_quantity(name, value, meaning_of(name)));
}

void add_exact_utility(const MeasureInputs& inputs, const UtilityTotals& totals, BandMeasurement& band) {
  const bool has_words = inputs.mechanism.token.empty();
  add_exact(band, "loss_changed", std::max(0.0, 1 - totals.unchanged / totals.mass));
  add_exact(band, "unchanged", totals.unchanged / totals.mass);
  if (has_words) {
    add_exact(band, "loss_distance", totals.distance / totals.mass);
    const Bounds median = median_distance(totals, *inputs.mechanism.space);
    Quantity quantity =
        exact_quantity("distance_median", (median.low + median.high) / 2, meaning_of("distance_median"));
    quantity.interval = median;
    band.quantities.push_back(std::move(quantity));
  } else {
    for (const char* name : {"loss_distance", "distance_median"}) {
      band.quantities.push_back(
          unavailable_quantity(name, "one text is written for every word: there is no distance"));
    }
  }
  if (totals.labelled > 0) {
    add_exact(band, "loss_label", totals.flipped / totals.labelled);
    add_exact(band, "label_lost", totals.lost / totals.labelled);
  }
  if (has_words && inputs.request.bands == BandsBy::density && band.name != "all") {
    band.quantities.push_back(
        exact_quantity("n_w", totals.stays / totals.words,
                       "N_w: probability that a word stays as it is, mean over all words of the band, each "
                       "counted once"));
  }
  const std::size_t others = inputs.mechanism.space->size() - 1;
  for (std::size_t bin = 0; has_words && bin < kRankBins && first_rank(bin) <= others; ++bin) {
    const double share = totals.ranks[bin] / totals.mass;
    band.ranks.push_back({.first = first_rank(bin),
                          .last = std::min(last_rank(bin), others),
                          .share = share,
                          .interval = {.low = share, .high = share}});
  }
}

void add_distance(const MeasureInputs& inputs, const ColumnChoice& choice, LawColumns& columns,
                  const std::vector<double>& probabilities, BandMeasurement& band, const Work& work) {
  const std::vector<double> posteriors = columns.take_posteriors();
  const auto errors = distance_errors(inputs.mechanism.space,
                                      {.words = inputs.request.prior.support,
                                       .values = posteriors,
                                       .count = columns.count(),
                                       .stride = columns.stride()},
                                      work);
  std::vector<double> best;
  std::vector<double> posterior;
  double best_sum = 0;
  double posterior_sum = 0;
  for (std::size_t j = 0; j < choice.outputs.size(); ++j) {
    const double weight = probabilities[index_of(choice.outputs[j])];
    best_sum += weight * errors[j].best;
    posterior_sum += weight * errors[j].posterior;
    best.push_back(errors[j].best);
    posterior.push_back(errors[j].posterior);
  }
  add_exact(band, "constant_guess_distance", errors.back().best);
  if (choice.all) {
    add_exact(band, "e_opt_distance", best_sum);
    add_exact(band, "e_post_distance", posterior_sum);
    return;
  }
  const std::string how = fmt::format("; {} outputs, the posterior of each exact", best.size());
  band.quantities.push_back(
      sampled_quantity("e_opt_distance", {.values = best}, meaning_of("e_opt_distance") + how));
  band.quantities.push_back(
      sampled_quantity("e_post_distance", {.values = posterior}, meaning_of("e_post_distance") + how));
}

void add_averaging(const AveragingAdversary& averaging, BandMeasurement& band) {
  for (std::size_t level = 0; level < averaging.levels().size(); ++level) {
    const std::size_t copies = averaging.levels()[level];
    const std::vector<double> errors = averaging.errors(level);
    band.quantities.push_back(sampled_quantity(
        fmt::format("e_opt_copies_{}", copies), {.values = errors, .range = 1},
        fmt::format(
            "E_opt of an attacker who sees {} of the same text; {} words, the posterior of each exact",
            copies == 1 ? "one release" : fmt::format("{} releases", copies), errors.size())));
  }
}

}  // namespace

Measurement measure_exactly(const MeasureInputs& inputs, const Work& work) {
  const Prior& prior = inputs.request.prior;
  const bool all = inputs.request.extent == MeasureQuestion::Extent::all;
  WordAdversary adversary(prior, inputs.bands);
  UtilityRows utility(inputs.mechanism, prior, inputs.bands, inputs.labels());
  std::vector<LawVisitor*> visitors = {&adversary, &utility};
  std::unique_ptr<LabelAdversary> label;
  if (inputs.labels() != nullptr) {
    label = std::make_unique<LabelAdversary>(prior, *inputs.labels());
    visitors.push_back(label.get());
  }
  ColumnChoice choice;
  std::unique_ptr<LawColumns> columns;
  std::unique_ptr<AveragingAdversary> averaging;
  if (all) {
    choice = choose_columns(inputs, work);
    columns = std::make_unique<LawColumns>(prior, choice.outputs);
    visitors.push_back(columns.get());
  }
  if (all && inputs.request.copies > 0) {
    averaging = std::make_unique<AveragingAdversary>(prior, draw_trials(inputs, work));
    visitors.push_back(averaging.get());
  }
  stream_laws(inputs.mechanism, prior.support, visitors, work);

  Measurement measurement{.closed_law = true, .bands = empty_bands(prior, inputs.bands)};
  for (BandMeasurement& band : measurement.bands) {
    const bool overall = band.name == "all";
    const GuessErrors errors =
        overall ? adversary.errors() : adversary.errors_in_band(band_index(inputs.bands, band.name));
    if (overall) add_exact(band, "constant_guess", prior.constant_guess());
    add_exact(band, "e_opt", errors.best);
    add_exact(band, "e_post", errors.posterior);
    add_exact_utility(inputs, overall ? utility.overall() : utility.band(band_index(inputs.bands, band.name)),
                      band);
  }
  BandMeasurement& overall = measurement.bands.front();
  if (label) {
    add_exact(overall, "constant_guess_label", constant_label_guess(prior, *inputs.labels()));
    add_exact(overall, "e_opt_label", label->error());
  }
  if (columns) add_distance(inputs, choice, *columns, adversary.output_probabilities(), overall, work);
  if (averaging) add_averaging(*averaging, overall);
  return measurement;
}

}  // namespace sotto
