#pragma once
#include <filesystem>
#include <memory>
#include <string_view>

#include "attack/back_off.h"
#include "sotto/byte_stream.h"
#include "sotto/model.h"

namespace sotto {

// Reads a back-off language model in the ARPA format (text, perhaps compressed), orders 1 to 3; higher orders
// are left out. BackOffBuilder says what is made of it. Throws Error(bad_data) with the line, never its text.
ImportedLanguage import_arpa(const std::filesystem::path& path, const std::shared_ptr<const Model>& model,
                             std::string_view anchor);
ImportedLanguage import_arpa(ByteSource& source, const std::shared_ptr<const Model>& model,
                             std::string_view anchor);

}  // namespace sotto
