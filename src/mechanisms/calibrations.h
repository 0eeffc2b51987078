#pragma once
#include <array>
#include <string_view>

#include "sotto/mechanism.h"

namespace sotto {

// One row of the table of calibrations, in the order of the enum. The search that finds the law of a row stands
// in the table of certify/calibration.cpp; `paper` needs none.
struct CalibrationInfo {
  Calibration calibration;
  std::string_view name;
  std::string_view help;  // what epsilon then means
  bool has_weights = false;  // the law has base weights
};
inline constexpr std::array<CalibrationInfo, 3> kCalibrations = {{
    {Calibration::paper, "paper", "the theorem's, slope epsilon / 2"},
    {Calibration::exact, "exact", "certified on this vocabulary, the steepest slope that keeps to it"},
    {Calibration::flat, "flat", "certified, with weights on the words that even out the rows", true},
}};

constexpr std::string_view calibration_name(Calibration calibration) {
  return kCalibrations[static_cast<std::size_t>(calibration)].name;
}

// Of the mechanisms whose law a calibration may choose.
extern const Parameter kCalibrationParameter;
Calibration read_calibration(const Parameters& parameters);

}  // namespace sotto
