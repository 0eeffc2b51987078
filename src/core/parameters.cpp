#include "sotto/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

#include "core/descriptor.h"
#include "core/suggestion.h"
#include "sotto/error.h"

namespace sotto {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::usage, message);
}

std::optional<double> read_number(std::string_view text, Infinity infinity) {
  if (text == "inf" && infinity == Infinity::allowed) return std::numeric_limits<double>::infinity();
  // from_chars also takes "nan", "inf" and "infinity"; it takes no '+', no hex and no space.
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value + 0.0;  // "-0" becomes 0
}

std::optional<std::int64_t> read_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_printable(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
}

bool in_range(const Parameter& parameter, double value) {
  if (std::isinf(value)) return parameter.allows_infinity && value > 0;
  const bool above = parameter.includes_min ? value >= parameter.min : value > parameter.min;
  const bool below = parameter.includes_max ? value <= parameter.max : value < parameter.max;
  return above && below;
}

std::string range_text(const Parameter& parameter) {
  std::string text;
  if (std::isfinite(parameter.min)) {
    text +=
        fmt::format(" {} {}", parameter.includes_min ? "of at least" : "above", number_text(parameter.min));
  }
  if (std::isfinite(parameter.max)) {
    text += fmt::format("{} {} {}", text.empty() ? "" : " and", parameter.includes_max ? "at most" : "below",
                        number_text(parameter.max));
  }
  return text + (parameter.allows_infinity ? ", or inf" : "");
}

std::string allowed_text(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::number:
      return fmt::format("a{} number{}", parameter.allows_infinity ? "" : " finite", range_text(parameter));
    case Parameter::Kind::integer:
      return "a whole number" + range_text(parameter);
    case Parameter::Kind::numbers:
      return fmt::format("a list of{} numbers{}, separated by commas",
                         parameter.allows_infinity ? "" : " finite", range_text(parameter));
    case Parameter::Kind::choice:
      return fmt::format("one of {}", fmt::join(parameter.choices, ", "));
    case Parameter::Kind::flag:
      return "true or false";
    case Parameter::Kind::text:
      return "a text without control characters";
  }
  throw Error(ErrorCode::internal, "a parameter has an unknown kind");
}

// A value that parse() takes, for the "try" of a message. Empty where no number is a fair start whatever the
// owner: a required number without upper limit, such as epsilon (sotto/setting.h finds one).
std::string example_of(const Parameter& parameter) {
  if (!parameter.default_text.empty()) return std::string(parameter.default_text);
  if (parameter.kind == Parameter::Kind::flag) return "true";
  if (parameter.kind == Parameter::Kind::text) return "text";
  if (parameter.kind == Parameter::Kind::choice) {
    return parameter.choices.empty() ? "" : std::string(parameter.choices.front());
  }
  const bool is_free = parameter.presence == Parameter::Presence::required && std::isinf(parameter.max);
  if (is_free && parameter.kind == Parameter::Kind::number) return "";
  for (const double candidate : {2.0, 0.5, 10.0, parameter.min, parameter.max}) {
    const bool fits = std::isfinite(candidate) && in_range(parameter, candidate);
    const bool whole = candidate == std::floor(candidate);
    if (fits && (whole || parameter.kind != Parameter::Kind::integer)) return number_text(candidate);
  }
  return number_text(std::midpoint(parameter.min, parameter.max));
}

std::string try_text(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format("; try `{}` {}", name, value);
}

std::optional<std::string> canonical_number(const Parameter& parameter, std::string_view text) {
  const auto value = read_number(text, parameter.allows_infinity ? Infinity::allowed : Infinity::refused);
  if (!value || !in_range(parameter, *value)) return std::nullopt;
  return number_text(*value);
}

std::optional<std::string> canonical_list(const Parameter& parameter, std::string_view text) {
  std::string joined;
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto item = canonical_number(parameter, text.substr(0, comma));
    if (!item) return std::nullopt;
    joined += *item;
    if (comma == text.size()) return joined;
    joined += ',';
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::string> canonical(const Parameter& parameter, std::string_view text) {
  switch (parameter.kind) {
    case Parameter::Kind::number:
      return canonical_number(parameter, text);
    case Parameter::Kind::numbers:
      return canonical_list(parameter, text);
    case Parameter::Kind::integer: {
      const auto value = read_integer(text);
      if (!value || !in_range(parameter, static_cast<double>(*value))) return std::nullopt;
      return std::to_string(*value);
    }
    case Parameter::Kind::choice:
      if (std::ranges::find(parameter.choices, text) == parameter.choices.end()) return std::nullopt;
      return std::string(text);
    case Parameter::Kind::flag:
      if (text != "true" && text != "false") return std::nullopt;
      return std::string(text);
    case Parameter::Kind::text:
      if (text.empty() || !std::ranges::all_of(text, is_printable)) return std::nullopt;
      return std::string(text);
  }
  return std::nullopt;
}

void refuse_foreign_names(std::string_view owner, std::span<const Parameter> table,
                          const ParameterTexts& texts) {
  for (const auto& [name, text] : texts) {
    if (std::ranges::find(table, name, &Parameter::name) != table.end()) continue;
    std::vector<std::string_view> names;
    std::ranges::transform(table, std::back_inserter(names), &Parameter::name);
    const std::string_view meant = likely_name(name, names);
    refuse(fmt::format("`{}` is not a parameter of {}; {}", shown(name), owner,
                       !meant.empty()  ? fmt::format("did you mean `{}`?", meant)
                       : names.empty() ? "it has none"
                                       : fmt::format("it has `{}`", fmt::join(names, "`, `"))));
  }
}

}  // namespace

Parameters Parameters::parse(std::string_view owner, std::span<const Parameter> table,
                             const ParameterTexts& texts) {
  refuse_foreign_names(owner, table, texts);
  Parameters parsed;
  for (const Parameter& parameter : table) {
    const auto given = texts.find(parameter.name);
    if (given == texts.end() && parameter.presence == Parameter::Presence::required) {
      const std::string_view meaning =
          parameter.help.substr(0, parameter.help.find(". "));  // its first sentence
      refuse(fmt::format("{} needs `{}` ({}){}", owner, parameter.name, meaning,
                         try_text(parameter.name, example_of(parameter))));
    }
    if (given == texts.end() && parameter.default_text.empty()) continue;
    const std::string_view text = given == texts.end() ? parameter.default_text : given->second;
    const auto refusal = std::ranges::find(parameter.refusals, text, &Parameter::Refusal::value);
    if (refusal != parameter.refusals.end()) {
      refuse(fmt::format("`{}` {}: {}", parameter.name, text, refusal->reason));
    }
    auto value = canonical(parameter, text);
    if (!value) {
      const std::string_view meant = likely_name(text, parameter.choices);
      refuse(fmt::format("`{}` must be {}; got \"{}\"{}", parameter.name, allowed_text(parameter),
                         shown(text),
                         try_text(parameter.name, meant.empty() ? example_of(parameter) : meant)));
    }
    parsed.texts_.emplace(parameter.name, *std::move(value));
  }
  return parsed;
}

bool Parameters::has(std::string_view name) const {
  return texts_.contains(name);
}

const std::string& Parameters::text(std::string_view name) const {
  const auto found = texts_.find(name);
  if (found == texts_.end()) {
    throw Error(ErrorCode::internal, fmt::format("the parameter {} was read but is not set", name));
  }
  return found->second;
}

double Parameters::number(std::string_view name) const {
  return parse_number(name, text(name), Infinity::allowed);
}

std::int64_t Parameters::integer(std::string_view name) const {
  return parse_integer(name, text(name));
}

bool Parameters::flag(std::string_view name) const {
  return has(name) && text(name) == "true";
}

std::vector<double> Parameters::numbers(std::string_view name) const {
  std::vector<double> values;
  std::string_view rest = text(name);
  for (;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    values.push_back(parse_number(name, rest.substr(0, comma), Infinity::allowed));
    if (comma == rest.size()) return values;
    rest.remove_prefix(comma + 1);
  }
}

double parse_number(std::string_view what, std::string_view text, Infinity infinity) {
  if (const auto value = read_number(text, infinity)) return *value;
  refuse(fmt::format("{} must be a {}; got \"{}\"", what,
                     infinity == Infinity::allowed ? "number or inf" : "finite number", shown(text)));
}

std::int64_t parse_integer(std::string_view what, std::string_view text) {
  if (const auto value = read_integer(text)) return *value;
  refuse(fmt::format("{} must be a whole number of at most 18 digits; got \"{}\"", what, shown(text)));
}

std::string number_text(double value) {
  return fmt::format("{}", value);
}

}  // namespace sotto
