// sotto mechanisms: the registry, for people, programs and docs/mechanisms.md.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/mechanisms.h"
#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kMechanismsHelp[] =
    R"(List the mechanisms with their parameters, guarantee, status and caveats.

Usage: sotto mechanisms [NAME] [--json | --markdown]

  sotto mechanisms
  sotto mechanisms tem
  sotto mechanisms --json)";

constexpr char kMechanismsNotes[] =
    R"(The list has defaults and ranges of the parameters, the slope of the law as a function of
epsilon, the guarantee, the status (proven, refuted, not_private) and the caveat.

Read next: docs/mechanisms.md)";

struct MechanismsArguments {
  std::string name;  // empty: all
  bool json = false;
  bool markdown = false;
};

std::optional<MechanismsArguments> parse_mechanisms(Words words) {
  MechanismsArguments out;
  CommandLine command("mechanisms", kMechanismsHelp);
  command.footer(kMechanismsNotes);
  command.text("name", out.name, "NAME", "");
  std::vector<std::string> names;
  for (const MechanismInfo& info : mechanisms()) names.emplace_back(info.name);
  command.choices("name", std::move(names));
  command.flag("--json", out.json, kJsonHelp);
  command.flag("--markdown", out.markdown, "as Markdown (docs/mechanisms.md is made so)");
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  if (out.json && out.markdown) throw Error(ErrorCode::usage, "choose one of --json and --markdown");
  return out;
}

std::string alias_text(const Alias& alias) {
  std::string out = fmt::format("{}: {}", alias.name, alias.note);
  for (const Preset& preset : alias.presets) {
    out += fmt::format(" (fixes --{} {})", preset.parameter, preset.value);
  }
  return out;
}

std::string row_text(const MechanismInfo& info) {
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
    const std::string value = api::placeholder(parameter);
    out += fmt::format("  --{}{}{}: {}; {}\n", parameter.name, value.empty() ? "" : " ", value,
                       api::allowed_values(parameter), api::presence_text(parameter));
    row("", parameter.help);
  }
  return out;
}

std::string as_text(const api::MechanismsAnswer& answer) {
  std::string text;
  for (const MechanismInfo& info : answer.mechanisms) text += (text.empty() ? "" : "\n") + row_text(info);
  return text;
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

std::string as_markdown(const api::MechanismsAnswer& answer) {
  std::string out =
      "# Mechanisms\n\nMade by `sotto mechanisms --markdown` from the registry; do not edit by hand.\n\n"
      "The *loss* between two words is the largest change of the logarithm of an output's probability when "
      "one word is\nreplaced by the other. d is the distance between the two words. The *slope* is the rate "
      "at "
      "which the logarithm of an\noutput's probability, or of the noise's density, falls per unit of "
      "distance. "
      "[privacy.md](privacy.md) explains the\nguarantee, and [proofs](proofs/README.md) has the proofs.\n\n"
      "| name | the loss between two words is at most | slope | status |\n|---|---|---|---|\n";
  for (const MechanismInfo& info : answer.mechanisms) {
    out += fmt::format("| [`{0}`](#{0}) | {1} | {2} | {3} |\n", info.name, cell(info.guarantee),
                       cell(info.slope), status_name(info.status));
  }
  for (const MechanismInfo& info : answer.mechanisms) {
    out += fmt::format("\n## {}\n\n{}.\n\n- Source: {}\n", info.name, info.title, info.paper);
    for (const Alias& alias : info.aliases) out += fmt::format("- Also called {}\n", alias_text(alias));
    out += fmt::format("- Largest loss: {}\n- Slope: {}\n- Status: {}\n", info.guarantee, info.slope,
                       status_name(info.status));
    if (!info.caveat.empty()) out += fmt::format("- Caveat: {}\n", info.caveat);
    out += "\n| flag | allowed | default | what it is |\n|---|---|---|---|\n";
    for (const Parameter& parameter : info.parameters) {
      const bool required = parameter.presence == Parameter::Presence::required;
      out += fmt::format("| `--{}` | {} | {} | {} |\n", parameter.name, cell(api::allowed_values(parameter)),
                         required ? "required" : cell(parameter.default_text), cell(parameter.help));
    }
  }
  return out;
}

}  // namespace

int run_mechanisms(Words words) {
  const std::optional<MechanismsArguments> parsed = parse_mechanisms(words);
  if (!parsed) return kDone;
  const MechanismsArguments& arguments = *parsed;
  const api::MechanismsAnswer answer = api::list_mechanisms({.name = arguments.name});
  if (arguments.json) {
    print_answer(api::to_json(answer));
  } else {
    print(arguments.markdown ? as_markdown(answer) : as_text(answer));
  }
  return kDone;
}

}  // namespace sotto::cli
