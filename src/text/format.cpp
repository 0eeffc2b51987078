#include "text/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "sotto/error.h"
#include "text/csv.h"
#include "text/jsonl.h"
#include "text/text_lines.h"
#include "text/tsv.h"

namespace sotto {
namespace {

constexpr std::array<std::pair<FormatKind, std::string_view>, 4> kNames{{{FormatKind::text, "text"},
                                                                         {FormatKind::csv, "csv"},
                                                                         {FormatKind::tsv, "tsv"},
                                                                         {FormatKind::jsonl, "jsonl"}}};

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

void refuse_foreign_options(const FormatOptions& options) {
  const bool has_columns = options.kind == FormatKind::csv || options.kind == FormatKind::tsv;
  const auto refuse = [&](std::string_view flag, std::string_view owners) {
    throw Error(ErrorCode::usage, fmt::format("{} is for {} input, and this input is read as {}; "
                                              "leave it out, or choose the format with --format",
                                              flag, owners, format_name(options.kind)));
  };
  if (!has_columns && !options.columns.empty()) refuse("--column", "csv and tsv");
  if (!has_columns && options.header == TableHeader::present) refuse("--header", "csv and tsv");
  if (!has_columns && options.header == TableHeader::absent) refuse("--no-header", "csv and tsv");
  if (!has_columns && options.short_rows != ShortRows::refuse) refuse("--short-rows", "csv and tsv");
  if (options.kind != FormatKind::tsv && options.tsv_quotes != TsvQuotes::refuse) {
    refuse("--tsv-quotes", "tsv");
  }
  if (options.kind != FormatKind::jsonl && !options.fields.empty()) refuse("--field", "jsonl");
  if (options.kind != FormatKind::jsonl && options.missing_field != MissingField::refuse)
    refuse("--missing-field", "jsonl");
}

}  // namespace

std::string_view format_name(FormatKind kind) {
  const auto* const found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& entry) { return entry.first == kind; });
  return found->second;
}

FormatKind parse_format(std::string_view name) {
  for (const auto& [kind, known] : kNames) {
    if (known == name) return kind;
  }
  throw Error(ErrorCode::usage,
              fmt::format("no format is called '{}'; the formats are text, csv, tsv and jsonl", name));
}

TsvQuotes parse_tsv_quotes(std::string_view name) {
  if (name == "literal") return TsvQuotes::literal;
  if (name == "excel") return TsvQuotes::excel;
  if (name == "refuse") return TsvQuotes::refuse;
  throw Error(ErrorCode::usage,
              fmt::format("--tsv-quotes {}: it must be literal, excel or refuse (the default)", name));
}

ShortRows parse_short_rows(std::string_view name) {
  if (name == "pass") return ShortRows::pass;
  if (name == "refuse") return ShortRows::refuse;
  throw Error(ErrorCode::usage,
              fmt::format("--short-rows {}: it must be pass or refuse (the default)", name));
}

MissingField parse_missing_field(std::string_view name) {
  if (name == "pass") return MissingField::pass;
  if (name == "refuse") return MissingField::refuse;
  throw Error(ErrorCode::usage,
              fmt::format("--missing-field {}: it must be pass or refuse (the default)", name));
}

FormatKind format_of_name(const std::filesystem::path& path) {
  std::string extension = lower_extension(path);
  if (extension == ".gz" || extension == ".zst") extension = lower_extension(path.stem());
  if (extension == ".csv") return FormatKind::csv;
  if (extension == ".tsv") return FormatKind::tsv;
  if (extension == ".jsonl" || extension == ".ndjson") return FormatKind::jsonl;
  return FormatKind::text;
}

std::unique_ptr<Format> make_format(const FormatOptions& options) {
  refuse_foreign_options(options);
  switch (options.kind) {
    case FormatKind::csv:
      return make_csv(options);
    case FormatKind::tsv:
      return make_tsv(options);
    case FormatKind::jsonl:
      return make_jsonl(options);
    case FormatKind::text:
      break;
  }
  return make_text_lines();
}

}  // namespace sotto
