#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lab/statistics.h"
#include "lab/tem/report.h"

namespace sotto::lab {

// The trials of one place, and its mechanism.
struct TemResult {
  const TemSeries* series = nullptr;
  double epsilon = 0;  // nominal; NaN of a baseline
  std::vector<Points::Row> trials = {};
  Points::Row mechanism = {};  // no values: not measured
};

// The finished points, arranged for figures and tables.
class TemResults {
 public:
  TemResults(const TemSettings& settings, const TemTables& tables);

  [[nodiscard]] std::span<const TemResult> all() const { return results_; }
  [[nodiscard]] std::vector<const TemResult*> of(const TemSeries& series) const;
  // Of a column of points.csv.
  [[nodiscard]] TrialMean mean(const TemResult& result, std::string_view column) const;
  // Of a column of mechanisms.csv; NaN if there is none.
  [[nodiscard]] double known(const TemResult& result, std::string_view column) const;

  // A column of the points of one series at a value `x` of a column of mechanisms.csv: each trial's curve is
  // followed between its two neighbouring points along a straight line, then the trials are averaged. Empty
  // outside the curve.
  struct Reading {
    std::string_view x_column;
    std::string_view y_column;
    double x;
  };
  [[nodiscard]] std::optional<TrialMean> read_off(const TemSeries& series, const Reading& reading) const;

 private:
  TemTables tables_;
  std::vector<TemResult> results_;
};

}  // namespace sotto::lab
