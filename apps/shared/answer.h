#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace sotto::cli {

using Json = nlohmann::ordered_json;

// A JSON answer with its `schema` ("sotto.explain/1") and `sotto_version`, which every answer has.
Json start_answer(std::string_view schema);
// On standard output, doubles in the shortest form that reads back as the same value.
void print_answer(const Json& answer);

}  // namespace sotto::cli
