#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lab/points.h"
#include "lab/run.h"
#include "sotto/parameters.h"

namespace sotto::lab {

// A curve of the figures: one mechanism at several epsilons. A baseline has none.
struct TemSeries {
  std::string name;  // "tem exact"
  std::string mechanism;
  ParameterTexts parameters = {};  // without epsilon
  std::vector<double> epsilons = {};
  std::string part = {};  // what --part names
  [[nodiscard]] bool is_baseline() const { return epsilons.empty(); }
};

struct TemSettings {
  std::vector<TemSeries> series;
  std::size_t half;  // most documents of TR1, TR2, TE1 and TE2, each
  std::size_t epochs;
  std::size_t batch;
  std::size_t trials;
  std::size_t draws;  // for E_opt, where there is no closed law
  // What is measured now. The report has every point that is there.
  // Names of parts, or names with one epsilon ("paper:5"). Empty: all.
  std::vector<std::string> parts = {};
};
TemSettings tem_settings(Extent extent);
// The settings of a request: its number of trials and its parts. An epsilon that a part names is added to the
// series. Throws Error(usage) if it is not a number above 0.
TemSettings tem_settings(const RunRequest& request);

// One point of one curve.
struct TemPlace {
  const TemSeries* series;
  std::string epsilon;  // as in the CSV files; "none" for a baseline
};
std::vector<TemPlace> places_of(const TemSettings& settings);
// Of these, the ones that are measured now.
std::vector<TemPlace> wanted_places(const TemSettings& settings);
// The texts that build its mechanism.
ParameterTexts parameters_of(const TemPlace& place);

// points.csv: each trial of each place. mechanisms.csv: what is known of the mechanism of each place.
Points::Layout tem_points_layout();
Points::Layout tem_mechanisms_layout();

// The experiment with settings other than those of the program, for tests.
void run_tem(const RunRequest& request, const TemSettings& settings);

}  // namespace sotto::lab
