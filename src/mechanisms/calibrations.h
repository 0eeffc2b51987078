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
    {"paper", "the bound of the theorem, for every vocabulary (slope epsilon / 2)"},
    {"exact", "the bound certified on this vocabulary, with the steepest slope that keeps it"},
    {"flat", "the same as exact, with weights on the words that allow a steeper slope", true},
});

constexpr std::string_view calibration_name(Calibration calibration) {
  return kCalibrations[static_cast<std::size_t>(calibration)].name;
}

// Of the mechanisms whose law a calibration may choose.
extern const Parameter kCalibrationParameter;
Calibration read_calibration(const Parameters& parameters);

}  // namespace sotto
