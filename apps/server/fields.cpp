#include "server/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/suggestion.h"
#include "server/problem.h"

namespace sotto::server {

namespace {

using api::Json;
using Kind = Field::Kind;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

[[noreturn]] void refuse_foreign(std::string_view given, std::span<const Field> table,
                                 const std::string& path) {
  constexpr std::size_t kLongest = 64;  // a longer name is no slip
  std::vector<std::string_view> names;
  for (const Field& field : table) names.push_back(field.name);
  refuse_field(fmt::format("{} has a field that does not exist; the fields are: {}{}",
                           path.empty() ? "the request" : "`" + path + "`",
                           names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                           given.size() > kLongest ? "" : suggestion(given, names)));
}

std::string range_text(const Field& field, std::string_view unit) {
  if (field.most == kNoLimit) return fmt::format("at least {}{}", field.least, unit);
  return fmt::format("{} to {}{}", field.least, field.most, unit);
}

void check_size(const Field& field, const std::string& path, std::size_t size, std::string_view unit) {
  if (size < field.least || size > field.most) {
    refuse_field(fmt::format("`{}` has {}", path, range_text(field, unit)));
  }
}

bool is_matrix(const Json& value) {
  if (!value.is_array()) return false;
  return std::ranges::all_of(value, [&](const Json& row) {
    return row.is_array() && !row.empty() && row.size() == value.front().size() &&
           std::ranges::all_of(row, [](const Json& item) { return item.is_number(); });
  });
}

void check_object(const Json& body, std::span<const Field> table, const std::string& path);

void check_value(const Json& value, const Field& field, const std::string& path) {
  const auto need = [&](bool fits, std::string_view what) {
    if (!fits) refuse_field(fmt::format("`{}` must be {}", path, what));
  };
  switch (field.kind) {
    case Kind::text:
      need(value.is_string(), "a text");
      return check_size(field, path, value.get_ref<const std::string&>().size(), " bytes");
    case Kind::texts:
      need(value.is_array(), "a list of texts");
      check_size(field, path, value.size(), " texts");
      return need(std::ranges::all_of(value, [](const Json& item) { return item.is_string(); }),
                  "a list of texts");
    case Kind::rows:
      need(is_matrix(value), "a list of lists of numbers, all of one length");
      return check_size(field, path, value.size(), " rows");
    case Kind::number:
      return need(value.is_number() || value.is_string(), "a number");
    case Kind::integer: {
      const bool fits = value.is_number_unsigned();
      need(fits, "a whole number");
      const auto given = value.get<std::size_t>();
      return need(given >= field.least && given <= field.most, range_text(field, ""));
    }
    case Kind::flag:
      return need(value.is_boolean(), "true or false");
    case Kind::object:
      return check_object(value, field.members, path);
    case Kind::parameters:
      need(value.is_object(), "an object");
      return need(std::ranges::all_of(value,
                                      [](const Json& item) {
                                        return item.is_number() || item.is_string() || item.is_boolean();
                                      }),
                  "an object of numbers, texts and flags");
    case Kind::any:
    case Kind::objects:
      return;  // only answers have these
  }
}

void check_object(const Json& body, std::span<const Field> table, const std::string& path) {
  const std::string prefix = path.empty() ? "" : path + ".";
  if (!body.is_object()) {
    refuse_field(path.empty() ? "the body must be a JSON object"
                              : fmt::format("`{}` must be an object", path));
  }
  for (const auto& [name, value] : body.items()) {
    const auto found = std::ranges::find(table, std::string_view(name), &Field::name);
    if (found == table.end()) refuse_foreign(name, table, path);
    check_value(value, *found, prefix + std::string(found->name));
  }
  for (const Field& field : table) {
    if (field.presence == Field::Presence::required && !body.contains(field.name)) {
      refuse_field(fmt::format("`{}{}` is missing", prefix, field.name));
    }
  }
}

Json value_schema(const Field& field) {
  const auto bounded = [&](Json schema, const char* least, const char* most) {
    if (field.least > 0) schema[least] = field.least;
    if (field.most != kNoLimit) schema[most] = field.most;
    return schema;
  };
  switch (field.kind) {
    case Kind::text:
      return bounded({{"type", "string"}}, "minLength", "maxLength");
    case Kind::texts:
      return bounded({{"type", "array"}, {"items", {{"type", "string"}}}}, "minItems", "maxItems");
    case Kind::rows: {
      const Json row = {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 1}};
      return bounded({{"type", "array"}, {"items", row}}, "minItems", "maxItems");
    }
    case Kind::number:
      return {{"type", {"number", "string"}}};
    case Kind::integer:
      return bounded({{"type", "integer"}}, "minimum", "maximum");
    case Kind::flag:
      return {{"type", "boolean"}};
    case Kind::object:
      return schema_of(field.members, Others::refused);
    case Kind::parameters:
      return {{"type", "object"}, {"additionalProperties", {{"type", {"number", "string", "boolean"}}}}};
    case Kind::objects:
      return {{"type", "array"}, {"items", schema_of(field.members, Others::allowed)}};
    case Kind::any:
      break;
  }
  return Json::object();
}

}  // namespace

void check_fields(const Json& body, std::span<const Field> table) {
  check_object(body, table, "");
}

Json schema_of(std::span<const Field> table, Others others) {
  Json schema = {{"type", "object"}};
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : table) {
    Json own = value_schema(field);
    own["description"] = field.help;
    properties[std::string(field.name)] = std::move(own);
    if (field.presence == Field::Presence::required) required.push_back(field.name);
  }
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  if (others == Others::refused) schema["additionalProperties"] = false;
  return schema;
}

}  // namespace sotto::server
