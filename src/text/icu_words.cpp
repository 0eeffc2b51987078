#include "text/icu_words.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <array>
#include <string>

#include "sotto/error.h"

namespace sotto {

WordKind word_kind(UChar32 c) {
  const std::uint32_t category = U_GET_GC_MASK(c);
  if ((category & (U_GC_L_MASK | U_GC_N_MASK)) != 0) return WordKind::alphanumeric;
  if ((category & U_GC_P_MASK) != 0) return WordKind::clear;
  // Every White_Space code point is of category Z or Cc.
  if ((category & (U_GC_Z_MASK | U_GC_CC_MASK)) != 0 && u_isUWhiteSpace(c)) return WordKind::clear;
  return WordKind::symbol;
}

void check_icu(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) {
    throw Error(ErrorCode::internal, std::string("ICU cannot ") + what + " (" + u_errorName(status) +
                                         "); check that libicu and its data are installed whole");
  }
}

namespace {

const std::array<WordKind, 128>& ascii_kinds() {
  static const auto kinds = [] {
    std::array<WordKind, 128> table{};
    for (UChar32 c = 0; c < 128; ++c) table[static_cast<std::size_t>(c)] = word_kind(c);
    return table;
  }();
  return kinds;
}

// Appends the tokens of ICU segments of `text`.
class SegmentReader {
 public:
  SegmentReader(std::string_view text, std::uint32_t offset, std::vector<Token>& out)
      : bytes_(reinterpret_cast<const std::uint8_t*>(text.data())),
        offset_(offset),
        kinds_(ascii_kinds()),
        out_(out) {}

  // The segment [begin, end). ICU 72 and 73 (CLDR 42 and 43) count @ as a letter, UAX 29 and later ICUs
  // do not: a cut at each @ makes tokens, and so imported models, the same with all of them.
  void read(std::int32_t begin, std::int32_t end) {
    Part part;
    for (std::int32_t at = begin; at < end;) {
      const std::int32_t start = at;
      const WordKind kind = next(at, end);
      if (kind != WordKind::clear) {
        part.is_word |= kind == WordKind::alphanumeric;
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

  WordKind next(std::int32_t& at, std::int32_t end) const {
    if (bytes_[at] < 0x80) return kinds_[bytes_[at++]];
    UChar32 c = 0;
    U8_NEXT(bytes_, at, end, c);
    return word_kind(c);
  }

  void append_part(const Part& part) {
    if (part.is_word || !part.has_gap) {
      append(part.begin, part.end);
      return;
    }
    std::int32_t run = part.begin;
    for (std::int32_t at = part.begin; at < part.end;) {
      const std::int32_t start = at;
      if (next(at, part.end) != WordKind::clear) continue;
      append(run, start);
      run = at;
    }
    append(run, part.end);
  }

  void append(std::int32_t begin, std::int32_t end) {
    if (begin == end) return;
    out_.push_back({offset_ + static_cast<std::uint32_t>(begin), offset_ + static_cast<std::uint32_t>(end)});
  }

  const std::uint8_t* bytes_;
  std::uint32_t offset_;
  const std::array<WordKind, 128>& kinds_;
  std::vector<Token>& out_;
};

// ICU loads a dictionary when it first meets a script that needs it, and splits some texts in another way
// afterwards: the sign U+30FC belongs to no script, and to the Japanese dictionary once that is loaded. Here
// every dictionary is loaded before the first text, so that tokens do not depend on earlier texts of the
// process.
void load_dictionaries(icu::BreakIterator& breaks) {
  // Thai, Lao, Burmese, Khmer, Han, Hiragana, Katakana.
  breaks.setText(icu::UnicodeString(
      u"\u0E01\u0E02 \u0E81\u0E82 \u1000\u1001 \u1780\u1781 \u4E2D\u6587 \u3042\u3044 \u30A2\u30A4"));
  while (breaks.next() != icu::BreakIterator::DONE) {
  }
}

}  // namespace

// ICU loads its rules when the first iterator is made. Threads that each make one do that at the same time,
// under locks of ICU that ThreadSanitizer does not see. Here one thread makes the first iterator, and the
// others copy it, which is also faster than to load the rules again.
std::unique_ptr<icu::BreakIterator> word_iterator() {
  static const std::unique_ptr<const icu::BreakIterator> first = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> made(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    check_icu(status, "load its word boundary rules");
    load_dictionaries(*made);
    return made;
  }();
  std::unique_ptr<icu::BreakIterator> copy(first->clone());
  if (!copy) check_icu(U_MEMORY_ALLOCATION_ERROR, "copy its word boundary rules");
  return copy;
}

struct IcuWords::State {
  std::unique_ptr<icu::BreakIterator> breaks = word_iterator();
  UText view = UTEXT_INITIALIZER;
  std::vector<char16_t> units;       // the text as UTF-16
  std::vector<std::int32_t> places;  // in bytes, of each unit and of the end
  std::vector<std::int32_t> ends;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { utext_close(&view); }

  void convert(std::string_view text) {
    // One huge stretch must not hold its memory for the life of the thread.
    constexpr std::size_t kKeptUnits = std::size_t{1} << 20;
    if (units.capacity() > kKeptUnits) units = {};
    if (places.capacity() > kKeptUnits) places = {};
    units.clear();
    places.clear();
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto size = static_cast<std::int32_t>(text.size());
    for (std::int32_t at = 0; at < size;) {
      const std::int32_t place = at;
      UChar32 c = 0;
      U8_NEXT_UNSAFE(bytes, at, c);
      places.push_back(place);
      if (U_IS_BMP(c)) {
        units.push_back(static_cast<char16_t>(c));
      } else {
        units.push_back(U16_LEAD(c));
        units.push_back(U16_TRAIL(c));
        places.push_back(place);
      }
    }
    places.push_back(size);
  }
};

IcuWords::IcuWords() : state_(std::make_unique<State>()) {}
IcuWords::~IcuWords() = default;
IcuWords::IcuWords(IcuWords&&) noexcept = default;

std::span<const std::int32_t> IcuWords::segments(std::string_view text) {
  State& state = *state_;
  state.ends.clear();
  if (text.empty()) return state.ends;
  state.convert(text);
  UErrorCode status = U_ZERO_ERROR;
  utext_openUChars(&state.view, state.units.data(), static_cast<std::int64_t>(state.units.size()), &status);
  state.breaks->setText(&state.view, status);
  check_icu(status, "read a document");
  for (std::int32_t end = state.breaks->next(); end != icu::BreakIterator::DONE; end = state.breaks->next()) {
    state.ends.push_back(state.places[static_cast<std::size_t>(end)]);
  }
  // The iterator stops early only if it runs out of memory: what it did not read must not pass in clear.
  if (state.ends.empty() || state.ends.back() != state.places.back())
    check_icu(U_MEMORY_ALLOCATION_ERROR, "split a document");
  return state.ends;
}

void IcuWords::split(std::string_view text, std::uint32_t offset, std::vector<Token>& out) {
  SegmentReader reader(text, offset, out);
  std::int32_t begin = 0;
  for (const std::int32_t end : segments(text)) {
    reader.read(begin, end);
    begin = end;
  }
}

}  // namespace sotto
