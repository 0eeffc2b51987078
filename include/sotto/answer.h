#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/mechanism.h"

// What the answers to all questions share. Every question of this layer has one request struct, one function,
// one answer struct with its verdicts as member functions, and one to_json().
namespace sotto::api {

using Json = nlohmann::ordered_json;

// A JSON answer with its `schema` ("sotto.explain/1") and `sotto_version`, which every answer has.
Json start_answer(std::string_view schema);
// {"name", "identity"} of a model.
Json model_json(const Model& model);
// null where the value is infinite, not a number or unknown: JSON has none of these.
Json finite_or_null(std::optional<double> value);
// Two spaces of indentation; doubles in the shortest form that reads back as the same value; bytes that are
// no UTF-8 are replaced.
std::string json_text(const Json& json);

// "tem, beta 0.001, epsilon 2"
std::string setting_text(const Mechanism& mechanism);

}  // namespace sotto::api
