// Quantities of a mechanism of which only draws are known, or whose law is too large to follow: estimates for
// the utility. The adversary is known by brackets, or where columns of the law can be computed by the exact
// posteriors of drawn outputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "measure/attribute.h"
#include "measure/column_adversary.h"
#include "measure/guess_quantities.h"
#include "measure/measurement_parts.h"

namespace sotto {
namespace {

constexpr std::size_t kDraws = 500'000;
constexpr std::size_t kRankedDraws = 2000;  // a rank costs a row of distances
constexpr std::size_t kRankBlock = 16;
constexpr std::size_t kColumns = 4000;  // E_opt within 0.015 at 95%

constexpr char kNoPosterior[] =
    "the posterior is known from samples only, and the plug-in of this figure has no bracket";
constexpr char kNoColumns[] =
    "only draws of this mechanism are known; columns estimated from them would make the adversary look "
    "weaker or "
    "stronger than it is";

Quantity explained_bracket(std::string name, const GuessBracket& bracket) {
  Quantity quantity = bracket_quantity(std::move(name), bracket);
  quantity.meaning += fmt::format(
      "; between plug-in and held-out error of {} draws, the interval by McDiarmid's inequality at 95%",
      bracket.draws);
  return quantity;
}

// The interval is widened by what the values themselves may be off.
Quantity column_quantity(const char* name, std::span<const double> values, double error) {
  Quantity quantity = sampled_quantity(
      name, {.values = values, .range = 1},
      meaning_of(name) + fmt::format("; {} outputs, the posterior of each exact", values.size()));
  quantity.interval = {.low = std::max(0.0, quantity.interval.low - error),
                       .high = std::min(1.0, quantity.interval.high + error)};
  return quantity;
}

void add_adversary(const MeasureInputs& inputs, const JointSample& sample, BandMeasurement& band,
                   const Work& work) {
  const Prior& prior = inputs.request.prior;
  band.quantities.push_back(
      exact_quantity("constant_guess", prior.constant_guess(), meaning_of("constant_guess")));
  // A search over many settings has no time for a pass over all pairs of a large model.
  if (inputs.request.method == MeasureQuestion::Method::best &&
      inputs.request.extent == MeasureQuestion::Extent::all &&
      inputs.mechanism.words->exponential_law() != nullptr) {
    const auto outputs = std::span(sample.outputs).first(std::min(kColumns, sample.outputs.size()));
    const ColumnErrors errors = column_errors(inputs.mechanism, prior, outputs, work);
    band.quantities.push_back(column_quantity("e_opt", errors.best, errors.error));
    band.quantities.push_back(column_quantity("e_post", errors.posterior, errors.error));
    return;
  }
  const Classes words{.of = [](WordId word) { return static_cast<std::int64_t>(word); },
                      .likeliest = static_cast<std::int64_t>(prior.mode()),
                      .constant_error = prior.constant_guess()};
  const GuessBracket guess = guess_bracket(sample, words);
  Quantity best = explained_bracket("e_opt", guess);
  Quantity posterior = posterior_quantity(guess, best, prior);
  // With few draws a word this real adversary is often the better of the two.
  best.meaning += "; also at most loss_changed, the error of taking the output for the word";
  band.quantities.push_back(std::move(best));
  band.quantities.push_back(std::move(posterior));
}

void add_label_adversary(const MeasureInputs& inputs, const JointSample& sample, BandMeasurement& band) {
  if (inputs.labels() == nullptr) return;
  const Labels& labels = *inputs.labels();
  const std::vector<double> masses = label_prior(inputs.request.prior, labels);
  const Classes classes{.of = [&](WordId word) { return std::int64_t{labels.of[index_of(word)]}; },
                        .likeliest = std::ranges::max_element(masses) - masses.begin(),
                        .constant_error = constant_label_guess(inputs.request.prior, labels)};
  band.quantities.push_back(
      exact_quantity("constant_guess_label", classes.constant_error, meaning_of("constant_guess_label")));
  band.quantities.push_back(explained_bracket("e_opt_label", guess_bracket(sample, classes)));
}

// What became of each draw.
struct Outcomes {
  std::vector<double> distances;
  std::vector<std::size_t> rank_bins;  // of the first few draws
};

Outcomes look_at(const MeasureInputs& inputs, const JointSample& sample, const Work& work) {
  const Space& space = *inputs.mechanism.space;
  Outcomes outcomes{.distances = std::vector<double>(sample.words.size()),
                    .rank_bins = std::vector<std::size_t>(std::min(kRankedDraws, sample.words.size()))};
  parallel_blocks(sample.words.size(), 4096, work.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      outcomes.distances[i] = space.distance(sample.words[i], sample.outputs[i]);
    }
  });
  parallel_blocks(outcomes.rank_bins.size(), kRankBlock, work.threads,
                  [&](std::size_t begin, std::size_t end) {
                    std::vector<double> row;
                    for (std::size_t i = begin; i < end; ++i) {
                      outcomes.rank_bins[i] = rank_bin(space, sample.words[i], sample.outputs[i], row);
                    }
                  });
  return outcomes;
}

void add_share(BandMeasurement& band, const char* name, const std::vector<double>& values) {
  band.quantities.push_back(sampled_quantity(name, {.values = values, .range = 1}, meaning_of(name)));
}

void add_ranks(const MeasureInputs& inputs, const Outcomes& outcomes, const std::vector<std::size_t>& draws,
               BandMeasurement& band) {
  const std::size_t others = inputs.mechanism.space->size() - 1;
  for (std::size_t bin = 0; bin < kRankBins && first_rank(bin) <= others; ++bin) {
    std::vector<double> hits;
    for (const std::size_t i : draws) {
      if (i < outcomes.rank_bins.size()) hits.push_back(outcomes.rank_bins[i] == bin ? 1 : 0);
    }
    if (hits.empty()) return;
    const Quantity quantity = sampled_quantity("rank", {.values = hits, .range = 1}, "");
    band.ranks.push_back({.first = first_rank(bin),
                          .last = std::min(last_rank(bin), others),
                          .share = quantity.value.value_or(0),
                          .interval = quantity.interval});
  }
}

// `draws`: those whose word is of the band.
void add_sampled_utility(const MeasureInputs& inputs, const JointSample& sample, const Outcomes& outcomes,
                         const std::vector<std::size_t>& draws, BandMeasurement& band) {
  std::vector<double> changed;
  std::vector<double> unchanged;
  std::vector<double> distances;
  std::vector<double> flipped;
  std::vector<double> lost;
  for (const std::size_t i : draws) {
    const bool same = sample.words[i] == sample.outputs[i];
    changed.push_back(same ? 0 : 1);
    unchanged.push_back(same ? 1 : 0);
    distances.push_back(outcomes.distances[i]);
    if (inputs.labels() == nullptr) continue;
    const std::int32_t own = inputs.labels()->of[index_of(sample.words[i])];
    const std::int32_t other = inputs.labels()->of[index_of(sample.outputs[i])];
    if (own == Labels::kNone) continue;
    flipped.push_back(other != Labels::kNone && other != own ? 1 : 0);
    lost.push_back(other == Labels::kNone ? 1 : 0);
  }
  add_share(band, "loss_changed", changed);
  add_share(band, "unchanged", unchanged);
  band.quantities.push_back(
      sampled_quantity("loss_distance", {.values = distances}, meaning_of("loss_distance")));
  band.quantities.push_back(median_quantity("distance_median", distances, meaning_of("distance_median")));
  if (!flipped.empty()) {
    add_share(band, "loss_label", flipped);
    add_share(band, "label_lost", lost);
  }
  add_ranks(inputs, outcomes, draws, band);
}

}  // namespace

Measurement measure_by_samples(const MeasureInputs& inputs, const Work& work) {
  const MeasureQuestion& request = inputs.request;
  const std::size_t count = request.draws > 0 ? request.draws : kDraws;
  const JointSample sample =
      draw_joint(inputs.mechanism, request.prior, {.count = count, .first_stream = 0}, inputs.random, work);
  const Outcomes outcomes = look_at(inputs, sample, work);
  Measurement measurement{
      .closed_law = false, .draws = count, .bands = empty_bands(request.prior, inputs.bands)};
  for (BandMeasurement& band : measurement.bands) {
    const bool overall = band.name == "all";
    if (overall) add_adversary(inputs, sample, band, work);
    std::vector<std::size_t> draws;
    for (std::size_t i = 0; i < count; ++i) {
      if (overall || inputs.bands.of[index_of(sample.words[i])] == band_index(inputs.bands, band.name))
        draws.push_back(i);
    }
    add_sampled_utility(inputs, sample, outcomes, draws, band);
  }
  BandMeasurement& overall = measurement.bands.front();
  add_label_adversary(inputs, sample, overall);
  if (request.extent == MeasureQuestion::Extent::all) {
    for (const char* name : {"e_opt_distance", "e_post_distance"}) {
      overall.quantities.push_back(unavailable_quantity(name, kNoPosterior));
    }
    if (request.copies > 0) {
      overall.quantities.push_back(
          unavailable_quantity(fmt::format("e_opt_copies_{}", request.copies), kNoColumns));
    }
  }
  return measurement;
}

}  // namespace sotto
