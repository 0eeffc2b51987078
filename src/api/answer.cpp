#include "sotto/answer.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace sotto::api {

Json start_answer(std::string_view schema) {
  Json answer;
  answer["schema"] = schema;
  answer["sotto_version"] = SOTTO_VERSION;
  return answer;
}

Json model_json(const Model& model) {
  return {{"name", model.origin().name}, {"identity", model.identity()}};
}

Json finite_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string setting_text(const Mechanism& mechanism) {
  std::string out(mechanism.info->name);
  for (const auto& [name, text] : mechanism.parameters.texts()) out += fmt::format(", {} {}", name, text);
  return out;
}

}  // namespace sotto::api
