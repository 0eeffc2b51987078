#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/parameters.h"

namespace sotto {

// A report from outside, read without trust: what is missing or of another type is empty.
using ReportJson = nlohmann::ordered_json;

// Throws Error(bad_data), which does not quote it, on what is no JSON object, too long, too deep, or gives a
// name twice (readers would differ on what it says).
ReportJson parse_report(std::string_view text);

// null where there is none.
const ReportJson& field(const ReportJson& json, std::string_view name);
bool is_null(const ReportJson& json, std::string_view name);  // there, and null
std::optional<std::string> text_field(const ReportJson& json, std::string_view name);
std::optional<double> number_field(const ReportJson& json, std::string_view name);
std::optional<std::uint64_t> count_field(const ReportJson& json, std::string_view name);
// Empty if it is not an object of texts.
std::optional<ParameterTexts> texts_field(const ReportJson& json, std::string_view name);

// Equal to nine digits; and not below.
bool is_near(double one, double other);
bool is_at_least(double stated, double recomputed);

}  // namespace sotto
