// truncated-gumbel: the paper's mechanism as printed. Its theorem is false.
//
// Paper: Xu, Feyisetan, Aggarwal, Xu, Teissier 2021 ("Differentially private adversarial robustness through
// randomized perturbations"), Algorithms 1 and 2.
// Idea: candidates are the word itself and its K - 1 nearest, K Poisson of mean ln n, or all n words if that
// is outside [1, n-1]; the output is the argmin of distance + noise, Gumbel of scale b conditioned on [-D,
// D], D the largest distance. Guarantee: none. The paper claims epsilon * d, but its proof reckons with the
// distribution function of the untruncated noise; the truncated one can be 0 where the proof divides by it.
// docs/proofs/truncated-gumbel.md has a vocabulary of 100 words that loses 18.84 at epsilon = 14.49. Caveat:
// it is here for comparison; gumbel-topk is the repair.
#include "mechanisms/gumbel/truncated_gumbel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/lambert_w.h"
#include "mechanisms/gumbel/truncated_gumbel_law.h"
#include "mechanisms/rows.h"
#include "sotto/error.h"

namespace sotto {

TruncatedGumbel::TruncatedGumbel(std::shared_ptr<const Space> space, const TruncatedGumbelChoice& choice)
    : candidates_(std::move(space)),
      count_(candidates_.space().size(), choice.mean_candidates),
      noise_(choice.noise) {}

void TruncatedGumbel::sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const {
  Candidates::Scratch scratch;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t k = count_.draw(rng);
    const Head& nearest = candidates_.first(in[i], k, scratch);
    double least = INFINITY;
    for (std::size_t r = 0; r < k; ++r) {
      const double noisy = nearest.distances[r] + truncated_gumbel(rng, noise_);
      if (noisy >= least) continue;
      least = noisy;
      out[i] = nearest.words[r];
    }
  }
}

std::optional<std::vector<double>> TruncatedGumbel::log_law(WordId word) const {
  // The quadrature takes steps of b / 4, and of 8 b / n where many words compete; and n for the kinks.
  const auto words = static_cast<double>(candidates_.space().size());
  const double steps = 4 * noise_.cut / noise_.scale * std::max(1.0, words / 32);
  const double most_steps =
      std::max(2 * words, 1.2e9 / (words * words));  // minutes for the rows of all words
  if (words > kLawWords || steps > most_steps) return std::nullopt;
  const Head nearest = candidates_.all(word);
  const std::vector<double> by_rank = truncated_gumbel_log_law(nearest.distances, noise_, count_);
  std::vector<double> law(by_rank.size());
  for (std::size_t r = 0; r < by_rank.size(); ++r) law[index_of(nearest.words[r])] = by_rank[r];
  return law;
}

double truncated_gumbel_scale(double epsilon, const Extremes& extremes, std::size_t words) {
  const double log_words = std::log(static_cast<double>(words));
  const double a = (epsilon - 2 * (1 + log_words) / extremes.smallest) / 3;
  if (!(a > 0)) return 0;
  return 2 * extremes.largest /
         std::min(lambert_w0(std::min(2 * a * extremes.largest, std::numeric_limits<double>::max())),
                  std::log(a * extremes.smallest));
}

namespace {

constexpr std::string_view kName = "truncated-gumbel";

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  const double epsilon = parameters.number("epsilon");
  std::shared_ptr<const Space> space = Space::make(model, parse_metric(parameters.text("metric")));
  const Extremes extremes = extremes_of_distinct_words(*space, kName);
  const double log_words = std::log(static_cast<double>(space->size()));
  const auto usable = [&](double value) {
    const double scale = truncated_gumbel_scale(value, extremes, space->size());
    return scale > 0 && std::isfinite(scale);
  };
  require_usable_epsilon({.mechanism = kName,
                          .formula = "(5 + 2 ln n) / D0",
                          .bound = (5 + 2 * log_words) / extremes.smallest,
                          .usable = usable},
                         epsilon, *space, extremes);
  const double scale = truncated_gumbel_scale(epsilon, extremes, space->size());
  auto words = std::make_shared<TruncatedGumbel>(
      space, TruncatedGumbelChoice{.noise = {.scale = scale, .cut = extremes.largest},
                                   .mean_candidates = log_words});
  return {.space = std::move(space),
          .claim = {.status = Status::refuted,
                    .epsilon = epsilon,
                    .guarantee =
                        fmt::format("None: the printed claim, {} * d per word, is false. The loss on this "
                                    "vocabulary can be computed, and may be far larger.",
                                    number_text(epsilon)),
                    .caveat = std::string(kTruncatedGumbel.caveat),
                    .arithmetic = "noise in doubles; nothing is claimed for it"},
          .words = std::move(words),
          .facts = {{"smallest distance D0", number_text(extremes.smallest)},
                    {"largest distance D", number_text(extremes.largest)},
                    {"Gumbel scale b", number_text(scale)}}};
}

const std::array kParameters = {
    epsilon_parameter("the paper's privacy parameter; it does not bound the loss. It must be above "
                      "(5 + 2 ln n) / D0, where D0 is the smallest distance between two of the n words"),
    metric_parameter("the distance between words"),
};

}  // namespace

const MechanismInfo kTruncatedGumbel = {
    .name = kName,
    .aliases = {},
    .title = "Truncated Gumbel noise on the distances of the K nearest words",
    .paper = "truncated-gumbel-2021, Algorithms 1 and 2",
    .guarantee = "no bound: the printed claim, epsilon * d, is false",
    .slope = "1 / b, where b = 2 D / min(W0(2 a D), ln(a D0)) and a = (epsilon - 2 (1 + ln n) / D0) / 3",
    .status = Status::refuted,
    .caveat = "the theorem has a counterexample (docs/proofs/truncated-gumbel.md); use gumbel-topk instead",
    .parameters = kParameters,
    .build = build,
    .costs_all_pairs = true,
};

}  // namespace sotto
