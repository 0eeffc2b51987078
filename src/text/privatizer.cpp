#include "sotto/privatizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/forecast.h"
#include "sotto/report.h"
#include "sotto/rng.h"
#include "sotto/setting.h"
#include "text/lookup.h"
#include "text/strip_html.h"
#include "text/word_texts.h"
#include "text/words.h"

namespace sotto {

namespace {

constexpr std::string_view kMask = "[unknown]";

constexpr std::array<std::pair<UnknownWords, std::string_view>, 4> kPolicies = {{
    {UnknownWords::anchor, "anchor"},
    {UnknownWords::mask, "mask"},
    {UnknownWords::drop, "drop"},
    {UnknownWords::keep, "keep"},
}};

// What one call needs, kept by its thread for the next: a chunk is small, and there are many.
struct Scratch {
  std::vector<Token> tokens;      // of all documents, one after the other
  std::vector<std::size_t> ends;  // of each document in `tokens`
  std::vector<WordId> in;
  std::vector<WordId> out;
  std::vector<std::uint8_t> is_unknown;

  void clear() {
    // One huge document must not hold its memory for the life of the thread.
    constexpr std::size_t kKeptTokens = std::size_t{1} << 20;
    if (tokens.capacity() > kKeptTokens) *this = Scratch{};
    tokens.clear();
    ends.clear();
    in.clear();
    is_unknown.clear();
  }
};

}  // namespace

std::string_view unknown_words_name(UnknownWords policy) {
  for (const auto& [value, name] : kPolicies) {
    if (value == policy) return name;
  }
  throw Error(ErrorCode::internal, "no such policy for unknown words");
}

UnknownWords parse_unknown_words(std::string_view text) {
  for (const auto& [value, name] : kPolicies) {
    if (name == text) return value;
  }
  throw Error(ErrorCode::usage,
              "`unknown` '" + std::string(text) + "': it must be anchor (private), mask, drop or keep");
}

void LayoutCounts::add(const LayoutCounts& other) {
  empty_lines += other.empty_lines;
  short_rows += other.short_rows;
  missing_fields += other.missing_fields;
}

void TextCounts::add(const TextCounts& other) {
  documents += other.documents;
  tokens += other.tokens;
  unknown_tokens += other.unknown_tokens;
  inserted_spaces += other.inserted_spaces;
  longest_document = std::max(longest_document, other.longest_document);
  longest_record = std::max(longest_record, other.longest_record);
  layout.add(other.layout);
}

namespace {

// `ends`: of each document's tokens in the list of all.
std::uint64_t longest_record(std::span<const std::size_t> ends, std::span<const std::uint32_t> records) {
  std::uint64_t longest = 0;
  std::size_t first = 0;  // token of the current record
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const bool is_new = i > 0 && (records.empty() || records[i] != records[i - 1]);
    if (is_new) first = ends[i - 1];
    longest = std::max<std::uint64_t>(longest, ends[i] - first);
  }
  return longest;
}

}  // namespace

struct Privatizer::Parts {
  Mechanism mechanism;
  PrivatizerOptions options;
  Lookup lookup;
  ShortWords short_words;
  WordTexts texts;
  WordId anchor;

  Parts(Mechanism given, PrivatizerOptions wanted)
      : mechanism(std::move(given)),
        options(std::move(wanted)),
        lookup(mechanism.space->shared_model()),
        short_words(mechanism.space->model()),
        texts(mechanism.space->model()),
        anchor(lookup.anchor(options.anchor)) {}

  // Splits a document and looks its words up; an unknown one enters the mechanism as the anchor whatever
  // the policy, which decides only what is written.
  void read(std::string_view text, Scratch& scratch, TextCounts& sums) const {
    const std::size_t first = scratch.tokens.size();
    thread_local WordBreaker breaker;
    breaker.split(text, scratch.tokens);
    lookup.find_all(short_words, text, std::span(scratch.tokens).subspan(first), anchor, scratch.in,
                    scratch.is_unknown);
    const auto unknown = std::span(scratch.is_unknown).subspan(first);
    sums.unknown_tokens += static_cast<std::uint64_t>(std::count(unknown.begin(), unknown.end(), 1));
    const std::size_t length = scratch.tokens.size() - first;
    scratch.ends.push_back(scratch.tokens.size());
    sums.documents += 1;
    sums.tokens += length;
    sums.longest_document = std::max<std::uint64_t>(sums.longest_document, length);
  }

  // What is written for token i, whose text is `raw`, if it is not the text of scratch.out[i]. An empty text
  // means that nothing is written.
  [[nodiscard]] std::optional<std::string_view> special_text(const Scratch& scratch, std::size_t i,
                                                             std::string_view raw) const {
    if (scratch.is_unknown[i] != 0) {
      switch (options.unknown) {
        case UnknownWords::mask:
          return kMask;
        case UnknownWords::drop:
          return std::string_view();
        case UnknownWords::keep:
          return raw;
        case UnknownWords::anchor:
          break;
      }
    }
    if (!mechanism.token.empty()) return mechanism.token;
    return std::nullopt;
  }

  // Room for the document with its tokens [first, last) replaced, whatever is written for a token, and for
  // what WordTexts::copy writes beyond it. Reading all sizes first lets the memory of many words arrive
  // together.
  [[nodiscard]] std::size_t room(std::string_view text, std::size_t first, std::size_t last,
                                 const Scratch& scratch) const {
    const std::size_t tokens = last - first;
    std::size_t bytes = text.size() + tokens + WordTexts::kBeyond;  // a space may come before each token
    for (std::size_t i = first; i < last; ++i) bytes += texts.size(scratch.out[i]);
    if (!writes_words_only()) bytes += text.size() + tokens * std::max(kMask.size(), mechanism.token.size());
    return bytes;
  }

  // No token has a special text.
  [[nodiscard]] bool writes_words_only() const {
    return options.unknown == UnknownWords::anchor && mechanism.token.empty();
  }

  // Writes the document with its tokens [first, last) replaced.
  void write(std::string_view text, std::size_t first, std::size_t last, const Scratch& scratch,
             std::string& result, TextCounts& sums) const {
    result.resize(room(text, first, last, scratch));
    const bool words_only = writes_words_only();
    char* to = result.data();
    const auto append = [&](std::string_view bytes) {
      // Nearly always one space: a copy of any length would cost more than the space.
      if (bytes.size() == 1) {
        *to = bytes.front();
      } else if (!bytes.empty()) {
        std::memcpy(to, bytes.data(), bytes.size());
      }
      to += bytes.size();
    };
    std::size_t copied = 0;
    const char* last_word_end = nullptr;
    for (std::size_t i = first; i < last; ++i) {
      const Token token = scratch.tokens[i];
      append(text.substr(copied, token.begin - copied));
      copied = token.end;
      std::optional<std::string_view> special;
      if (!words_only) special = special_text(scratch, i, text.substr(token.begin, token.end - token.begin));
      if (special && special->empty()) continue;
      if (last_word_end == to) {
        *to++ = ' ';
        ++sums.inserted_spaces;
      }
      if (special) {
        append(*special);
      } else {
        to = texts.copy(scratch.out[i], to);
      }
      last_word_end = to;
    }
    append(text.substr(copied));
    result.resize(static_cast<std::size_t>(to - result.data()));
  }
};

Privatizer::Privatizer(const std::shared_ptr<const Model>& model, std::string_view mechanism,
                       const ParameterTexts& parameters, const PrivatizerOptions& options)
    : Privatizer(
          build_mechanism(chosen_setting(mechanism, parameters, [&] { return model; }, {}), model).mechanism,
          options) {
  if (options.allow_weak) return;
  const double unchanged = forecast(this->mechanism(), {}).unchanged;
  if (strength_of(unchanged) != Strength::none) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("{:.1f}% of the words would stay as they are, which hides next to nothing: use {}, or "
                  "set allow_weak",
                  100 * unchanged, setting_to_try(this->mechanism(), {})));
}

std::string Privatizer::privatize(std::string_view text) const {
  std::vector<std::string> out;
  TextCounts counts;
  Rng rng = Rng::fresh();
  privatize(std::span(&text, 1), rng, out, counts);
  return std::move(out.front());
}

PrivateTexts Privatizer::privatize(const std::vector<std::string>& texts) const {
  const std::vector<std::string_view> documents(texts.begin(), texts.end());
  PrivateTexts out;
  Rng rng = Rng::fresh();
  privatize(documents, rng, out.texts, out.counts);
  return out;
}

Privatizer::Privatizer(Mechanism mechanism, const PrivatizerOptions& options) {
  if (!mechanism.words || !mechanism.space) {
    throw Error(ErrorCode::usage,
                "this mechanism does not replace words by words; `sotto mechanisms` lists those that do");
  }
  parts_ = std::make_shared<const Parts>(std::move(mechanism), options);
}

void Privatizer::privatize(std::span<const std::string_view> documents, Rng& rng,
                           std::vector<std::string>& out, TextCounts& counts,
                           std::span<const std::uint32_t> records) const {
  std::vector<std::string> stripped;
  std::vector<std::string_view> views;
  std::span<const std::string_view> texts = documents;
  if (parts_->options.strip_html) {
    stripped.resize(documents.size());
    for (std::size_t i = 0; i < documents.size(); ++i) strip_html(documents[i], stripped[i]);
    views.assign(stripped.begin(), stripped.end());
    texts = views;
  }

  thread_local Scratch scratch;
  scratch.clear();
  TextCounts sums;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      parts_->read(texts[i], scratch, sums);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_data) throw;
      throw BadDocument(i, error.what());
    }
  }

  sums.longest_record = longest_record(scratch.ends, records);

  scratch.out.resize(scratch.in.size());
  parts_->mechanism.words->sample_batch(scratch.in, scratch.out, rng);

  out.resize(texts.size());
  std::size_t first = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    parts_->write(texts[i], first, scratch.ends[i], scratch, out[i], sums);
    first = scratch.ends[i];
  }
  counts.add(sums);
}

const Mechanism& Privatizer::mechanism() const noexcept {
  return parts_->mechanism;
}
const PrivatizerOptions& Privatizer::options() const noexcept {
  return parts_->options;
}
WordId Privatizer::anchor() const noexcept {
  return parts_->anchor;
}
Status Privatizer::status() const noexcept {
  return ReleaseConditions{.unknown = parts_->options.unknown}.status(parts_->mechanism.claim);
}

}  // namespace sotto
