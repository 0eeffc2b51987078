#include "api/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/format_columns.h"

namespace sotto::api {

namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of a record, as in a release

// The records of a file, one after the other.
class Records {
 public:
  Records(ByteSource& source, Format& format) : source_(source), format_(format) {}

  struct Record {
    std::string_view bytes;  // until the next call
    std::uint64_t line = 1;
  };
  std::optional<Record> next() {
    line_ += static_cast<std::uint64_t>(std::count(held_.begin(), held_.begin() + end_, '\n'));
    held_.erase(0, static_cast<std::size_t>(end_));
    std::size_t scanned = 0;
    for (;;) {
      const std::size_t found = format_.record_end(std::string_view(held_).substr(scanned));
      if (found != Format::kOpen) {
        end_ = static_cast<std::ptrdiff_t>(scanned + found);
        return Record{std::string_view(held_).substr(0, scanned + found), line_};
      }
      scanned = held_.size();
      if (scanned > kMostBytes) throw Error(ErrorCode::bad_data, "the first record is longer than 64 MB");
      held_.resize(scanned + kBlock);
      held_.resize(scanned + source_.read(held_.data() + scanned, kBlock));
      if (held_.size() > scanned) continue;
      end_ = static_cast<std::ptrdiff_t>(scanned);
      if (held_.empty()) return std::nullopt;
      return Record{held_, line_};
    }
  }

 private:
  ByteSource& source_;
  Format& format_;
  std::string held_;
  std::ptrdiff_t end_ = 0;
  std::uint64_t line_ = 1;
};

// The first record that is one, shown to the format; empty: there is none.
std::optional<std::string> begin_file(const std::filesystem::path& input, Format& format) {
  const std::unique_ptr<ByteSource> source = open_source(input);
  Records records(*source, format);
  while (const auto record = records.next()) {
    if (format.begin(record->bytes, record->line)) return std::string(record->bytes);
  }
  return std::nullopt;
}

[[noreturn]] void refuse_empty() {
  throw Error(ErrorCode::bad_data, "the file holds no record");
}

// The cells of the first row: it is read as data, first to count them, then with all of them chosen.
std::vector<std::string> cells_of(const ColumnsRequest& request) {
  ReadingTexts texts = request.reading;
  texts.erase("header");
  texts["no-header"] = {};
  texts["column"] = {"#1"};
  const auto counting = make_format(ReadingOptions::parse(texts), request.input);
  if (!begin_file(request.input, *counting)) refuse_empty();
  const std::size_t count = counting->passed_through().size() + 1;
  for (std::size_t number = 2; number <= count; ++number)
    texts["column"].push_back(fmt::format("#{}", number));
  const auto whole = make_format(ReadingOptions::parse(texts), request.input);
  const std::string record = begin_file(request.input, *whole).value_or("");  // the cells point into it
  ParsedChunk parsed;
  whole->parse(record, 1, parsed);
  return {parsed.documents.begin(), parsed.documents.end()};
}

// Every field that holds text, inner ones as outer.inner, in the order of the record.
void add_fields(const nlohmann::ordered_json& record, const std::string& path,
                std::vector<std::string>& out) {
  for (const auto& [key, value] : record.items()) {
    const std::string name = path.empty() ? key : fmt::format("{}.{}", path, key);
    if (value.is_object()) {
      add_fields(value, name, out);
    } else if (value.is_string()) {
      out.push_back(name);
    }
  }
}

std::vector<std::string> fields_of(const ColumnsRequest& request) {
  const std::unique_ptr<ByteSource> source = open_source(request.input);
  // Any field will do: the format is used to find the ends of records.
  ReadingTexts texts = request.reading;
  texts["field"] = {"any"};
  const auto format = make_format(ReadingOptions::parse(texts), request.input);
  Records records(*source, *format);
  while (const auto record = records.next()) {
    if (record->bytes.find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
    // No exceptions: theirs quote the text.
    const auto parsed = nlohmann::ordered_json::parse(record->bytes, nullptr, false);
    if (!parsed.is_object()) throw Error(ErrorCode::bad_data, "the first record is no JSON object");
    std::vector<std::string> out;
    add_fields(parsed, "", out);
    return out;
  }
  refuse_empty();
}

}  // namespace

ColumnsAnswer list_columns(const ColumnsRequest& request) {
  const auto named = request.reading.find("format");
  const FormatInfo& format = named == request.reading.end() || named->second.empty()
                                 ? format_of_name(request.input)
                                 : find_format(named->second.front());
  if (format.chosen_by == nullptr) {
    (void)open_source(request.input);  // says what a file of another kind is
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "{} is read as {}, which has no columns; if it is a table, add `format` csv, tsv or jsonl",
            request.input.string(), format.name));
  }
  return {.format = std::string(format.name),
          .names = format.chosen_by == &kColumn ? cells_of(request) : fields_of(request)};
}

Json to_json(const ColumnsAnswer& answer) {
  Json json = start_answer("sotto.columns/1");
  json["format"] = answer.format;
  json["columns"] = Json::array();
  for (std::size_t i = 0; i < answer.names.size(); ++i) {
    json["columns"].push_back({{"number", i + 1}, {"name", answer.names[i]}});
  }
  return json;
}

void check_columns(const std::filesystem::path& input, const ReadingOptions& reading) {
  const auto format = make_format(reading, input);
  (void)begin_file(input, *format);
}

}  // namespace sotto::api
