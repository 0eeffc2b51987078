#include "mechanism_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sotto/mechanism.h"

namespace sotto::cli {

namespace {

std::string range_text(const Parameter& parameter) {
  const bool has_min = std::isfinite(parameter.min);
  const bool has_max = std::isfinite(parameter.max);
  std::string text;
  if (has_min && has_max && parameter.includes_min && parameter.includes_max) {
    text = fmt::format("{} to {}", number_text(parameter.min), number_text(parameter.max));
  } else {
    std::vector<std::string> bounds;
    if (has_min) {
      bounds.push_back((parameter.includes_min ? "at least " : "above ") + number_text(parameter.min));
    }
    if (has_max) {
      bounds.push_back((parameter.includes_max ? "at most " : "below ") + number_text(parameter.max));
    }
    text = bounds.empty() ? "any number" : fmt::format("{}", fmt::join(bounds, " and "));
  }
  return parameter.allows_infinity ? text + ", or inf" : text;
}

std::string owners(std::string_view parameter_name) {
  std::vector<std::string_view> names;
  for (const MechanismInfo& info : mechanisms()) {
    const auto owns = [&](const Parameter& parameter) { return parameter.name == parameter_name; };
    if (std::ranges::any_of(info.parameters, owns)) names.push_back(info.name);
  }
  return names.size() == mechanisms().size() ? "every mechanism" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string allowed_values(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::choice:
      return fmt::format("{}", fmt::join(parameter.choices, " | "));
    case Parameter::Kind::flag:
      return "a switch";
    case Parameter::Kind::integer:
      return "a whole number, " + range_text(parameter);
    case Parameter::Kind::numbers:
      return "numbers separated by commas, each " + range_text(parameter);
    case Parameter::Kind::number:
      break;
  }
  return range_text(parameter);
}

std::string placeholder(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::choice:
      return "NAME";
    case Parameter::Kind::flag:
      return "";
    case Parameter::Kind::integer:
      return "INTEGER";
    case Parameter::Kind::numbers:
      return "NUMBERS";
    case Parameter::Kind::number:
      break;
  }
  return "NUMBER";
}

std::string presence_text(const Parameter& parameter) {
  if (parameter.presence == Parameter::Presence::required) return "required";
  if (!parameter.default_text.empty()) return fmt::format("default {}", parameter.default_text);
  return parameter.kind == Parameter::Kind::flag ? "off by default" : "optional";
}

std::vector<MechanismFlag> mechanism_flags() {
  std::vector<MechanismFlag> flags;
  for (const MechanismInfo& info : mechanisms()) {
    for (const Parameter& parameter : info.parameters) {
      const auto same = [&](const MechanismFlag& flag) { return flag.name == parameter.name; };
      if (std::ranges::any_of(flags, same)) continue;
      flags.push_back({std::string(parameter.name), placeholder(parameter),
                       fmt::format("{} ({}; {}) [{}]", parameter.help, allowed_values(parameter),
                                   presence_text(parameter), owners(parameter.name))});
    }
  }
  return flags;
}

}  // namespace sotto::cli
