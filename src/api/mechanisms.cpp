#include "api/mechanisms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace sotto::api {

namespace {

struct KindNames {
  std::string_view name;
  std::string_view placeholder;
};
KindNames kind_names(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::integer:
      return {.name = "integer", .placeholder = "INTEGER"};
    case Parameter::Kind::choice:
      return {.name = "choice", .placeholder = "NAME"};
    case Parameter::Kind::numbers:
      return {.name = "numbers", .placeholder = "NUMBERS"};
    case Parameter::Kind::flag:
      return {.name = "flag", .placeholder = ""};
    case Parameter::Kind::text:
      return {.name = "text", .placeholder = "TEXT"};
    case Parameter::Kind::number:
      break;
  }
  return {.name = "number", .placeholder = "NUMBER"};
}

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

Json parameter_json(const Parameter& parameter) {
  Json out;
  out["name"] = parameter.name;
  out["help"] = parameter.help;
  out["kind"] = kind_names(parameter.kind).name;
  out["required"] = parameter.presence == Parameter::Presence::required;
  out["default"] = parameter.default_text.empty() ? Json(nullptr) : Json(parameter.default_text);
  out["allowed"] = allowed_values(parameter);
  if (parameter.kind == Parameter::Kind::choice) {
    out["choices"] = std::vector<std::string>(parameter.choices.begin(), parameter.choices.end());
  } else if (parameter.kind != Parameter::Kind::flag && parameter.kind != Parameter::Kind::text) {
    out["min"] = finite_or_null(parameter.min);
    out["max"] = finite_or_null(parameter.max);
    out["includes_min"] = parameter.includes_min;
    out["includes_max"] = parameter.includes_max;
    out["allows_infinity"] = parameter.allows_infinity;
  }
  return out;
}

Json row_json(const MechanismInfo& info) {
  Json out;
  out["name"] = info.name;
  out["kind"] = info.build != nullptr ? "words" : "vectors";
  out["aliases"] = Json::array();
  for (const Alias& alias : info.aliases) {
    Json presets = Json::object();
    for (const Preset& preset : alias.presets) presets[std::string(preset.parameter)] = preset.value;
    out["aliases"].push_back({{"name", alias.name}, {"note", alias.note}, {"presets", presets}});
  }
  out["title"] = info.title;
  out["paper"] = info.paper;
  out["guarantee"] = info.guarantee;
  out["slope"] = info.slope;
  out["status"] = status_name(info.status);
  out["caveat"] = info.caveat;
  out["parameters"] = Json::array();
  for (const Parameter& parameter : info.parameters) out["parameters"].push_back(parameter_json(parameter));
  return out;
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
  return std::string(kind_names(parameter.kind).placeholder);
}

std::string presence_text(const Parameter& parameter) {
  if (parameter.presence == Parameter::Presence::required) return "required";
  if (!parameter.default_text.empty()) return fmt::format("default {}", parameter.default_text);
  return parameter.kind == Parameter::Kind::flag ? "off by default" : "optional";
}

MechanismsAnswer list_mechanisms(const MechanismsRequest& request) {
  if (request.name.empty()) return {.mechanisms = mechanisms()};
  return {.mechanisms = {&find_mechanism(request.name), 1}};
}

Json to_json(const MechanismsAnswer& answer) {
  Json out = start_answer("sotto.mechanisms/1");
  out["mechanisms"] = Json::array();
  for (const MechanismInfo& info : answer.mechanisms) out["mechanisms"].push_back(row_json(info));
  return out;
}

}  // namespace sotto::api
