#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/temporary_folder.h"
#include "model/import.h"
#include "sotto/error.h"
#include "sotto/model.h"

// What the tests of this folder share. Words of fixtures contain kWordCanary, which no message may show.
namespace sotto::test {

inline constexpr std::string_view kWordCanary = "canary";

std::string gzip(std::string_view bytes);

// The message of the Error that `action` throws. Fails the test if there is none, if its code is
// another one, or if it shows a word of the fixture.
std::string error_of(ErrorCode code, const std::function<void()>& action);

// ASCII lower case; drops words with a space, as the real rule does.
std::optional<std::string> ascii_rule(std::string_view raw);
ImportOptions ascii_options();
std::shared_ptr<const Model> import_bytes(std::string bytes, const ImportOptions& options = ascii_options());

std::vector<std::string> words_of(const Model& model);
std::vector<float> vector_of(const Model& model, std::string_view word);
std::vector<std::byte> bytes_of(std::string_view text);
std::string file_of(const Model& model);

}  // namespace sotto::test
