#include "lab/vickrey/results.h"

#include <algorithm>
#include <utility>

#include "sotto/parameters.h"

namespace sotto::lab::vickrey {

std::optional<Reading> Results::task_loss(const char* trained_on, const std::string& series,
                                          const std::string& epsilon) const {
  const auto row = tables_.tasks.find(std::vector<std::string>{data_, vectors_, trained_on, series, epsilon});
  if (!row) return std::nullopt;
  const auto cell = [&](const char* column) { return row->values[tables_.tasks.value(column)]; };
  return Reading{.value = cell("loss"), .interval = {.low = cell("loss_low"), .high = cell("loss_high")}};
}

std::vector<Result> Results::curve(const std::string& series) const {
  std::vector<Result> out;
  const Points& table = tables_.privacy;
  for (const Points::Row& row : table.rows()) {
    if (row.keys[0] != data_ || row.keys[1] != vectors_ || row.keys[2] != series) continue;
    const auto cell = [&](const char* column) { return row.values[table.value(column)]; };
    const Reading labelled{.value = cell("loss"),
                           .interval = {.low = cell("loss_low"), .high = cell("loss_high")}};
    out.push_back({.epsilon = std::stod(row.keys[3]),
                   .certified_epsilon = cell("certified_epsilon"),
                   .error = {.low = cell("e_opt_low"), .high = cell("e_opt_high")},
                   .posterior = {.value = cell("e_m_plug_in_4n"),
                                 .interval = {.low = cell("e_m_low"), .high = cell("e_m_high")}},
                   .posterior_first = cell("e_m_plug_in_n"),
                   .loss = task_loss(kClean, series, row.keys[3]).value_or(labelled)});
  }
  std::ranges::sort(out, {}, &Result::epsilon);
  return out;
}

std::optional<EqualError> at_equal_error(const std::vector<Result>& curve, double Bounds::*end,
                                         double error) {
  std::vector<Result> sorted = curve;
  // Of several points with one error (0 at large epsilons) the one with the smallest epsilon comes last.
  std::ranges::sort(sorted, {},
                    [&](const Result& result) { return std::pair(result.error.*end, -result.epsilon); });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double low = sorted[i - 1].error.*end;
    const double high = sorted[i].error.*end;
    if (error < low || error > high) continue;
    const double part = high > low ? (error - low) / (high - low) : 0;
    const auto between = [&](double first, double second) { return first + part * (second - first); };
    return EqualError{.loss = between(sorted[i - 1].loss.value, sorted[i].loss.value),
                      .epsilon = between(sorted[i - 1].epsilon, sorted[i].epsilon)};
  }
  return std::nullopt;
}

}  // namespace sotto::lab::vickrey
