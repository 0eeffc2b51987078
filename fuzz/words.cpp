// The tokeniser and the privatiser behind it: whatever the input, only white space and punctuation go
// through in clear. The first byte chooses --strip-html.
#include "text/words.h"
#include "text/folding.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <string>
#include <vector>

#include "expect.h"
#include "mechanisms/build.h"
#include "sotto/mechanism.h"
#include "sotto/model.h"
#include "sotto/privatizer.h"

namespace {

using sotto::fuzz::expect;

bool may_stay_clear(UChar32 c) {
  return u_hasBinaryProperty(c, UCHAR_WHITE_SPACE) || (U_GET_GC_MASK(c) & U_GC_P_MASK) != 0;
}

void check_clear(std::string_view text) {
  const auto length = static_cast<std::int32_t>(text.size());
  for (std::int32_t at = 0; at < length;) {
    UChar32 c = 0;
    U8_NEXT(text.data(), at, length, c);
    expect(c >= 0 && may_stay_clear(c), "only white space and punctuation stay outside tokens");
  }
}

void check_tokens(std::string_view text, const std::vector<sotto::Token>& tokens) {
  std::size_t from = 0;
  for (const sotto::Token& token : tokens) {
    expect(token.begin >= from && token.end > token.begin && token.end <= text.size(), "tokens are in order");
    check_clear(text.substr(from, token.begin - from));
    const std::string folded = sotto::fold(text.substr(token.begin, token.end - token.begin));
    expect(sotto::fold(folded) == folded, "folding twice is folding once");
    from = token.end;
  }
  check_clear(text.substr(from));
}

// Words of letters that nothing else has, so that the output can be read back.
const sotto::Privatizer& privatizer(bool strips_html) {
  const auto make = [](bool strip) {
    const auto model = sotto::Model::from_words({"alpha", "beta", "gamma"}, {0, 1, 2.5F}, 1);
    sotto::PrivatizerOptions options;
    options.strip_html = strip;
    return sotto::Privatizer(sotto::build_uncertified("tem", model, {{"epsilon", "1"}}), options);
  };
  static const sotto::Privatizer kPlain = make(false);
  static const sotto::Privatizer kStripped = make(true);
  return strips_html ? kStripped : kPlain;
}

void check_private(std::string_view text) {
  std::string rest;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t skipped = 0;
    for (const std::string_view word : {"alpha", "beta", "gamma"}) {
      if (text.substr(at).starts_with(word)) skipped = word.size();
    }
    if (skipped == 0) rest += text[at];
    at += skipped == 0 ? 1 : skipped;
  }
  check_clear(rest);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = sotto::fuzz::text_of(data + 1, size - 1);
  static sotto::WordBreaker breaker;
  std::vector<sotto::Token> tokens;
  const bool is_utf8 = sotto::fuzz::accepts([&] { breaker.split(text, tokens); });
  if (is_utf8) check_tokens(text, tokens);

  static sotto::Rng rng = sotto::Rng::seeded_not_private(1);
  const std::vector<std::string_view> documents{text};
  std::vector<std::string> out;
  sotto::TextCounts counts;
  const bool strips_html = (data[0] & 1) != 0;
  const bool accepted =
      sotto::fuzz::accepts([&] { privatizer(strips_html).privatize(documents, rng, out, counts); });
  expect(accepted || !is_utf8, "good UTF-8 is accepted");
  // Bad bytes inside a tag go with it.
  expect(!accepted || is_utf8 || strips_html, "bad UTF-8 is refused");
  if (accepted) {
    expect(out.size() == 1, "one document in, one out");
    if (!strips_html) expect(counts.tokens == tokens.size(), "every token is drawn");
    check_private(out[0]);
  }
  return 0;
}
