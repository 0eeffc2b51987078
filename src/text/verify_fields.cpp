#include "text/verify_fields.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "sotto/error.h"
#include "text/verify.h"

namespace sotto {

namespace {

constexpr int kDeepestReport = 16;
constexpr double kTolerance = 1e-9;

[[noreturn]] void not_a_report(const char* reason) {
  throw Error(ErrorCode::bad_data, std::string("this is not a report of Sotto: ") + reason);
}

}  // namespace

ReportJson parse_report(std::string_view text) {
  if (text.size() > kLargestReport) not_a_report("it is larger than 1 MB");
  std::vector<std::set<std::string>> names;
  const auto guard = [&](int depth, ReportJson::parse_event_t event, ReportJson& parsed) {
    if (depth > kDeepestReport) not_a_report("it is nested too deeply");
    if (event == ReportJson::parse_event_t::object_start) names.emplace_back();
    if (event == ReportJson::parse_event_t::object_end) names.pop_back();
    if (event == ReportJson::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second) {
      not_a_report("a name is given twice in one object");
    }
    return true;
  };
  try {
    ReportJson report = ReportJson::parse(text, guard);
    if (!report.is_object()) not_a_report("it is not a JSON object");
    return report;
  } catch (const ReportJson::exception&) {  // its message quotes the input
    not_a_report(
        "it cannot be read as JSON (the page FILE.html of a release is for people: give its report "
        "FILE.json)");
  }
}

const ReportJson& field(const ReportJson& json, std::string_view name) {
  static const ReportJson kNothing = nullptr;
  if (!json.is_object()) return kNothing;
  const auto found = json.find(std::string(name));
  return found == json.end() ? kNothing : *found;
}

bool is_null(const ReportJson& json, std::string_view name) {
  return json.is_object() && json.contains(std::string(name)) && field(json, name).is_null();
}

std::optional<std::string> text_field(const ReportJson& json, std::string_view name) {
  const ReportJson& found = field(json, name);
  return found.is_string() ? std::optional(found.get<std::string>()) : std::nullopt;
}

std::optional<double> number_field(const ReportJson& json, std::string_view name) {
  const ReportJson& found = field(json, name);
  return found.is_number() ? std::optional(found.get<double>()) : std::nullopt;
}

std::optional<std::uint64_t> count_field(const ReportJson& json, std::string_view name) {
  const ReportJson& found = field(json, name);
  return found.is_number_unsigned() ? std::optional(found.get<std::uint64_t>()) : std::nullopt;
}

std::optional<ParameterTexts> texts_field(const ReportJson& json, std::string_view name) {
  const ReportJson& found = field(json, name);
  if (!found.is_object()) return std::nullopt;
  ParameterTexts texts;
  for (const auto& [key, value] : found.items()) {
    if (!value.is_string()) return std::nullopt;
    texts[key] = value.get<std::string>();
  }
  return texts;
}

bool is_near(double one, double other) {
  return std::abs(one - other) <= kTolerance * std::max(std::abs(one), std::abs(other));
}

bool is_at_least(double stated, double recomputed) {
  return stated >= recomputed || is_near(stated, recomputed);
}

}  // namespace sotto
