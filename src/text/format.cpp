#include "text/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/suggestion.h"
#include "sotto/error.h"
#include "text/csv.h"
#include "text/format_columns.h"
#include "text/jsonl.h"
#include "text/text_lines.h"
#include "text/tsv.h"

namespace sotto {
namespace {

// A new format is a file pair and a row here.
constexpr std::array kFormats = {
    FormatInfo{.name = "text", .extensions = ".txt", .make = make_text_lines},
    FormatInfo{
        .name = "csv", .extensions = ".csv", .chosen_by = &kColumn, .options = kCsvOptions, .make = make_csv},
    FormatInfo{
        .name = "tsv", .extensions = ".tsv", .chosen_by = &kColumn, .options = kTsvOptions, .make = make_tsv},
    FormatInfo{.name = "jsonl",
               .extensions = ".jsonl .ndjson",
               .chosen_by = &kField,
               .options = kJsonlOptions,
               .make = make_jsonl},
};

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace

std::span<const FormatInfo> formats() {
  return kFormats;
}

const FormatInfo& default_format() {
  return kFormats.front();
}

const FormatInfo& find_format(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FormatInfo& format : kFormats) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  throw Error(ErrorCode::usage, fmt::format("no format is called '{}'; the formats are {}{}", shown(name),
                                            fmt::join(names, ", "), suggestion(name, names)));
}

const FormatInfo& format_of_name(const std::filesystem::path& path) {
  std::string extension = lower_extension(path);
  if (extension == ".gz" || extension == ".zst") extension = lower_extension(path.stem());
  const auto* const found = std::ranges::find_if(kFormats, [&](const FormatInfo& format) {
    return !extension.empty() &&
           fmt::format(" {} ", format.extensions).find(" " + extension + " ") != std::string::npos;
  });
  return found == kFormats.end() ? default_format() : *found;
}

std::unique_ptr<Format> make_format(const ReadingOptions& options, const std::filesystem::path& input) {
  return options.format_of(input).make(options);
}

}  // namespace sotto
