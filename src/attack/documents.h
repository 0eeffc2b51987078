#pragma once
#include <filesystem>
#include <functional>
#include <string_view>

#include "sotto/reading.h"

namespace sotto {

// Calls body(text) for every document of a file ("-": standard input), in order, as `privatize` would cut
// them: lines, cells or fields. Throws Error(bad_data) with the line, never its text, Error(usage) for
// reading options that do not fit the file, Error(input_output).
void for_each_document(const std::filesystem::path& path, const ReadingOptions& reading,
                       const std::function<void(std::string_view text)>& body);

}  // namespace sotto
