// Quantities of a mechanism that releases a vector for a word.
#include <fmt/format.h>

#include <algorithm>

#include "measure/attribute.h"
#include "measure/measurement_parts.h"
#include "measure/released_vectors.h"

namespace sotto {
namespace {

// Each draw compares a vector with all words.
constexpr double kMostAttackProducts = 17'179'869'184.0;  // 2^34: some ten seconds of one core
constexpr double kFewestAttackDraws = 256;
constexpr double kMostAttackDraws = 20'000;
constexpr std::size_t kLabelDraws = 2000;
constexpr std::size_t kCopiesDraws = 1000;
constexpr std::uint64_t kLabelStreams = std::uint64_t{3} << 32;

using Guesses = std::vector<VectorGuess>;

void add(BandMeasurement& band, const char* name, const Guesses& guesses, double VectorGuess::*error,
         const std::function<bool(WordId)>& counts) {
  std::vector<double> errors;
  for (const VectorGuess& guess : guesses) {
    if (counts(guess.word)) errors.push_back(guess.*error);
  }
  if (errors.empty()) return;  // a band of rare words that were never drawn
  band.quantities.push_back(sampled_quantity(name, {.values = errors, .range = 1}, meaning_of(name)));
}

Prior labelled_prior(const Prior& prior, const Labels& labels) {
  (void)label_prior(prior, labels);  // refuses labels that the prior rules out
  WordList list;
  for (std::size_t w = 0; w < labels.of.size(); ++w) {
    if (labels.of[w] != Labels::kNone) list.words.push_back(word_id(w));
  }
  return restricted(prior, list);
}

void add_labels(const MeasureInputs& inputs, const ReleasedWords& released, std::size_t draws,
                BandMeasurement& band, const Work& work) {
  const Labels& labels = *inputs.labels();
  const Prior prior = labelled_prior(inputs.request.prior, labels);
  const VectorAttacker attacker(released, prior, &labels);
  const auto guesses = attacker.guess({.count = std::min(draws, kLabelDraws), .first_stream = kLabelStreams},
                                      inputs.random, {.threads = work.threads});
  band.quantities.push_back(exact_quantity("constant_guess_label",
                                           constant_label_guess(inputs.request.prior, labels),
                                           meaning_of("constant_guess_label")));
  add(band, "e_opt_label", guesses.front(), &VectorGuess::label, [](WordId) { return true; });
}

void add_copies(const MeasureInputs& inputs, const VectorAttacker& attacker, std::size_t draws,
                BandMeasurement& band, const Work& work) {
  const auto guesses = attacker.guess({.count = std::min(draws, kCopiesDraws),
                                       .copies = inputs.request.copies,
                                       .first_stream = kTrialStreams},
                                      inputs.random, {.threads = work.threads});
  for (std::size_t level = 0; level < guesses.size(); ++level) {
    const std::size_t copies = std::size_t{1} << level;
    std::vector<double> errors;
    for (const VectorGuess& guess : guesses[level]) errors.push_back(guess.best);
    band.quantities.push_back(sampled_quantity(
        fmt::format("e_opt_copies_{}", copies), {.values = errors, .range = 1},
        fmt::format(
            "E_opt of an attacker who sees {} of the same word; {} words, the posterior of each exact",
            copies == 1 ? "one released vector" : fmt::format("{} released vectors", copies),
            errors.size())));
  }
}

}  // namespace

Measurement measure_vectors(const MeasureInputs& inputs, const Work& work) {
  const MeasureQuestion& request = inputs.request;
  const ReleasedWords released =
      released_words(*inputs.mechanism.vectors, inputs.mechanism.space->model(), work.threads);
  const double products =
      static_cast<double>(request.prior.support.size()) * static_cast<double>(released.dim);
  const std::size_t draws = request.draws > 0
                                ? request.draws
                                : static_cast<std::size_t>(std::clamp(kMostAttackProducts / products,
                                                                      kFewestAttackDraws, kMostAttackDraws));
  const VectorAttacker attacker(released, request.prior);
  const Guesses guesses = attacker.guess({.count = draws}, inputs.random, work).front();

  Measurement measurement{
      .closed_law = true, .draws = draws, .bands = empty_bands(request.prior, inputs.bands)};
  for (BandMeasurement& band : measurement.bands) {
    const bool overall = band.name == "all";
    const auto counts = [&](WordId word) {
      return overall || inputs.bands.of[index_of(word)] == band_index(inputs.bands, band.name);
    };
    if (overall) {
      band.quantities.push_back(
          exact_quantity("constant_guess", request.prior.constant_guess(), meaning_of("constant_guess")));
    }
    add(band, "e_opt", guesses, &VectorGuess::best, counts);
    add(band, "e_post", guesses, &VectorGuess::posterior, counts);
    add(band, "e_nearest", guesses, &VectorGuess::nearest, counts);
  }
  BandMeasurement& overall = measurement.bands.front();
  // Its length is Gamma(dim, scale).
  overall.quantities.push_back(exact_quantity(
      "noise_length", static_cast<double>(released.dim) * released.scale, meaning_of("noise_length")));
  if (inputs.labels() != nullptr) add_labels(inputs, released, draws, overall, work);
  if (request.extent == MeasureQuestion::Extent::all && request.copies > 0) {
    add_copies(inputs, attacker, draws, overall, work);
  }
  return measurement;
}

}  // namespace sotto
