#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/mechanism.h"

namespace sotto {

// What happens to a word that the model does not have. Only `anchor` is private: the others show
// which words were unknown, and `keep` shows the word itself.
enum class UnknownWords { anchor, mask, drop, keep };
std::string_view unknown_words_name(UnknownWords policy);
UnknownWords parse_unknown_words(std::string_view text);

struct PrivatizerOptions {
  UnknownWords unknown = UnknownWords::anchor;
  std::string anchor = {};  // empty: `something` if the model has it, else the word nearest to the mean
  bool strip_html = false;
  // A Privatizer that builds its mechanism refuses a setting of strength `none`: over 90% of the words are
  // expected to stay as they are (sotto/forecast.h). True: it goes on all the same.
  bool allow_weak = false;
};

// What a file format passed in clear besides the columns and fields that were not chosen. Each is a count of
// records of the input.
struct LayoutCounts {
  std::uint64_t empty_lines = 0;     // csv, tsv, jsonl: copied; they are no records
  std::uint64_t short_rows = 0;      // csv, tsv: rows with fewer cells than the header, allowed by an option
  std::uint64_t missing_fields = 0;  // jsonl: records without text at a chosen field, allowed by an option
  void add(const LayoutCounts& other);
};

// Sums over documents; they come from private text, so only the data holder's report shows them.
struct TextCounts {
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t unknown_tokens = 0;
  std::uint64_t inserted_spaces = 0;
  std::uint64_t longest_document = 0;  // tokens
  // Tokens of all documents of one record: of the chosen columns of a row, of the chosen fields of a JSON
  // line.
  std::uint64_t longest_record = 0;
  LayoutCounts layout = {};  // filled by the stream (text/pipeline.h), not by Privatizer
  void add(const TextCounts& other);
};

// Texts that were privatised together, in their order.
struct PrivateTexts {
  std::vector<std::string> texts;
  TextCounts counts;
};

// Turns documents into private documents. Immutable, shared by threads; copies share everything. What stays
// in clear is only white space and punctuation; every other code point belongs to a token, and every token
// goes through the mechanism (docs/specification.md section 8).
class Privatizer {
 public:
  // Builds the mechanism as build_mechanism() does: calibrations exact and flat may take minutes the first
  // time. Throws Error(usage) for a name or parameter that does not exist, if options.anchor is not a word
  // of the model, or if nearly all words are expected to stay as they are, as the program does, unless
  // options.allow_weak. forecast(mechanism(), {}) tells how many words are expected to stay.
  Privatizer(const std::shared_ptr<const Model>& model, std::string_view mechanism,
             const ParameterTexts& parameters, const PrivatizerOptions& options = {});
  // The same for a mechanism that is built already, whatever its strength.
  Privatizer(Mechanism mechanism, const PrivatizerOptions& options);

  // One text, with randomness of its own. Privatise a text once and reuse the output: each release of the
  // same text adds to the loss. Throws Error(bad_data) on bad UTF-8.
  [[nodiscard]] std::string privatize(std::string_view text) const;
  // Several texts in one batch, with their counts. For many texts on several threads, for files and for the
  // report of a release: sotto/release.h.
  [[nodiscard]] PrivateTexts privatize(const std::vector<std::string>& texts) const;

  // out[i] replaces documents[i]. All tokens of the call are drawn in one batch. Throws
  // Error(bad_data) on bad UTF-8 (BadDocument in text/words.h carries which document). `records[i]` is the
  // number of the record that documents[i] belongs to, never decreasing, for counts.longest_record alone;
  // without it each document is a record.
  void privatize(std::span<const std::string_view> documents, Rng& rng, std::vector<std::string>& out,
                 TextCounts& counts, std::span<const std::uint32_t> records = {}) const;

  [[nodiscard]] const Mechanism& mechanism() const noexcept;
  [[nodiscard]] const PrivatizerOptions& options() const noexcept;
  [[nodiscard]] WordId anchor() const noexcept;
  // `not_private` if the unknown-word policy is not `anchor`, else the mechanism's.
  [[nodiscard]] Status status() const noexcept;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace sotto
