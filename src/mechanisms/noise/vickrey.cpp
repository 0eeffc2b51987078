// vickrey: the second (or k-th) nearest word takes its chance.
//
// Paper: Xu, Aggarwal, Feyisetan, Teissier 2021 ("On a utilitarian approach to privacy preserving text
// generation"), Algorithms 1 and 3.
// Idea: noise as in laplace or mahalanobis, then a random choice among the k words nearest to the noisy
// vector. One number t is the rule for k = 2: the first with probability (1-t) d2 / (t d1 + (1-t) d2); a list
// t_1, ..., t_k is the exponential rule with weights exp(-t_r d_r). Guarantee: that of the noise, since the
// choice sees the noisy vector only (post-processing). Caveat: line 5 of the paper's Algorithm 1 removes the
// input word from the candidates. Then an input never comes out as itself, but does come out of other words:
// an infinite loss, so no epsilon holds. The paper's own numbers do not fit line 5, which is probably a
// misprint (docs/results/vickrey.md). `exclude-input` follows line 5, and is labelled not private.
#include "mechanisms/noise/vickrey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "core/bound_text.h"
#include "core/uniform.h"
#include "mechanisms/noise/noise.h"
#include "mechanisms/rows.h"
#include "sotto/error.h"

namespace sotto {
namespace {

enum class InputWord { candidate, excluded };

class Vickrey final : public WordMechanism {
 public:
  Vickrey(NoisySearch search, std::vector<double> t, InputWord input)
      : search_(std::move(search)), t_(std::move(t)), input_(input) {}

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    const std::size_t k = std::max<std::size_t>(2, t_.size());
    const std::size_t wanted = input_ == InputWord::excluded ? k + 1 : k;
    std::vector<Neighbour> others;
    search_.find(in, wanted, rng, [&](std::size_t i, std::span<const Neighbour> nearest) {
      if (input_ == InputWord::excluded) {
        others.assign(nearest.begin(), nearest.end());
        std::erase_if(others, [&](const Neighbour& n) { return n.word == in[i]; });
        nearest = std::span(others).first(k);
      }
      const auto of_two = [&] {
        return bernoulli(rng, first_of_two(nearest, t_[0])) ? std::size_t{0} : std::size_t{1};
      };
      out[i] = nearest[t_.size() == 1 ? of_two() : choose_by_weight(nearest, rng)].word;
    });
  }
  [[nodiscard]] std::optional<double> spherical_noise() const override {
    return input_ == InputWord::candidate ? search_.spherical_noise() : std::nullopt;
  }

 private:
  [[nodiscard]] std::size_t choose_by_weight(std::span<const Neighbour> nearest, Rng& rng) const {
    std::vector<std::pair<double, std::size_t>> weights;
    double least = INFINITY;
    for (std::size_t r = 0; r < t_.size(); ++r) {
      // Finite, so that the difference of two is no NaN.
      weights.emplace_back(std::min(t_[r] * std::sqrt(nearest[r].squared), 1e300), r);
      least = std::min(least, weights.back().first);
    }
    for (auto& [weight, rank] : weights) weight = std::exp(least - weight);
    std::sort(weights.begin(), weights.end());
    std::vector<double> sums;
    sums.reserve(weights.size());
    double sum = 0;
    for (const auto& [weight, rank] : weights) sums.push_back(sum += weight);
    return weights[choose_by_sums(rng, sums)].second;
  }

  NoisySearch search_;
  std::vector<double> t_;
  InputWord input_;
};

void check_t(const std::vector<double>& t, std::size_t usable) {
  if (t.size() == 1 && !(t[0] <= 1)) {
    throw Error(ErrorCode::usage,
                fmt::format("`t` {} must be at most 1: one number is the rule for two neighbours; for "
                            "the exponential rule give k numbers, as `t` 0.5,1",
                            number_text(t[0])));
  }
  const std::size_t needed = std::max<std::size_t>(2, t.size());
  if (needed > usable) {
    throw Error(ErrorCode::usage,
                fmt::format("vickrey needs {} candidate words here, but the model offers {}; use a "
                            "larger model or a shorter `t`",
                            needed, usable));
  }
}

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  const double epsilon = parameters.number("epsilon");
  const InputWord input = parameters.flag("exclude-input") ? InputWord::excluded : InputWord::candidate;
  std::vector<double> t = parameters.numbers("t");
  check_t(t, model->size() - (input == InputWord::excluded ? 1 : 0));
  const bool elliptical = parameters.text("noise") == "mahalanobis";
  NoiseShape shape = elliptical ? NoiseShape::mahalanobis(*model, parameters.number("lambda"))
                                : NoiseShape::sphere(model->dim());
  std::shared_ptr<const Space> space = Space::make(model, Metric::euclidean);

  Claim claim{.epsilon = epsilon,
              .arithmetic =
                  "the proof is for exact arithmetic; the program computes in doubles, and what their "
                  "rounding adds to the loss is not proven"};
  if (elliptical) {
    claim.distance = norm_between_words(model, shape);
    claim.stretch = shape.euclidean_constant();
  }
  if (input == InputWord::excluded) {
    claim.status = Status::not_private;
    claim.guarantee =
        "None: a word never becomes itself, but other words can become it. So an output rules out one input "
        "for certain.";
    claim.caveat =
        "`exclude-input` follows line 5 of the paper's algorithm (probably a misprint); for comparisons only";
  } else {
    claim.status = Status::proven;
    claim.guarantee =
        per_word_guarantee(fmt::format("{} * d", number_text(epsilon)),
                           elliptical ? "regularised Mahalanobis distance" : "Euclidean distance");
    claim.caveat = std::string(kVickrey.caveat);
    claim.largest_word_loss =
        product_up(product_up(epsilon, shape.euclidean_constant()), space->diameter_bound());
  }
  return {
      .space = std::move(space),
      .claim = std::move(claim),
      .words = std::make_shared<Vickrey>(NoisySearch(model, std::move(shape), epsilon), std::move(t), input)};
}

constexpr std::string_view kNeedsNorm =
    "vickrey adds noise to vectors, which needs a distance that does not change when both move: use `metric` "
    "euclidean, or `noise` mahalanobis; tem takes every metric";
constexpr std::array<std::string_view, 1> kMetrics = {"euclidean"};
constexpr std::array<Parameter::Refusal, 5> kRefused = {{{"angular", kNeedsNorm},
                                                         {"chord", kNeedsNorm},
                                                         {"poincare", kNeedsNorm},
                                                         {"cosine", kNeedsNorm},
                                                         {"1-cosine", kNeedsNorm}}};
constexpr std::array<std::string_view, 2> kNoises = {"laplace", "mahalanobis"};
constexpr std::array<Preset, 4> kTuned = {{{"t", "0.25"}, {"t", "0.5"}, {"t", "0.75"}, {"t", "1"}}};
constexpr std::array kParameters = {
    epsilon_parameter("privacy loss per unit of distance, in the metric of `noise`; smaller is more private"),
    Parameter{
        .name = "t",
        .help =
            "one number in [0,1]: how far the choice moves from the nearest word to the second nearest (0 is "
            "exactly laplace); or a list t_1,...,t_k: the r-th nearest word has weight exp(-t_r * distance)",
        .kind = Parameter::Kind::numbers,
        .default_text = "0.5",
        .min = 0,
        .includes_min = true},
    Parameter{.name = "noise",
              .help = "shape of the noise; epsilon is per unit of its distance",
              .kind = Parameter::Kind::choice,
              .default_text = "laplace",
              .choices = kNoises},
    kLambdaParameter,
    Parameter{.name = "metric",
              .help = "the distance from the noisy vector to the candidates",
              .kind = Parameter::Kind::choice,
              .default_text = "euclidean",
              .choices = kMetrics,
              .refusals = kRefused},
    Parameter{
        .name = "exclude-input",
        .help = "never return the input word, as line 5 of the paper's algorithm says (probably a misprint). "
                "NOT PRIVATE; for comparisons only",
        .kind = Parameter::Kind::flag,
        .default_text = "false"},
};

}  // namespace

double first_of_two(std::span<const Neighbour> nearest, double t) {
  const double first = t * std::sqrt(nearest[0].squared);
  const double second = (1 - t) * std::sqrt(nearest[1].squared);
  return first + second > 0 ? second / (first + second) : 1 - t;
}

const MechanismInfo kVickrey = {
    .name = "vickrey",
    .aliases = {},
    .title = "Noise on the vector, then a random one of the nearest words",
    .paper = "vickrey-2021, Algorithms 1 and 3",
    .guarantee =
        "epsilon * d; d is the Euclidean or regularised Mahalanobis distance. No bound with `exclude-input`",
    .slope = "epsilon",
    .status = Status::proven,
    .caveat = "proven for exact arithmetic; `exclude-input`, as the paper prints it, has no guarantee",
    .parameters = kParameters,
    .build = build,
    .known_by = MechanismInfo::KnownBy::draws,
    .tuning = {.variants = kTuned},
};

}  // namespace sotto
