#include "shared/mechanism_flags.h"

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

// What one name means to the mechanisms that have it: mostly the same, sometimes not.
struct Meaning {
  const Parameter* parameter;
  std::vector<std::string_view> owners;
};

std::string help_of(const std::vector<Meaning>& meanings) {
  constexpr std::size_t kFew = 2;
  std::string help;
  if (meanings.size() <= kFew) {
    for (const Meaning& meaning : meanings) {
      help += fmt::format("{}{} ({}; {}) [{}]", help.empty() ? "" : "; ", meaning.parameter->help,
                          allowed_values(*meaning.parameter), presence_text(*meaning.parameter),
                          fmt::join(meaning.owners, ", "));
    }
    return help;
  }
  // The first stands for all.
  std::vector<std::string_view> owners;
  for (const Meaning& meaning : meanings) {
    owners.insert(owners.end(), meaning.owners.begin(), meaning.owners.end());
  }
  const Parameter& first = *meanings.front().parameter;
  return fmt::format("{} ({}; {}) [{}; what it means for each: `sotto mechanisms NAME`]", first.help,
                     allowed_values(first), presence_text(first), fmt::join(owners, ", "));
}

}  // namespace

std::string allowed_values(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::choice:
      return fmt::format("{}", fmt::join(parameter.choices, " | "));
    case Parameter::Kind::flag:
      return "a switch";
    case Parameter::Kind::text:
      return "a printable text";
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
    case Parameter::Kind::text:
      return "TEXT";
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

std::vector<MechanismFlag> mechanism_flags(const MechanismInfo& example) {
  std::vector<std::pair<const Parameter*, std::vector<Meaning>>> found;
  for (const MechanismInfo& info : mechanisms()) {
    for (const Parameter& parameter : info.parameters) {
      auto flag =
          std::ranges::find(found, parameter.name, [](const auto& entry) { return entry.first->name; });
      if (flag == found.end()) flag = found.insert(found.end(), {&parameter, {}});
      if ((info.build == nullptr) != (example.build == nullptr)) continue;
      const auto same = [&](const Meaning& meaning) { return meaning.parameter->help == parameter.help; };
      const auto meaning = std::ranges::find_if(flag->second, same);
      if (meaning == flag->second.end()) {
        flag->second.push_back({&parameter, {info.name}});
      } else {
        meaning->owners.push_back(info.name);
      }
    }
  }
  std::vector<MechanismFlag> flags;
  flags.reserve(found.size());
  for (const auto& [parameter, meanings] : found) {
    flags.push_back(
        {std::string(parameter->name), placeholder(*parameter), meanings.empty() ? "" : help_of(meanings)});
  }
  return flags;
}

}  // namespace sotto::cli
