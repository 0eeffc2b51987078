#include "text/jsonl.h"

#include <fmt/format.h>

#include "sotto/error.h"
#include "text/format_pieces.h"
#include "text/jsonl_scan.h"

namespace sotto {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

class Jsonl final : public Format {
 public:
  explicit Jsonl(std::vector<std::string> fields) : fields_(std::move(fields)) {}

  std::size_t record_end(std::string_view next) override { return line_end(next); }
  bool begin(std::string_view record, std::uint64_t line) override;
  void parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const override;
  void append_document(std::string_view /*raw*/, std::string_view replacement,
                       std::string& out) const override {
    append_json_string(replacement, out);
  }
  [[nodiscard]] std::vector<std::string> passed_through() const override {
    return {"every field but the chosen ones"};
  }

 private:
  std::vector<std::string> fields_;
};

std::string keys_there_are(const JsonFieldScanner& scanner) {
  std::vector<std::string> names;
  for (const std::string_view raw : scanner.top_keys()) names.push_back(decode_json_string(raw).value_or(""));
  return names.empty() ? std::string("it has none") : "it has " + name_list(names);
}

bool Jsonl::begin(std::string_view record, std::uint64_t line) {
  record.remove_prefix(byte_order_mark(record, line));
  if (is_blank(record)) return false;
  JsonFieldScanner scanner(fields_);
  scanner.scan(record, line);
  if (fields_.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("no field was chosen; the first record has fields: {}. Name the "
                            "ones with text by --field, inner ones as outer.inner",
                            keys_there_are(scanner)));
  }
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (scanner.has_field(i)) continue;
    throw Error(ErrorCode::usage, fmt::format("--field {}: no such field in the first record; {}", fields_[i],
                                              keys_there_are(scanner)));
  }
  return true;
}

void Jsonl::parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const {
  PieceCutter pieces(chunk, out);
  JsonFieldScanner scanner(fields_);
  std::string_view rest = chunk.substr(byte_order_mark(chunk, first_line));
  for (std::uint64_t line = first_line; !rest.empty(); ++line) {
    const std::string_view record = rest.substr(0, std::min(line_end(rest), rest.size()));
    rest.remove_prefix(record.size());
    if (is_blank(record)) continue;
    for (const std::string_view raw : scanner.scan(record, line)) {
      if (raw.find('\\') == std::string_view::npos) {
        pieces.document(raw, raw.substr(1, raw.size() - 2), line);
        continue;
      }
      std::optional<std::string> text = decode_json_string(raw);
      if (!text) throw bad_line(line, "a chosen field has an escape that is half of a surrogate pair");
      pieces.decoded_document(raw, std::move(*text), line);
    }
  }
  pieces.finish();
}

}  // namespace

std::unique_ptr<Format> make_jsonl(const FormatOptions& options) {
  for (const std::string& field : options.fields) {
    if (field.empty())
      throw Error(ErrorCode::usage, "--field is empty; give a name, inner ones as outer.inner");
  }
  return std::make_unique<Jsonl>(options.fields);
}

}  // namespace sotto
