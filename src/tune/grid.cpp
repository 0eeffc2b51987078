#include "tune/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mechanisms/build.h"
#include "mechanisms/calibrations.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kScaleWords = 64;
// Words up to which mechanisms that compare all pairs each time they are built are tried unasked.
constexpr std::size_t kAllPairsWords = 5000;
constexpr double kSmallestRatio = 1.02;  // of neighbouring epsilons
constexpr double kWidest = 100;          // the largest epsilon over the smallest: nobody looks beyond
constexpr double kStep = 0.01;           // a change worth following: of E_opt, and of L as part of the whole
constexpr double kJump = 0.12;           // of E_opt between neighbours, without constraints

bool builds(const std::shared_ptr<const Model>& model, const Candidate& candidate, std::string& reason) {
  try {
    (void)build_uncertified(candidate.mechanism, model, candidate.parameters);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage && error.code() != ErrorCode::bad_data) throw;
    reason = error.what();
    return false;
  }
}

// The smallest epsilon that can be built, where small ones cannot (gumbel-topk), to 0.1%. Empty: none can.
std::optional<double> floor_of(const Family& family, const std::shared_ptr<const Model>& model,
                               std::string& reason) {
  constexpr double kLargest = 1e6;
  // Calibrations are found later, and take every epsilon that the paper's takes.
  if (family.base.parameters.contains("calibration")) return 0;
  double low = 1;
  if (builds(model, family.at(low), reason)) return 0;
  double high = 2;
  while (high <= kLargest && !builds(model, family.at(high), reason)) low = std::exchange(high, 2 * high);
  if (high > kLargest) return std::nullopt;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (builds(model, family.at(middle), reason) ? high : low) = middle;
  }
  return high;
}

std::vector<Candidate> variants_of(const MechanismInfo& info, const TuneScope& scope) {
  const std::string name(info.name);
  std::vector<Candidate> out;
  for (const Preset& variant : info.tuning.variants) {
    out.push_back(
        {.mechanism = name, .parameters = {{std::string(variant.parameter), std::string(variant.value)}}});
  }
  if (!out.empty()) return out;
  const bool is_calibrated = info.law_request != nullptr;
  for (const std::string& calibration : is_calibrated ? scope.calibrations : std::vector<std::string>{""}) {
    out.push_back({.mechanism = name});
    // The default stays unwritten: it is what a user would type.
    if (is_calibrated && calibration != kCalibrationParameter.default_text) {
      out.back().parameters["calibration"] = calibration;
    }
  }
  return out;
}

bool is_wanted(const MechanismInfo& info, const TuneScope& scope) {
  if (!scope.mechanisms.empty()) {
    return std::ranges::any_of(
        scope.mechanisms, [&](const std::string& name) { return find_mechanism(name).name == info.name; });
  }
  return info.build != nullptr && (info.status == Status::proven || info.tuning.even_unproven);
}

bool has_epsilon(const MechanismInfo& info) {
  return std::ranges::find(info.parameters, "epsilon", &Parameter::name) != info.parameters.end();
}

double change(const TunePoint& a, const TunePoint& b, UtilityLoss loss) {
  // The high end: the low end of a bracket moves with its own bias.
  const double error =
      std::abs(a.bounds("e_opt").value_or(Bounds{}).high - b.bounds("e_opt").value_or(Bounds{}).high);
  const double one = a.middle(loss_quantity(loss)).value_or(0);
  const double other = b.middle(loss_quantity(loss)).value_or(0);
  const double scale = loss == UtilityLoss::distance ? std::max({one, other, 1e-12}) : 1;
  return std::max(error, std::abs(one - other) / scale);
}

double between(const Family& family, double low, double high) {
  return rounded_epsilon(family, family.floor + std::sqrt((low - family.floor) * (high - family.floor)));
}

// Whether a setting between two neighbours may be better than the best so far, on the pessimistic ends. Along
// a curve E_opt and L both fall as epsilon grows.
bool is_promising(const Tradeoff& below, const Tradeoff& above, const Constraints& constraints,
                  const std::optional<Tradeoff>& best) {
  if (!best) return true;
  return aim_of(constraints) == Aim::largest_error ? below.error.low > best->error.low
                                                   : above.loss.high < best->loss.high;
}

}  // namespace

Candidate Family::at(double epsilon) const {
  Candidate out = base;
  if (has_epsilon) out.parameters["epsilon"] = number_text(epsilon);
  return out;
}

std::vector<Family> families_of(const std::shared_ptr<const Model>& model, const TuneScope& scope,
                                std::vector<SkippedCandidate>& skipped) {
  for (const std::string& name : scope.mechanisms) {
    if (find_mechanism(name).build == nullptr) {
      throw Error(ErrorCode::usage,
                  fmt::format("{} releases vectors, not words: `sotto tune` is about words", name));
    }
    // Whatever is measured of it, it cannot be recommended: say so before the work, not after.
    if (const MechanismInfo& info = find_mechanism(name); info.status == Status::refuted) {
      throw Error(
          ErrorCode::usage,
          fmt::format("{} cannot be recommended, because its guarantee is refuted ({}): leave it out. "
                      "To measure it all the same, list its settings as candidates (`candidates` FILE)",
                      name, info.caveat));
    }
  }
  std::vector<Family> out;
  for (const MechanismInfo& info : mechanisms()) {
    if (!is_wanted(info, scope)) continue;
    for (Candidate& base : variants_of(info, scope)) {
      Family family{.base = std::move(base), .has_epsilon = has_epsilon(info)};
      std::string reason;
      if (info.costs_all_pairs && scope.mechanisms.empty() && model->size() > kAllPairsWords) {
        reason = fmt::format(
            "left out on more than {} words, since every setting compares all pairs, and its smallest "
            "epsilon "
            "is set by the closest pair; name it with `mechanisms`",
            kAllPairsWords);
      } else if (!family.has_epsilon) {
        (void)builds(model, family.base, reason);
      } else if (const auto floor = floor_of(family, model, reason)) {
        family.floor = *floor;
        reason.clear();
      }
      if (reason.empty()) {
        out.push_back(std::move(family));
      } else {
        skipped.push_back({.candidate = std::move(family.base), .reason = std::move(reason)});
      }
    }
  }
  return out;
}

double natural_epsilon(const std::shared_ptr<const Model>& model) {
  const std::size_t n = model->size();
  if (n < 2) return 1;
  const auto space = Space::make(model, Metric::euclidean);
  std::vector<double> nearest;
  std::vector<double> row(n);
  const std::size_t step = std::max<std::size_t>(1, n / kScaleWords);
  for (std::size_t w = 0; w < n; w += step) {
    space->distances_from(word_id(w), row);
    double least = std::numeric_limits<double>::infinity();
    for (const double distance : row) least = distance > 0 ? std::min(least, distance) : least;
    if (std::isfinite(least)) nearest.push_back(least);
  }
  if (nearest.empty()) return 1;
  const auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
  std::ranges::nth_element(nearest, middle);
  return std::log(static_cast<double>(n)) / *middle;
}

double rounded_epsilon(const Family& family, double epsilon) {
  const int digits = family.floor > 0 ? 5 : 3;
  return parse_number("`epsilon`", fmt::format("{:.{}g}", epsilon, digits), Infinity::refused);
}

std::vector<double> first_epsilons(const Family& family, double natural, std::optional<double> wanted) {
  if (!family.has_epsilon) return {0};
  std::vector<double> out;
  for (const double factor : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    out.push_back(rounded_epsilon(family, family.floor + factor * natural));
  }
  if (wanted && *wanted > family.floor) out.push_back(*wanted);
  return out;
}

std::vector<double> outer_epsilons(const Family& family, const Curve& curve, UtilityLoss loss) {
  std::vector<double> out;
  if (!family.has_epsilon || curve.size() < 2) return out;
  const auto epsilon = [&](std::size_t i) { return curve[i]->candidate.epsilon().value_or(0); };
  const std::size_t last = curve.size() - 1;
  const double spread = (epsilon(last) - family.floor) / (epsilon(0) - family.floor);
  if (spread >= kWidest) return out;
  const double ceiling = curve[0]->middle("constant_guess").value_or(1);
  if (change(*curve[0], *curve[1], loss) > kStep &&
      curve[0]->bounds("e_opt").value_or(Bounds{}).high < ceiling - kStep) {
    out.push_back(rounded_epsilon(family, family.floor + (epsilon(0) - family.floor) / 2));
  }
  if (change(*curve[last], *curve[last - 1], loss) > kStep) {
    out.push_back(rounded_epsilon(family, family.floor + (epsilon(last) - family.floor) * 2));
  }
  return out;
}

std::vector<double> inner_epsilons(const Family& family, const Curve& curve, UtilityLoss loss,
                                   const Constraints& constraints, const std::optional<Tradeoff>& best) {
  std::vector<double> out;
  for (std::size_t i = 0; family.has_epsilon && i + 1 < curve.size(); ++i) {
    const double low = curve[i]->candidate.epsilon().value_or(0);
    const double high = curve[i + 1]->candidate.epsilon().value_or(0);
    const auto below = tradeoff_of(*curve[i], loss);
    const auto above = tradeoff_of(*curve[i + 1], loss);
    if (!below || !above || (high - family.floor) / (low - family.floor) < kSmallestRatio) continue;
    const double middle = between(family, low, high);
    if (!(low < middle && middle < high)) continue;
    if (constraints.any()) {
      const bool flips = keeps(*curve[i], loss, constraints) != keeps(*curve[i + 1], loss, constraints);
      // Two constraints may both fail at the ends and hold between them.
      const bool hidden = constraints.max_loss && !keeps(*curve[i], loss, constraints) &&
                          !keeps(*curve[i + 1], loss, constraints) &&
                          above->loss.high <= *constraints.max_loss &&
                          below->loss.high > *constraints.max_loss;
      if ((flips || hidden) && is_promising(*below, *above, constraints, best)) out.push_back(middle);
    } else if (std::abs(*curve[i]->middle("e_opt") - *curve[i + 1]->middle("e_opt")) > kJump) {
      out.push_back(middle);
    }
  }
  return out;
}

}  // namespace sotto
