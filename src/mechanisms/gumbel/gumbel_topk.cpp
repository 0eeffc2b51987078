// gumbel-topk: a word becomes one of its K nearest words, the nearer the likelier; K is random.
//
// Paper: Xu, Feyisetan, Aggarwal, Xu, Teissier 2021 ("Differentially private adversarial robustness through
// randomized perturbations"), whose theorem is false (truncated_gumbel.cpp); this is our repair.
// Idea: the paper's candidates (the word itself and its K - 1 nearest, K Poisson of mean ln n, or all n words
// if that is outside [1, n-1]), then the argmin of distance - Gumbel noise of scale b, without truncation.
// That argmin is u with probability exp(-d(w,u)/b) / Z_K(w), so one is drawn by these weights. Guarantee:
// epsilon = 1/b + 2 ln n / D0, D0 the smallest distance between two words: all n words are candidates with
// probability 1/n at least, and 1 <= Z_K <= n because the word is its own candidate
// (docs/proofs/gumbel-topk.md). Caveat: one close pair makes D0 small, and the smallest epsilon large.
#include "mechanisms/gumbel/gumbel_topk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/bound_text.h"
#include "core/uniform.h"
#include "mechanisms/rows.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr double kLargestExponent = 700;  // exp(-700) is still a normal double

}  // namespace

GumbelTopk::GumbelTopk(std::shared_ptr<const Space> space, const GumbelTopkLaw& law)
    : candidates_(std::move(space)),
      count_(candidates_.space().size(), law.mean_candidates),
      scale_(law.scale) {}

// min(d, g) is a metric too if d is, so the proof holds as it stands; and no probability is 0, which would be
// an infinite loss.
double GumbelTopk::exponent(double distance) const {
  return std::min(distance / scale_, kLargestExponent);
}

void GumbelTopk::sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const {
  Candidates::Scratch scratch;
  std::vector<double> sums;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t k = count_.draw(rng);
    const Head& nearest = candidates_.first(in[i], k, scratch);
    sums.clear();
    double sum = 0;  // from the far end, where weights are smallest
    for (std::size_t r = k; r-- > 0;) sums.push_back(sum += std::exp(-exponent(nearest.distances[r])));
    out[i] = nearest.words[k - 1 - choose_by_sums(rng, sums)];
  }
}

std::optional<std::vector<double>> GumbelTopk::log_law(WordId word) const {
  const Head nearest = candidates_.all(word);
  const std::size_t n = nearest.words.size();
  const std::span<const double> log_few = count_.log_few();
  // The word's own weight is 1: no Z is near 0, and sums need no logarithms.
  std::vector<double> partitions(n);
  long double sum = 0;
  for (std::size_t r = 0; r < n; ++r) {
    partitions[r] = static_cast<double>(sum += std::exp(-exponent(nearest.distances[r])));
  }
  std::vector<double> law(n);
  long double share = std::exp(count_.log_all()) / partitions.back();  // sum of P(K = k) / Z_k over k > r
  for (std::size_t r = n; r-- > 0;) {
    if (r < log_few.size()) share += std::exp(log_few[r]) / partitions[r];
    law[index_of(nearest.words[r])] = std::log(static_cast<double>(share)) - exponent(nearest.distances[r]);
  }
  return law;
}

// A weight is an exponential of a rounded quotient (2 |x| 2^-53 + 1 ulp); by summing smallest first, a share
// loses at most as many units as there are items, of K and of words; P(K = k) is a product of k factors. The
// distances count as they are computed.
double GumbelTopk::rounding_bound() const {
  const auto words = static_cast<double>(candidates_.space().size());
  const auto counts = static_cast<double>(count_.log_few().size());
  return std::ldexp(words + 4 * counts + 32 + 4 * exponent(candidates_.space().diameter_bound()), -53);
}

namespace {

constexpr std::string_view kName = "gumbel-topk";

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  const double epsilon = parameters.number("epsilon");
  std::shared_ptr<const Space> space = Space::make(model, parse_metric(parameters.text("metric")));
  const Extremes extremes = extremes_of_distinct_words(*space, kName);
  const DistanceError error = space->distance_error();
  const double log_words = std::log(static_cast<double>(space->size()));
  // The exact D0 is not below this.
  const double smallest = extremes.smallest - error.at(extremes.smallest);
  const double bound = 2 * log_words / smallest;
  require_usable_epsilon({.mechanism = kName,
                          .formula = "2 ln n / D0",
                          .bound = bound,
                          .usable = [&](double value) { return value > bound; }},
                         epsilon, *space, extremes);
  const double scale = 1 / (epsilon - bound);
  auto words =
      std::make_shared<GumbelTopk>(space, GumbelTopkLaw{.scale = scale, .mean_candidates = log_words});

  // The proof takes any ranking of the candidates that begins with the word itself, so that rounding matters
  // in the two exponents of an output only.
  const double cut = std::min(space->diameter_bound(), kLargestExponent * scale);
  const double rounding = 2 * words->rounding_bound() + 2 * std::min(error.at(cut), cut) / scale;
  Claim claim{
      .status = Status::proven,
      .epsilon = epsilon,
      .guarantee = per_word_guarantee(fmt::format("{} * d", number_text(epsilon)),
                                      fmt::format("{} distance", metric_name(space->metric()))),
      .caveat = std::string(kGumbelTopk.caveat),
      .arithmetic =
          fmt::format("rounding does not weaken this noticeably: sampling is exact, and all rounding, "
                      "that of distances included, adds at most {} to the loss of a word",
                      rounded_up(rounding, 2)),
      // Tighter than epsilon D: the proof's constant 2 ln n does not grow with the distance.
      .largest_word_loss = sum_up(sum_up(next_up(extremes.largest / scale), 2 * log_words), rounding)};
  return {.space = std::move(space),
          .claim = std::move(claim),
          .words = std::move(words),
          .facts = {{"smallest distance D0", number_text(extremes.smallest)},
                    {"largest distance D", number_text(extremes.largest)},
                    {"Gumbel scale b", number_text(scale)}}};
}

const std::array kParameters = {
    epsilon_parameter("privacy loss per unit of distance; smaller is more private. It must be above "
                      "2 ln n / D0, where D0 is the smallest distance between two of the n words"),
    metric_parameter("the distance between words; epsilon is per unit of it"),
};

}  // namespace

const MechanismInfo kGumbelTopk = {
    .name = kName,
    .aliases = {},
    .title = "A random one of the K nearest words, with K random",
    .paper = "Our repair of truncated-gumbel-2021, Algorithm 2",
    .guarantee = "epsilon * d, for any true metric",
    .slope = "epsilon - 2 ln n / D0",
    .status = Status::proven,
    .caveat = "the two closest words of the model decide how small epsilon can be",
    .parameters = kParameters,
    .build = build,
    .costs_all_pairs = true,
};

}  // namespace sotto
