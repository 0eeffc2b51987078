// sotto mechanisms: the registry, for people, programs and docs/mechanisms.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/mechanism_flags.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Lists the mechanisms: parameters with defaults and ranges, slope of the law as a
function of epsilon, guarantee, status (proven, refuted, not_private) and caveat.

Usage: sotto mechanisms [NAME] [--json | --markdown])";

struct MechanismsArguments {
  std::string name;  // empty: all
  bool json = false;
  bool markdown = false;
};

std::optional<MechanismsArguments> parse(Words words) {
  MechanismsArguments out;
  CommandLine command("mechanisms", kHelp);
  command.text("name", out.name, "NAME", "");
  command.flag("--json", out.json, kJsonHelp);
  command.flag("--markdown", out.markdown, "as Markdown (docs/mechanisms.md is made so)");
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  if (out.json && out.markdown) throw Error(ErrorCode::usage, "choose one of --json and --markdown");
  return out;
}

using Rows = std::span<const MechanismInfo>;

std::string_view kind_name(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::number:
      return "number";
    case Parameter::Kind::integer:
      return "integer";
    case Parameter::Kind::choice:
      return "choice";
    case Parameter::Kind::numbers:
      return "numbers";
    case Parameter::Kind::flag:
      return "flag";
    case Parameter::Kind::text:
      return "text";
  }
  return "";
}

// JSON has no infinity: a bound that is not there is null.
Json bound(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Parameter& parameter) {
  Json out;
  out["name"] = parameter.name;
  out["help"] = parameter.help;
  out["kind"] = kind_name(parameter.kind);
  out["required"] = parameter.presence == Parameter::Presence::required;
  out["default"] = parameter.default_text.empty() ? Json(nullptr) : Json(parameter.default_text);
  out["allowed"] = allowed_values(parameter);
  if (parameter.kind == Parameter::Kind::choice) {
    out["choices"] = std::vector<std::string>(parameter.choices.begin(), parameter.choices.end());
  } else if (parameter.kind != Parameter::Kind::flag && parameter.kind != Parameter::Kind::text) {
    out["min"] = bound(parameter.min);
    out["max"] = bound(parameter.max);
    out["includes_min"] = parameter.includes_min;
    out["includes_max"] = parameter.includes_max;
    out["allows_infinity"] = parameter.allows_infinity;
  }
  return out;
}

Json to_json(const MechanismInfo& info) {
  Json out;
  out["name"] = info.name;
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
  for (const Parameter& parameter : info.parameters) out["parameters"].push_back(to_json(parameter));
  return out;
}

std::string alias_text(const Alias& alias) {
  std::string out = fmt::format("{}: {}", alias.name, alias.note);
  for (const Preset& preset : alias.presets) {
    out += fmt::format(" (fixes --{} {})", preset.parameter, preset.value);
  }
  return out;
}

std::string as_text(const MechanismInfo& info) {
  constexpr std::size_t kColumn = 14;
  const std::size_t width = std::clamp<std::size_t>(terminal_width(Stream::output), 60, 106);
  std::string out = fmt::format("{}: {}\n", info.name, info.title);
  const auto row = [&](std::string_view label, std::string_view text) {
    if (!text.empty()) out += fmt::format("  {:<{}}{}\n", label, kColumn - 2, wrapped(text, width, kColumn));
  };
  for (const Alias& alias : info.aliases) row("also", alias_text(alias));
  row("paper", info.paper);
  row("guarantee", info.guarantee);
  row("slope", info.slope);
  row("status", status_name(info.status));
  row("caveat", info.caveat);
  for (const Parameter& parameter : info.parameters) {
    const std::string value = placeholder(parameter);
    out += fmt::format("  --{}{}{}: {}; {}\n", parameter.name, value.empty() ? "" : " ", value,
                       allowed_values(parameter), presence_text(parameter));
    row("", parameter.help);
  }
  return out;
}

// `|` would end a cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string as_markdown(Rows rows) {
  std::string out =
      "# Mechanisms\n\nMade by `sotto mechanisms --markdown` from the registry; do not edit by hand.\n\n"
      "| name | guarantee that holds | slope | status |\n|---|---|---|---|\n";
  for (const MechanismInfo& info : rows) {
    out += fmt::format("| [`{0}`](#{0}) | {1} | {2} | {3} |\n", info.name, cell(info.guarantee),
                       cell(info.slope), status_name(info.status));
  }
  for (const MechanismInfo& info : rows) {
    out += fmt::format("\n## {}\n\n{}. {}.\n\n", info.name, info.title, info.paper);
    for (const Alias& alias : info.aliases) out += fmt::format("- Also called {}\n", alias_text(alias));
    out += fmt::format("- Guarantee: {}\n- Slope: {}\n- Status: {}\n", info.guarantee, info.slope,
                       status_name(info.status));
    if (!info.caveat.empty()) out += fmt::format("- Caveat: {}\n", info.caveat);
    out += "\n| flag | allowed | default | what it is |\n|---|---|---|---|\n";
    for (const Parameter& parameter : info.parameters) {
      const bool required = parameter.presence == Parameter::Presence::required;
      out += fmt::format("| `--{}` | {} | {} | {} |\n", parameter.name, cell(allowed_values(parameter)),
                         required ? "required" : cell(parameter.default_text), cell(parameter.help));
    }
  }
  return out;
}

}  // namespace

int run_mechanisms(Words words) {
  const std::optional<MechanismsArguments> parsed = parse(words);
  if (!parsed) return kDone;
  const MechanismsArguments& arguments = *parsed;
  const Rows rows =
      arguments.name.empty() ? mechanisms() : Rows(&find_mechanism(arguments.name), std::size_t{1});
  if (arguments.markdown) {
    print(as_markdown(rows));
  } else if (arguments.json) {
    Json answer = start_answer("sotto.mechanisms/1");
    answer["mechanisms"] = Json::array();
    for (const MechanismInfo& info : rows) answer["mechanisms"].push_back(to_json(info));
    print_answer(answer);
  } else {
    std::string text;
    for (const MechanismInfo& info : rows) text += (text.empty() ? "" : "\n") + as_text(info);
    print(text);
  }
  return kDone;
}

}  // namespace sotto::cli
