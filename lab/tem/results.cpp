#include "lab/tem/results.h"

#include <algorithm>

#include "lab/points.h"

namespace sotto::lab {

namespace {

const Points::Row* trial_of(const TemResult& result, const std::string& number) {
  const auto found =
      std::ranges::find_if(result.trials, [&](const Points::Row& row) { return row.keys[2] == number; });
  return found == result.trials.end() ? nullptr : &*found;
}

}  // namespace

TemResults::TemResults(const TemSettings& settings, const TemTables& tables) : tables_(tables) {
  const std::vector<Points::Row> rows = tables.points.rows();
  for (const TemPlace& place : places_of(settings)) {
    TemResult result{.series = place.series};
    result.epsilon =
        place.series->is_baseline() ? kNone : parse_number("epsilon", place.epsilon, Infinity::refused);
    for (const Points::Row& row : rows) {
      if (row.keys[0] == place.series->name && row.keys[1] == place.epsilon) result.trials.push_back(row);
    }
    const std::vector<std::string> keys = {place.series->name, place.epsilon};
    if (const auto found = tables.mechanisms.find(keys)) result.mechanism = *found;
    if (!result.trials.empty()) results_.push_back(std::move(result));
  }
}

std::vector<const TemResult*> TemResults::of(const TemSeries& series) const {
  std::vector<const TemResult*> out;
  for (const TemResult& result : results_) {
    if (result.series == &series) out.push_back(&result);
  }
  return out;
}

TrialMean TemResults::mean(const TemResult& result, std::string_view column) const {
  const std::size_t index = tables_.points.value(column);
  std::vector<double> values;
  for (const Points::Row& row : result.trials) values.push_back(row.values[index]);
  return trial_mean(values);
}

double TemResults::known(const TemResult& result, std::string_view column) const {
  if (result.mechanism.values.empty()) return kNone;
  return result.mechanism.values[tables_.mechanisms.value(column)];
}

std::optional<TrialMean> TemResults::read_off(const TemSeries& series, const Reading& reading) const {
  std::vector<const TemResult*> curve = of(series);
  const auto place = [&](const TemResult* result) { return known(*result, reading.x_column); };
  std::ranges::sort(curve, {}, place);
  const std::size_t index = tables_.points.value(reading.y_column);
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    const double from = place(curve[i]);
    const double to = place(curve[i + 1]);
    if (!(from <= reading.x && reading.x <= to)) continue;
    const double share = to > from ? (reading.x - from) / (to - from) : 0;
    std::vector<double> values;
    for (const Points::Row& row : curve[i]->trials) {
      const Points::Row* other = trial_of(*curve[i + 1], row.keys[2]);
      if (other == nullptr) continue;
      values.push_back((1 - share) * row.values[index] + share * other->values[index]);
    }
    if (!values.empty()) return trial_mean(values);
  }
  return std::nullopt;
}

}  // namespace sotto::lab
