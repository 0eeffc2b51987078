#include "text/words.h"

#include <simdjson.h>
#include <unicode/brkiter.h>
#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <limits>

namespace sotto {

namespace {

enum class Kind : std::uint8_t { clear, symbol, alphanumeric };

Kind kind_of_any(UChar32 c) {
  const std::uint32_t category = U_GET_GC_MASK(c);
  if ((category & (U_GC_L_MASK | U_GC_N_MASK)) != 0) return Kind::alphanumeric;
  if ((category & U_GC_P_MASK) != 0) return Kind::clear;
  // Every White_Space code point is of category Z or Cc.
  if ((category & (U_GC_Z_MASK | U_GC_CC_MASK)) != 0 && u_isUWhiteSpace(c)) return Kind::clear;
  return Kind::symbol;
}

const std::array<Kind, 128>& ascii_kinds() {
  static const auto kinds = [] {
    std::array<Kind, 128> table{};
    for (UChar32 c = 0; c < 128; ++c) table[static_cast<std::size_t>(c)] = kind_of_any(c);
    return table;
  }();
  return kinds;
}

void check(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) {
    throw Error(ErrorCode::internal, std::string("ICU cannot ") + what + " (" + u_errorName(status) +
                                         "); check that libicu and its data are installed whole");
  }
}

// Appends the tokens of ICU segments of `text`.
class SegmentReader {
 public:
  SegmentReader(std::string_view text, std::vector<Token>& out)
      : bytes_(reinterpret_cast<const std::uint8_t*>(text.data())), kinds_(ascii_kinds()), out_(out) {}

  // The segment [begin, end). ICU 72 and 73 (CLDR 42 and 43) count @ as a letter, UAX 29 and later ICUs
  // do not: a cut at each @ makes tokens, and so imported models, the same with all of them.
  void read(std::int32_t begin, std::int32_t end) {
    Part part;
    for (std::int32_t at = begin; at < end;) {
      const std::int32_t start = at;
      const Kind kind = next(at, end);
      if (kind != Kind::clear) {
        part.is_word |= kind == Kind::alphanumeric;
        part.has_gap |= part.end != 0 && part.end < start;
        if (part.end == 0) part.begin = start;
        part.end = at;
      } else if (bytes_[start] == '@') {
        append_part(part);
        part = {};
      }
    }
    append_part(part);
  }

 private:
  // From the first to the last code point that is not clear; end 0: there is none.
  struct Part {
    std::int32_t begin = 0;
    std::int32_t end = 0;
    bool is_word = false;
    bool has_gap = false;  // a clear code point inside
  };

  Kind next(std::int32_t& at, std::int32_t end) const {
    if (bytes_[at] < 0x80) return kinds_[bytes_[at++]];
    UChar32 c = 0;
    U8_NEXT(bytes_, at, end, c);
    return kind_of_any(c);
  }

  void append_part(const Part& part) {
    if (part.is_word || !part.has_gap) {
      append(part.begin, part.end);
      return;
    }
    std::int32_t run = part.begin;
    for (std::int32_t at = part.begin; at < part.end;) {
      const std::int32_t start = at;
      if (next(at, part.end) != Kind::clear) continue;
      append(run, start);
      run = at;
    }
    append(run, part.end);
  }

  void append(std::int32_t begin, std::int32_t end) {
    if (begin == end) return;
    out_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  }

  const std::uint8_t* bytes_;
  const std::array<Kind, 128>& kinds_;
  std::vector<Token>& out_;
};

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string nfc(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normaliser = icu::Normalizer2::getNFCInstance(status);
  check(status, "load its normalisation data");
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
  normaliser->normalizeUTF8(0, text, sink, nullptr, status);
  check(status, "normalise a word");
  return result;
}

std::string case_fold(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
  icu::CaseMap::utf8Fold(U_FOLD_CASE_DEFAULT, text, sink, nullptr, status);
  check(status, "fold the case of a word");
  return result;
}

void straighten_apostrophes(std::string& text) {
  // U+2018, U+2019, U+02BC as UTF-8.
  for (const std::string_view curly : {"\xE2\x80\x98", "\xE2\x80\x99", "\xCA\xBC"}) {
    for (auto at = text.find(curly); at != std::string::npos; at = text.find(curly, at + 1)) {
      text.replace(at, curly.size(), 1, '\'');
    }
  }
}

// ICU loads its rules when the first iterator is made. Threads that each make one do that at the same time,
// under locks of ICU that ThreadSanitizer does not see. Here one thread makes the first iterator, and the
// others copy it, which is also faster than to load the rules again.
std::unique_ptr<icu::BreakIterator> word_iterator() {
  static const std::unique_ptr<const icu::BreakIterator> first = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> made(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    check(status, "load its word boundary rules");
    return made;
  }();
  std::unique_ptr<icu::BreakIterator> copy(first->clone());
  if (!copy) check(U_MEMORY_ALLOCATION_ERROR, "copy its word boundary rules");
  return copy;
}

}  // namespace

struct WordBreaker::Icu {
  std::unique_ptr<icu::BreakIterator> breaks = word_iterator();
  UText text = UTEXT_INITIALIZER;

  Icu() = default;
  Icu(const Icu&) = delete;
  Icu& operator=(const Icu&) = delete;
  ~Icu() { utext_close(&text); }
};

WordBreaker::WordBreaker() : icu_(std::make_unique<Icu>()) {}
WordBreaker::~WordBreaker() = default;
WordBreaker::WordBreaker(WordBreaker&&) noexcept = default;

void WordBreaker::split(std::string_view text, std::vector<Token>& out) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(ErrorCode::bad_data, "a document has " + std::to_string(text.size()) +
                                         " bytes; the most is 2147483647; split it into smaller ones");
  }
  if (text.empty()) return;
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    throw Error(ErrorCode::bad_data,
                "a document is not valid UTF-8; convert the file first, for example with "
                "iconv -f LATIN1 -t UTF-8");
  }
  UErrorCode status = U_ZERO_ERROR;
  utext_openUTF8(&icu_->text, text.data(), static_cast<std::int64_t>(text.size()), &status);
  icu_->breaks->setText(&icu_->text, status);
  check(status, "read a document");

  SegmentReader reader(text, out);
  std::int32_t begin = 0;
  for (std::int32_t end = icu_->breaks->next(); end != icu::BreakIterator::DONE; end = icu_->breaks->next()) {
    reader.read(begin, end);
    begin = end;
  }
  // The iterator stops early only if it runs out of memory: what it did not read must not pass in clear.
  if (static_cast<std::size_t>(begin) != text.size()) check(U_MEMORY_ALLOCATION_ERROR, "split a document");
}

std::string fold(std::string_view word) {
  std::string result(word);
  if (is_ascii(word)) {
    std::transform(result.begin(), result.end(), result.begin(), fold_ascii);
    return result;
  }
  result = nfc(case_fold(nfc(result)));
  straighten_apostrophes(result);
  return result;
}

std::optional<std::string> importable_word(std::string_view raw) {
  if (!simdjson::validate_utf8(raw.data(), raw.size())) return std::nullopt;
  std::string folded = fold(raw);
  thread_local WordBreaker breaker;
  thread_local std::vector<Token> tokens;
  tokens.clear();
  breaker.split(folded, tokens);
  const bool is_whole = tokens.size() == 1 && tokens[0].begin == 0 && tokens[0].end == folded.size();
  if (!is_whole) return std::nullopt;
  return folded;
}

}  // namespace sotto
