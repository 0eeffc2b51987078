#include "sotto/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "measure/deniability.h"
#include "measure/law_rows.h"
#include "measure/measurement_parts.h"
#include "sotto/error.h"

namespace sotto {
namespace {

struct Meaning {
  std::string_view name;
  std::string_view text;
};
constexpr std::array kMeanings = {
    Meaning{"constant_guess", "error of always guessing the prior's likeliest word: the ceiling of E_opt"},
    Meaning{"e_opt",
            "probability that the best adversary, who knows mechanism and prior, guesses the word wrongly"},
    Meaning{"e_post", "the same for an adversary who draws the guess from the posterior"},
    Meaning{"e_nearest",
            "error of guessing the word whose projected vector lies nearest to the released one"},
    Meaning{"noise_length", "mean length of the noise, in the space of the released vectors"},
    Meaning{"constant_guess_distance",
            "mean distance of the best guess made without seeing the output: the ceiling"},
    Meaning{"e_opt_distance", "mean distance between the word and the guess that makes it smallest"},
    Meaning{"e_post_distance", "mean distance between the word and a guess drawn from the posterior"},
    Meaning{"loss_changed", "L for changed or not: probability that a word is replaced by another"},
    Meaning{"unchanged", "share of tokens that stay as they are"},
    Meaning{"loss_distance", "L for distance: mean distance moved"},
    Meaning{"distance_median", "median distance moved"},
    Meaning{"loss_label", "L for label flip: a word with a label becomes a word with another label"},
    Meaning{"label_lost", "a word with a label becomes a word without one"},
    Meaning{"constant_guess_label", "error of always guessing the likeliest label: the ceiling"},
    Meaning{"e_opt_label",
            "probability that the label of a labelled word is guessed wrongly from its output"},
    Meaning{
        "n_w",
        "N_w: probability that a word stays as it is, mean over some words of all frequencies, each counted "
        "once; the interval is the middle 90% of the words"},
    Meaning{
        "s_w",
        "S_w: different words among 1,000 outputs of a word, mean over the same words; the interval is the "
        "middle 90% of the words"},
};

Quantity deniability_quantity(std::string name, const DeniabilitySummary& summary,
                              const Deniability& measured) {
  constexpr std::size_t kLow = 1;
  constexpr std::size_t kHigh = 5;
  constexpr std::string_view kSome = "some words";
  std::string meaning = meaning_of(name);
  if (const std::size_t at = meaning.find(kSome); at != std::string::npos) {
    meaning.replace(at, kSome.size(), fmt::format("{} words", measured.words.size()));
  }
  return {.name = std::move(name),
          .kind = measured.exact ? QuantityKind::exact : QuantityKind::sampled,
          .value = summary.mean,
          .interval = {.low = summary.quantiles[kLow], .high = summary.quantiles[kHigh]},
          .meaning = std::move(meaning)};
}

// N_w of each band from the words whose deniability was drawn.
void add_deniability(const Deniability& deniability, const Bands& bands, Measurement& measurement) {
  for (BandMeasurement& band : measurement.bands) {
    std::vector<double> unchanged;
    for (const WordDeniability& word : deniability.words) {
      const std::uint8_t own = bands.of[index_of(word.word)];
      if (own != Bands::kNone && bands.names[own] == band.name) unchanged.push_back(word.unchanged);
    }
    if (unchanged.empty()) continue;
    band.quantities.push_back(sampled_quantity(
        "n_w", {.values = unchanged},
        fmt::format(
            "N_w: probability that a word stays as it is, mean over {} words of the band, each drawn {} "
            "times",
            unchanged.size(), kDeniabilityDraws)));
  }
}

// What the bands of density are about: how far the neighbours are.
void add_density(const Prior& prior, const Bands& bands, Measurement& measurement) {
  for (BandMeasurement& band : measurement.bands) {
    if (band.name == "all") continue;
    double sum = 0;
    Bounds ends{.low = std::numeric_limits<double>::infinity(), .high = 0};
    for (const WordId word : prior.support) {
      if (bands.names[bands.of[index_of(word)]] != band.name) continue;
      const double distance = bands.neighbour_distance[index_of(word)];
      sum += distance;
      ends = {.low = std::min(ends.low, distance), .high = std::max(ends.high, distance)};
    }
    band.quantities.push_back(
        {.name = "neighbour_distance",
         .kind = QuantityKind::exact,
         .value = sum / static_cast<double>(band.words),
         .interval = ends,
         .meaning =
             fmt::format("distance to the {}th nearest other word: mean over the words of the band; the "
                         "interval is from the smallest to the largest",
                         kDensityNeighbours)});
  }
}

RandomSource source_of(const MeasureQuestion& request, std::uint64_t offset) {
  return request.seed_not_private ? RandomSource::seeded_not_private(*request.seed_not_private + offset)
                                  : RandomSource::fresh();
}

}  // namespace

std::string meaning_of(std::string_view name) {
  const auto found = std::ranges::find(kMeanings, name, &Meaning::name);
  if (found == kMeanings.end()) throw Error(ErrorCode::internal, "a figure has no meaning");
  return std::string(found->text);
}

std::vector<BandMeasurement> empty_bands(const Prior& prior, const Bands& bands) {
  std::vector<BandMeasurement> out(1 + bands.count());
  out[0] = {.name = "all", .words = prior.support.size(), .prior = 1};
  for (std::size_t b = 0; b < bands.count(); ++b) out[b + 1].name = bands.names[b];
  for (const WordId word : prior.support) {
    BandMeasurement& band = out[bands.of[index_of(word)] + 1U];
    ++band.words;
    band.prior += prior.weights[index_of(word)];
  }
  std::erase_if(out, [](const BandMeasurement& band) { return band.words == 0; });
  return out;
}

std::size_t band_index(const Bands& bands, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(bands.names, name) - bands.names.begin());
}

const Quantity* BandMeasurement::find(std::string_view quantity) const {
  const auto found = std::ranges::find(quantities, quantity, &Quantity::name);
  return found == quantities.end() ? nullptr : &*found;
}

Measurement measure(const Mechanism& mechanism, const MeasureQuestion& request, const Work& work) {
  const Bands bands = bands_of(request.bands, *mechanism.space, request.prior, work);
  const RandomSource random = source_of(request, 0);
  const MeasureInputs inputs{.mechanism = mechanism, .request = request, .random = random, .bands = bands};
  if (mechanism.vectors) return measure_vectors(inputs, work);
  const double pairs =
      static_cast<double>(request.prior.support.size()) * static_cast<double>(mechanism.space->size());
  const bool exact = (request.method == MeasureQuestion::Method::best || !mechanism.token.empty()) &&
                     pairs <= kExactPairs && has_closed_law(mechanism);
  Measurement measurement = exact ? measure_exactly(inputs, work) : measure_by_samples(inputs, work);
  if (request.extent == MeasureQuestion::Extent::all) {
    // Another key: both count their streams from 0.
    const Deniability deniability = measure_deniability(mechanism, usual_deniability_words(mechanism),
                                                        source_of(request, 1), {.threads = work.threads});
    auto& quantities = measurement.bands.front().quantities;
    quantities.push_back(deniability_quantity("n_w", deniability.overall.unchanged, deniability));
    quantities.push_back(deniability_quantity("s_w", deniability.overall.distinct, deniability));
    if (!exact && request.bands == BandsBy::density) add_deniability(deniability, bands, measurement);
  }
  if (request.bands == BandsBy::density) add_density(request.prior, bands, measurement);
  return measurement;
}

}  // namespace sotto
