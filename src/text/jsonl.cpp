#include "text/jsonl.h"

#include <fmt/format.h>

#include <atomic>

#include "core/descriptor.h"
#include "sotto/error.h"
#include "text/format_pieces.h"
#include "text/jsonl_scan.h"

namespace sotto {
namespace {

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

class Jsonl final : public Format {
 public:
  explicit Jsonl(const ReadingOptions& options)
      : fields_(options.texts(kField)),
        missing_(options.value(kMissingField) == "pass" ? MissingField::pass : MissingField::refuse),
        has_text_(fields_.size()) {}

  std::size_t record_end(std::string_view next) override { return line_end(next); }
  bool begin(std::string_view record, std::uint64_t line) override;
  void parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const override;
  void check_end() const override;
  void append_document(std::string_view /*raw*/, std::string_view replacement,
                       std::string& out) const override {
    append_json_string(replacement, out);
  }
  [[nodiscard]] std::vector<std::string> passed_through() const override {
    return {"every field but the chosen ones"};
  }
  [[nodiscard]] std::vector<std::string> notices() const override {
    return {"passing through in clear: " + passed_through().front()};
  }
  [[nodiscard]] std::vector<std::string> allowed_leaks() const override;

 private:
  std::vector<std::string> fields_;
  MissingField missing_;
  mutable std::vector<std::atomic<bool>> has_text_;  // by field; workers set it
};

bool Jsonl::begin(std::string_view record, std::uint64_t line) {
  record.remove_prefix(byte_order_mark(record, line));
  if (is_blank_line(record)) return false;
  JsonFieldScanner scanner(fields_, MissingField::pass);
  scanner.scan(record, line);
  const std::string count = fmt::format("the first record, in line {}, has {} field{}", line,
                                        scanner.top_keys(), scanner.top_keys() == 1 ? "" : "s");
  for (std::size_t i = 0; missing_ == MissingField::refuse && i < fields_.size(); ++i) {
    if (!scanner.is_absent(i)) continue;
    throw Error(ErrorCode::usage, fmt::format("`field` {}: there is no such field; {} (write inner fields "
                                              "as outer.inner; capitals count)",
                                              shown(fields_[i]), count));
  }
  return true;
}

void Jsonl::parse(std::string_view chunk, std::uint64_t first_line, ParsedChunk& out) const {
  PieceCutter pieces(chunk, out);
  JsonFieldScanner scanner(fields_, missing_);
  std::string_view rest = chunk.substr(byte_order_mark(chunk, first_line));
  for (std::uint64_t line = first_line; !rest.empty(); ++line) {
    const std::string_view record = rest.substr(0, std::min(line_end(rest), rest.size()));
    rest.remove_prefix(record.size());
    if (is_blank_line(record)) {
      ++out.layout.empty_lines;
      continue;
    }
    pieces.next_record();
    for (const std::string_view raw : scanner.scan(record, line)) {
      if (raw.find('\\') == std::string_view::npos) {
        pieces.document(raw, raw.substr(1, raw.size() - 2), line);
        continue;
      }
      std::optional<std::string> text = decode_json_string(raw);
      if (!text) throw bad_line(line, "a chosen field has an escape that is half of a surrogate pair");
      pieces.decoded_document(raw, std::move(*text), line);
    }
    if (missing_ == MissingField::refuse) continue;
    if (scanner.has_missing_text()) ++out.layout.missing_fields;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      // Looked at before: workers would fight for a cache line that they all write.
      if (!scanner.has_field(i) || has_text_[i].load(std::memory_order_relaxed)) continue;
      has_text_[i].store(true, std::memory_order_relaxed);
    }
  }
  pieces.finish();
}

void Jsonl::check_end() const {
  for (std::size_t i = 0; missing_ == MissingField::pass && i < fields_.size(); ++i) {
    if (has_text_[i].load(std::memory_order_relaxed)) continue;
    throw Error(ErrorCode::usage,
                fmt::format("`field` {}: no record has text there, so `missing-field` pass would "
                            "let all of them pass in clear; is the name mistyped?",
                            shown(fields_[i])));
  }
}

std::vector<std::string> Jsonl::allowed_leaks() const {
  if (missing_ == MissingField::refuse) return {};
  return {"missing-field pass: records without text at a chosen field pass in clear as they are."};
}

}  // namespace

std::unique_ptr<Format> make_jsonl(const ReadingOptions& options) {
  for (const std::string& field : options.texts(kField)) {
    if (field.empty())
      throw Error(ErrorCode::usage, "`field` is empty; give a name, inner ones as outer.inner");
  }
  return std::make_unique<Jsonl>(options);
}

}  // namespace sotto
