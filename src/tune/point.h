#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/utility_loss.h"
#include "sotto/forecast.h"
#include "sotto/mechanism.h"
#include "sotto/quantity.h"
#include "tune/candidate.h"

namespace sotto {

// One setting with what was measured of it.
struct TunePoint {
  Candidate candidate;
  Status status = Status::not_private;
  double nominal_epsilon = 0;
  std::optional<double> certified_epsilon = {};  // per unit of the metric; for noise, of Euclidean distance
  std::string certified_by = {};                 // "certificate", "theorem"; empty: nothing holds
  std::string metric = {};
  std::size_t draws = 0;       // 0: from the law
  bool stopped_early = false;  // after few draws: another point was clearly better in both respects
  std::vector<Quantity> quantities = {};

  [[nodiscard]] const Quantity* find(std::string_view quantity) const;
  // The ends between which the quantity lies: an interval of width 0 if it is exact; empty if it is
  // unavailable.
  [[nodiscard]] std::optional<Bounds> bounds(std::string_view quantity) const;
  // The value, or the middle of a bracket; never outside bounds().
  [[nodiscard]] std::optional<double> middle(std::string_view quantity) const;
  // Where a plot puts it: the value, or the upper end of a bracket, the error of an attack that was carried
  // out. The lower end moves with the number of draws.
  [[nodiscard]] std::optional<double> drawn(std::string_view quantity) const;
  // By the share of tokens that stay as they are, under the prior of the question.
  [[nodiscard]] Strength strength() const;
};

// E_opt and L of one point. Decisions are made on the pessimistic ends: E_opt at least error.low, L at most
// loss.high.
struct Tradeoff {
  Bounds error = {};
  Bounds loss = {};
};
// Empty where the loss is not defined (the distance of a redacted word).
std::optional<Tradeoff> tradeoff_of(const TunePoint& point, UtilityLoss loss);

}  // namespace sotto
