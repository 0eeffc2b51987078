#include "model/origin_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/unicode.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using Json = nlohmann::json;

[[noreturn]] void malformed_description(const std::string& label) {
  throw Error(ErrorCode::bad_data,
              fmt::format("{}: its description is malformed; import the vectors again", label));
}

void read_text(const Json& object, const char* key, const std::string& label, std::string& out) {
  const auto field = object.find(key);
  if (field == object.end()) return;
  if (!field->is_string()) malformed_description(label);
  out = field->get<std::string>();
  if (has_control_character(out)) malformed_description(label);
}

void read_count(const Json& object, const char* key, const std::string& label, std::uint64_t& out) {
  const auto field = object.find(key);
  if (field == object.end()) return;
  if (!field->is_number_unsigned()) malformed_description(label);
  out = field->get<std::uint64_t>();
}

}  // namespace

std::string origin_to_json(const ModelOrigin& origin) {
  const Json object = {{"name", origin.name},
                       {"source", origin.source},
                       {"licence", origin.licence},
                       {"rows_read", origin.rows_read},
                       {"dropped_not_a_word", origin.dropped_not_a_word},
                       {"dropped_collision", origin.dropped_collision},
                       {"dropped_bad_vector", origin.dropped_bad_vector},
                       {"dropped_by_request", origin.dropped_by_request}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ModelOrigin origin_from_json(std::string_view json, const std::string& label) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) malformed_description(label);
  ModelOrigin origin;
  read_text(object, "name", label, origin.name);
  read_text(object, "source", label, origin.source);
  read_text(object, "licence", label, origin.licence);
  read_count(object, "rows_read", label, origin.rows_read);
  read_count(object, "dropped_not_a_word", label, origin.dropped_not_a_word);
  read_count(object, "dropped_collision", label, origin.dropped_collision);
  read_count(object, "dropped_bad_vector", label, origin.dropped_bad_vector);
  read_count(object, "dropped_by_request", label, origin.dropped_by_request);
  return origin;
}

}  // namespace sotto
