#include "lab/privemb/privacy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "measure/released_vectors.h"
#include "sotto/error.h"
#include "sotto/parameters.h"

namespace sotto::lab {

namespace {

constexpr int kRefinements = 1;
constexpr double kNearlyOne = 0.99;
constexpr double kLargestEpsilon = 1000;

double logit(double share) {
  const double inside = std::clamp(share, 1e-4, 1 - 1e-4);  // what some hundred draws can tell from 0 and 1
  return std::log(inside / (1 - inside));
}

double number_of(const std::string& text) {
  return parse_number("epsilon", text, Infinity::refused);
}

// Measures points of one series, each once.
class ErrorCurve {
 public:
  ErrorCurve(const PrivembLab& lab, const VectorSeries& series, Points& points)
      : lab_(lab), series_(series), points_(points) {}

  double at(const std::string& epsilon) {
    const std::vector<std::string> keys = {series_.name, epsilon};
    const auto found = points_.find(keys);
    const double error = found ? found->values[points_.value("e_opt")] : measure(keys);
    known_[number_of(epsilon)] = error;
    return error;
  }

  // All epsilons (in ascending order) from the largest down, as far as E_opt can be told from 1.
  void sweep(const std::vector<std::string>& epsilons) {
    for (std::size_t i = epsilons.size(); i > 0; --i) {
      if (at(epsilons[i - 1]) > kNearlyOne) return;
    }
  }

  // E_opt falls with epsilon: measured points on both sides of the target, then the line between their logits
  // over ln epsilon.
  std::string epsilon_of(double target) {
    while (known_.begin()->second <= target) at(number_text(known_.begin()->first / 2));
    while (known_.rbegin()->second >= target && known_.rbegin()->first < kLargestEpsilon) {
      at(number_text(known_.rbegin()->first * 2));
    }
    std::string epsilon = crossing(target);
    for (int i = 0; i < kRefinements; ++i) {
      at(epsilon);
      epsilon = crossing(target);
    }
    at(epsilon);
    return epsilon;
  }

 private:
  double measure(const std::vector<std::string>& keys) {
    const Releaser releaser = lab_.store.get(
        series_, {.epsilon = keys[1], .projection_seed = lab_.run.seed_of({"privacy projection", keys[0]})});
    // The same draws at every epsilon: the curve is then smooth.
    const Quantity error = release_error(releaser, *lab_.store.model(),
                                         lab_.run.seed_of({"privacy", keys[0]}), lab_.run.threads());
    const double noise = releaser.scale() * static_cast<double>(releaser.output_dim());
    points_.add({keys,
                 {static_cast<double>(releaser.output_dim()), releaser.scale() * number_of(keys[1]), noise,
                  *error.value, error.interval.low, error.interval.high}});
    tell(fmt::format("privacy: {} at epsilon {} has E_opt {:.3f}", keys[0], keys[1], *error.value));
    return *error.value;
  }

  [[nodiscard]] std::string crossing(double target) const {
    auto above = known_.begin();
    auto below = known_.rbegin().base();
    for (auto it = known_.begin(); it != known_.end(); ++it) {
      if (it->second >= target) above = it;
    }
    below = std::next(above);
    if (below == known_.end()) return number_text(above->first);
    const double share =
        (logit(above->second) - logit(target)) / std::max(logit(above->second) - logit(below->second), 1e-9);
    const double log_epsilon = std::log(above->first) * (1 - share) + std::log(below->first) * share;
    // Three digits: it is a name too.
    return number_text(
        parse_number("epsilon", fmt::format("{:.3g}", std::exp(log_epsilon)), Infinity::refused));
  }

  const PrivembLab& lab_;
  const VectorSeries& series_;
  Points& points_;
  std::map<double, double> known_;
};

bool is_in(const std::vector<VectorSeries>& list, const VectorSeries& series) {
  return std::ranges::any_of(list, [&](const VectorSeries& other) { return other.name == series.name; });
}

}  // namespace

Quantity release_error(const Releaser& releaser, const Model& model, std::uint64_t seed, unsigned threads) {
  // Each draw compares a vector with all words.
  constexpr double kMostProducts = 2'147'483'648.0;  // 2^31: a second or two of one core
  const Prior prior = uniform_prior(model);
  const ReleasedWords released = releaser.released(model, threads);
  const double products = static_cast<double>(model.size()) * static_cast<double>(released.dim);
  const auto draws = static_cast<std::size_t>(std::clamp(kMostProducts / products, 256.0, 4096.0));
  const auto guesses =
      VectorAttacker(released, prior)
          .guess({.count = draws}, RandomSource::seeded_not_private(seed), {.threads = threads});
  std::vector<double> errors;
  for (const VectorGuess& guess : guesses.front()) errors.push_back(guess.best);
  return sampled_quantity("e_opt_vector", {.values = errors, .range = 1},
                          "E_opt of an attacker who sees the released vector");
}

PrivacyPoints privacy_points(const Run& run) {
  return {.errors = run.points("privacy", {.keys = {"series", "epsilon"},
                                           .values = {"dimension", "sensitivity", "noise_length", "e_opt",
                                                      "e_opt_low", "e_opt_high"}}),
          .equal = run.points("equal", {.keys = {"series", "target"}, .values = {"epsilon"}})};
}

std::vector<VectorSeries> compared_series(const Model& model, const PrivembPlan& plan) {
  std::vector<VectorSeries> series = {laplace_series(), printed_series(plan.table_beta),
                                      vocabulary_series(plan.table_beta)};
  if (const auto more = orthonormal_series(model, plan.table_beta)) series.push_back(*more);
  if (const auto more = pca_series(model, plan.table_beta)) series.push_back(*more);
  return series;
}

void measure_privacy(const PrivembLab& lab, const std::vector<VectorSeries>& series,
                     const std::vector<VectorSeries>& compared, PrivacyPoints& points) {
  for (const VectorSeries& one : series) {
    // E_opt is 0, or that of a guess without any release.
    if (is_flat(one) || one.kind == VectorSeries::Kind::pure_noise) continue;
    ErrorCurve curve(lab, one, points.errors);
    curve.sweep(lab.plan.lexicon_epsilons);
    if (!is_in(compared, one)) continue;
    for (const double target : lab.plan.error_targets) {
      const std::vector<std::string> keys = {one.name, number_text(target)};
      if (points.equal.find(keys)) continue;
      points.equal.add({keys, {number_of(curve.epsilon_of(target))}});
    }
  }
}

std::vector<WordTaskPoint> equal_points(const std::vector<VectorSeries>& compared,
                                        const PrivacyPoints& points, double target) {
  std::vector<WordTaskPoint> out;
  for (const VectorSeries& series : compared) {
    const auto row = points.equal.find(std::vector{series.name, number_text(target)});
    if (row) out.push_back({series, number_text(row->values[0])});
  }
  return out;
}

}  // namespace sotto::lab
