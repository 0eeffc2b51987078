#include "sotto/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/descriptor.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/format.h"

namespace sotto {
namespace {

using Kind = ReadingOption::Kind;

constexpr std::string_view kFormat = "format";

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::usage, message);
}

bool understands(const FormatInfo& format, const ReadingOption* option) {
  return std::ranges::find(format.options, option) != format.options.end();
}

// The names under which an option is said.
std::vector<std::string> names_of(const ReadingOption& option) {
  if (option.kind != Kind::flags) return {std::string(option.name)};
  std::vector<std::string> names;
  for (const ReadingOption::Value& value : option.values) {
    if (!value.flag.empty()) names.emplace_back(value.flag);
  }
  return names;
}

// "a, b and c"
std::string listed(const std::vector<std::string>& names, std::string_view conjunction) {
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += i + 1 < names.size() ? ", " : fmt::format(" {} ", conjunction);
    text += names[i];
  }
  return text;
}

// "`a`, `b` and `c`", as messages name options.
std::string quoted(std::vector<std::string> names) {
  for (std::string& name : names) name = fmt::format("`{}`", name);
  return listed(names, "and");
}

std::string parts_of(const ReadingOption& chosen_by) {
  return fmt::format("{}s", chosen_by.name);
}

// An option that several formats share is named with the others that they share: who says `column` of a text
// says `header` next.
[[noreturn]] void refuse_foreign(const std::string& taken, const FormatInfo& format,
                                 const ReadingOption* option) {
  const std::vector<const FormatInfo*> owners = formats_with(*option);
  std::vector<std::string> names;
  for (const ReadingOption* other : reading_options()) {
    if (other != option && (owners.size() == 1 || formats_with(*other) != owners)) continue;
    for (std::string& name : names_of(*other)) names.push_back(std::move(name));
  }
  const ReadingOption* parts = owners.front()->chosen_by;
  std::vector<std::string> formats;
  for (const FormatInfo* owner : owners) formats.emplace_back(owner->name);
  refuse(fmt::format(
      "{}{}: {} need{} {} (add `format` {})", taken,
      parts == nullptr || parts == format.chosen_by ? "" : fmt::format(", which has no {}", parts_of(*parts)),
      quoted(names), names.size() == 1 ? "s" : "", listed(formats, "or"), formats.front()));
}

// As plain text its keys would be replaced too.
void refuse_json_document(std::filesystem::path input) {
  if (compression_of_name(input) != Compression::none) input.replace_extension();
  if (input.extension() != ".json") return;
  refuse(
      fmt::format("{} looks like one JSON document, and Sotto reads JSON lines: write one object per line, "
                  "for example with "
                  "jq -c '.[]' FILE > NEW.jsonl; if each line is an object already, add `format` jsonl",
                  input.string()));
}

// A Parquet file needs another advice than a format that reads columns. What cannot be read is told later.
void refuse_by_first_bytes(const std::filesystem::path& input) {
  if (input == "-") return;
  try {
    (void)open_source(input);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::bad_data) throw;
  }
}

// The value that a text stands for.
std::string checked_value(const ReadingOption& option, const std::vector<std::string>& texts) {
  std::vector<std::string_view> allowed;
  for (const ReadingOption::Value& value : option.values) allowed.push_back(value.text);
  if (texts.size() == 1 && std::ranges::find(allowed, texts[0]) != allowed.end()) return texts[0];
  const std::string_view otherwise = allowed.back();
  allowed.pop_back();
  refuse(fmt::format("`{}` {}: it must be {} or {} (the default)", option.name,
                     shown(fmt::format("{}", fmt::join(texts, " "))), fmt::join(allowed, ", "), otherwise));
}

}  // namespace

std::vector<const ReadingOption*> reading_options() {
  std::vector<const ReadingOption*> all;
  for (const FormatInfo& format : formats()) {
    for (const ReadingOption* option : format.options) {
      if (std::ranges::find(all, option) == all.end()) all.push_back(option);
    }
  }
  return all;
}

std::vector<std::string> reading_names() {
  std::vector<std::string> all = {std::string(kFormat)};
  for (const ReadingOption* option : reading_options()) {
    for (std::string& name : names_of(*option)) all.push_back(std::move(name));
  }
  return all;
}

std::vector<const FormatInfo*> formats_with(const ReadingOption& option) {
  std::vector<const FormatInfo*> owners;
  for (const FormatInfo& format : formats()) {
    if (understands(format, &option)) owners.push_back(&format);
  }
  return owners;
}

ReadingOptions ReadingOptions::parse(const ReadingTexts& texts) {
  ReadingOptions out;
  ReadingTexts& said = out.said_;
  if (const auto format = texts.find(kFormat); format != texts.end() && !format->second.empty()) {
    said[format->first] = {std::string(find_format(fmt::format("{}", fmt::join(format->second, " "))).name)};
  }
  for (const ReadingOption* option : reading_options()) {
    const std::string name(option->name);
    for (const ReadingOption::Value& value : option->values) {
      if (value.flag.empty() || !texts.contains(value.flag)) continue;
      if (said.contains(name)) refuse(fmt::format("choose one of {}", quoted(names_of(*option))));
      said[name] = {std::string(value.text)};
    }
    if (option->kind != Kind::flags) {
      if (const auto given = texts.find(name); given != texts.end() && !given->second.empty()) {
        said[name] =
            option->kind == Kind::list ? given->second : std::vector{checked_value(*option, given->second)};
      }
    }
  }
  const std::vector<std::string> names = reading_names();
  for (const auto& [name, unused] : texts) {
    if (std::ranges::find(names, name) == names.end()) {
      refuse(fmt::format("there is no option `{}` for reading; there are: {}", shown(name), quoted(names)));
    }
  }
  return out;
}

const FormatInfo& ReadingOptions::format_of(const std::filesystem::path& input) const {
  const auto named = said_.find(kFormat);
  if (named == said_.end()) refuse_json_document(input);
  const FormatInfo& format =
      named == said_.end() ? format_of_name(input) : find_format(named->second.front());
  const std::string taken =
      fmt::format("{} is read as {}", input == "-" ? "standard input" : input.string(), format.name);
  if (const ReadingOption* wanted = format.chosen_by; wanted != nullptr && !said_.contains(wanted->name)) {
    refuse(fmt::format("{}: choose the {} to privatise with `{}` ({}), or use `format` {}", taken,
                       parts_of(*wanted), wanted->name, wanted->example, default_format().name));
  }
  for (const ReadingOption* option : reading_options()) {
    if (!said_.contains(option->name) || understands(format, option)) continue;
    if (named == said_.end()) refuse_by_first_bytes(input);
    refuse_foreign(taken, format, option);
  }
  return format;
}

std::vector<std::string> ReadingOptions::texts(const ReadingOption& option) const {
  const auto given = said_.find(option.name);
  return given == said_.end() ? std::vector<std::string>() : given->second;
}

std::string_view ReadingOptions::value(const ReadingOption& option) const {
  const auto given = said_.find(option.name);
  return given == said_.end() ? option.values.back().text : std::string_view(given->second.front());
}

std::vector<ReleaseSetting> ReadingOptions::settings(const FormatInfo& format) const {
  const auto named = said_.find(kFormat);
  std::vector<ReleaseSetting> settings = {
      {.name = std::string(kFormat), .value = named == said_.end() ? "by extension" : named->second.front()}};
  std::vector<ReleaseSetting> lists;
  for (const ReadingOption* option : format.options) {
    // That nobody spoke of a header is worth saying: the first row was then judged by its looks.
    if (!said_.contains(option->name) && option->kind != Kind::flags) continue;
    if (option->kind != Kind::list) {
      settings.push_back({.name = std::string(option->name), .value = std::string(value(*option))});
      continue;
    }
    // Their number says nothing of the text; a name is a cell of the file.
    const std::vector<std::string> chosen = texts(*option);
    lists.push_back({.name = parts_of(*option),
                     .value = fmt::format("{}", fmt::join(chosen, ", ")),
                     .audience = ReleaseSetting::Audience::data_holder});
    lists.push_back({.name = parts_of(*option) + "_chosen", .value = std::to_string(chosen.size())});
  }
  settings.insert(settings.end(), lists.begin(), lists.end());
  return settings;
}

}  // namespace sotto
