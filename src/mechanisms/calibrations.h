#pragma once
#include <array>
#include <string_view>

#include "sotto/mechanism.h"

namespace sotto {

// One row of the table of calibrations. Its number is the value of Calibration, and that of its search in the
// table of certify/calibration.cpp. New rows are added at the end; they need no enumerator.
struct CalibrationInfo {
  std::string_view name;
  std::string_view help;     // what epsilon then means
  bool has_weights = false;  // the law has base weights
};
inline constexpr auto kCalibrations = std::to_array<CalibrationInfo>({
    {"paper", "the theorem's, slope epsilon / 2"},
    {"exact", "certified on this vocabulary, the steepest slope that keeps to it"},
    {"flat", "certified, with weights on the words that even out the rows", true},
});

constexpr std::string_view calibration_name(Calibration calibration) {
  return kCalibrations[static_cast<std::size_t>(calibration)].name;
}

// Of the mechanisms whose law a calibration may choose.
extern const Parameter kCalibrationParameter;
Calibration read_calibration(const Parameters& parameters);

}  // namespace sotto
