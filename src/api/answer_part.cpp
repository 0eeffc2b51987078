#include "api/answer_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "sotto/error.h"
#include "sotto/space.h"

namespace sotto::api {
namespace {

// Names of the parameters that differ, of those that `known` has: names from outside are not quoted.
std::string differences(const ParameterTexts& part, const ParameterTexts& known) {
  std::set<std::string> names;
  for (const auto& [name, value] : known) {
    const auto found = part.find(name);
    if (found == part.end() || found->second != value) names.insert(name);
  }
  return names.empty() ? "it names more of them" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void refuse_part(const std::string& message) {
  throw Error(ErrorCode::bad_data, message);
}

ReportJson parse_part(const PartKind& kind, const std::string& text) {
  const std::string expected =
      fmt::format("`{}` must be what `sotto {}` writes, schema {}", kind.name, kind.writer, kind.schema);
  ReportJson part;
  try {
    part = parse_report(text);
  } catch (const Error&) {
    refuse_part(expected);
  }
  if (text_field(part, "schema") != kind.schema) refuse_part(expected);
  return part;
}

PartSubject subject_of(const ReportJson& json) {
  return {.identity = text_field(field(json, "model"), "identity"),
          .mechanism = text_field(json, "mechanism"),
          .parameters = texts_field(json, "parameters")};
}

PartSubject subject_of(const Mechanism& mechanism) {
  return {.identity = mechanism.space->model().identity(),
          .mechanism = mechanism.info == nullptr ? "" : std::string(mechanism.info->name),
          .parameters = mechanism.parameters.texts()};
}

void check_same(const PartKind& kind, const ReportJson& part, const PartSubject& wanted,
                const std::string& whose) {
  const PartSubject own = subject_of(part);
  if (own.identity != wanted.identity) {
    refuse_part(
        fmt::format("`{}` is about another model than {}: their model identities differ", kind.name, whose));
  }
  if (own.mechanism != wanted.mechanism) {
    refuse_part(fmt::format("`{}` is about another mechanism than {}", kind.name, whose));
  }
  if (!own.parameters || !wanted.parameters) {
    refuse_part(fmt::format("`{}` or {} names no parameters", kind.name, whose));
  }
  if (*own.parameters != *wanted.parameters) {
    refuse_part(fmt::format("`{}` is about other parameters than {}: {}", kind.name, whose,
                            differences(*own.parameters, *wanted.parameters)));
  }
}

}  // namespace sotto::api
