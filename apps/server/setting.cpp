#include "server/setting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/mechanisms.h"
#include "server/problem.h"
#include "sotto/error.h"

namespace sotto::server {

namespace {

using api::Json;

const MechanismInfo* find_offered(std::string_view name) {
  for (const MechanismInfo& info : mechanisms()) {
    if (info.name == name || std::ranges::find(info.aliases, name, &Alias::name) != info.aliases.end()) {
      return &info;
    }
  }
  return nullptr;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return number_text(value.get<double>());
  return value.dump();  // a whole number, true or false
}

bool is_taken(std::string_view mechanism, const ParameterTexts& texts) {
  try {
    (void)parse_setting(mechanism, texts);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Which of the parameters is at fault: the one without which the others are taken, or one that is missing.
[[noreturn]] void refuse_parameters(std::string_view mechanism, const MechanismInfo& info,
                                    const ParameterTexts& texts) {
  const auto path = [](std::string_view name) {
    return name == "epsilon" ? std::string(name) : "parameters." + std::string(name);
  };
  for (const Parameter& parameter : info.parameters) {
    if (parameter.presence == Parameter::Presence::required && !texts.contains(parameter.name)) {
      refuse_field(
          fmt::format("`{}` is missing; allowed: {}", path(parameter.name), api::allowed_values(parameter)));
    }
  }
  for (const Parameter& parameter : info.parameters) {
    const auto given = texts.find(parameter.name);
    if (given == texts.end()) continue;
    ParameterTexts others = texts;
    others.erase(std::string(parameter.name));
    if (parameter.presence == Parameter::Presence::required) others.emplace(parameter.name, "1");
    if (is_taken(mechanism, others)) {
      refuse_field(fmt::format("`{}` is not allowed; allowed: {}", path(parameter.name),
                               api::allowed_values(parameter)));
    }
  }
  refuse_field("several values of `parameters` are not allowed; GET /v1/mechanisms lists the allowed values");
}

}  // namespace

void check_proven(Status status) {
  if (status != Status::proven) {
    throw Problem{.kind = &kUnproven,
                  .detail = "the service releases only with mechanisms whose status is `proven`"};
  }
}

Setting setting_of(const Json& body, Releases releases) {
  const auto is_offered = [&](const MechanismInfo& info) {
    return releases == Releases::any || (info.build_vectors != nullptr) == (releases == Releases::vectors);
  };
  const std::string usual(releases == Releases::vectors ? std::ranges::find_if(mechanisms(), is_offered)->name
                                                        : std::string_view("tem"));
  const std::string mechanism = body.value("mechanism", usual);
  const MechanismInfo* const info = find_offered(mechanism);
  if (info == nullptr || !is_offered(*info)) {
    std::vector<std::string_view> names;
    for (const MechanismInfo& offered : mechanisms()) {
      if (is_offered(offered)) names.push_back(offered.name);
    }
    refuse_field(fmt::format("`mechanism` must be one of: {}", fmt::join(names, ", ")));
  }
  ParameterTexts texts;
  if (body.contains("epsilon")) texts["epsilon"] = text_of(body["epsilon"]);
  if (body.contains("parameters")) {
    for (const auto& [name, value] : body["parameters"].items()) {
      if (name == "epsilon") refuse_field("`epsilon` is a field of its own, not one of `parameters`");
      texts[name] = text_of(value);
    }
  }
  for (const auto& [name, value] : texts) {
    if (std::ranges::find(info->parameters, std::string_view(name), &Parameter::name) !=
        info->parameters.end()) {
      continue;
    }
    std::vector<std::string_view> names;
    for (const Parameter& parameter : info->parameters) names.push_back(parameter.name);
    refuse_field(fmt::format("`{}` has a parameter that this mechanism does not have; it has: {}",
                             name == "epsilon" ? "epsilon" : "parameters",
                             names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  try {
    return parse_setting(mechanism, texts);
  } catch (const Error&) {
    refuse_parameters(mechanism, *info, texts);
  }
}

}  // namespace sotto::server
