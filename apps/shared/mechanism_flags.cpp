#include "shared/mechanism_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/mechanisms.h"

namespace sotto::cli {

namespace {

// What one name means to the mechanisms that have it: mostly the same, sometimes not.
struct Meaning {
  const Parameter* parameter;
  std::vector<std::string_view> owners;
};

bool is_other_kind(const MechanismInfo& info, const MechanismInfo& example) {
  return (info.build == nullptr) != (example.build == nullptr);
}

std::vector<std::string> choices_of(const std::vector<Meaning>& meanings) {
  std::vector<std::string> choices;
  for (const Meaning& meaning : meanings) {
    for (const std::string_view choice : meaning.parameter->choices) {
      if (std::ranges::find(choices, choice) == choices.end()) choices.emplace_back(choice);
    }
  }
  return choices;
}

std::string help_of_meanings(const std::vector<Meaning>& meanings) {
  constexpr std::size_t kFew = 2;
  std::string help;
  if (meanings.size() <= kFew) {
    for (const Meaning& meaning : meanings) {
      help += fmt::format("{}{} ({}; {}) [{}]", help.empty() ? "" : "; ", meaning.parameter->help,
                          api::allowed_values(*meaning.parameter), api::presence_text(*meaning.parameter),
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
                     api::allowed_values(first), api::presence_text(first), fmt::join(owners, ", "));
}

}  // namespace

std::vector<std::string> mechanism_names(const MechanismInfo& example) {
  std::vector<std::string> names;
  for (const MechanismInfo& info : mechanisms()) {
    if (is_other_kind(info, example)) continue;
    names.emplace_back(info.name);
    for (const Alias& alias : info.aliases) names.emplace_back(alias.name);
  }
  return names;
}

std::vector<MechanismFlag> mechanism_flags(const MechanismInfo& example) {
  std::vector<std::pair<const Parameter*, std::vector<Meaning>>> found;
  for (const MechanismInfo& info : mechanisms()) {
    for (const Parameter& parameter : info.parameters) {
      auto flag =
          std::ranges::find(found, parameter.name, [](const auto& entry) { return entry.first->name; });
      if (flag == found.end()) flag = found.insert(found.end(), {&parameter, {}});
      if (is_other_kind(info, example)) continue;
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
    flags.push_back({std::string(parameter->name), api::placeholder(*parameter),
                     meanings.empty() ? "" : help_of_meanings(meanings), choices_of(meanings)});
  }
  return flags;
}

}  // namespace sotto::cli
