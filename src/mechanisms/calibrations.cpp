#include "mechanisms/calibrations.h"

#include <algorithm>

namespace sotto {
namespace {

constexpr auto kNames = [] {
  std::array<std::string_view, kCalibrations.size()> names;
  std::ranges::transform(kCalibrations, names.begin(), &CalibrationInfo::name);
  return names;
}();

// Put together by the compiler: parameters of other files are copies of this one, made before main().
struct Help {
  std::array<char, 2000> text = {};
  std::size_t size = 0;
  constexpr Help& add(std::string_view more) {
    for (const char c : more) text.at(size++) = c;
    return *this;
  }
};
constexpr Help kHelp = [] {
  Help help;
  help.add("what epsilon bounds. ");
  for (const CalibrationInfo& info : kCalibrations) {
    if (&info != &kCalibrations.front()) help.add("; ");
    help.add(info.name).add(": ").add(info.help);
  }
  return help;
}();

}  // namespace

constinit const Parameter kCalibrationParameter = {.name = "calibration",
                                                   .help = {kHelp.text.data(), kHelp.size},
                                                   .kind = Parameter::Kind::choice,
                                                   .default_text = kNames.front(),
                                                   .choices = kNames};

Calibration read_calibration(const Parameters& parameters) {
  const auto* const found =
      std::ranges::find(kCalibrations, parameters.text("calibration"), &CalibrationInfo::name);
  return static_cast<Calibration>(found - kCalibrations.begin());
}

}  // namespace sotto
