#include "attack/token_text.h"

#include <fmt/format.h>

#include "sotto/error.h"
#include "text/lookup.h"
#include "text/strip_html.h"
#include "text/words.h"

namespace sotto {

struct Tokeniser::Parts {
  Lookup lookup;
  WordId anchor;
  Html html;
  WordBreaker breaker = {};
  std::vector<Token> tokens = {};
  std::string stripped = {};
};

Tokeniser::Tokeniser(std::shared_ptr<const Model> model, std::string_view anchor, Html html) {
  Lookup lookup(std::move(model));
  const WordId found = lookup.anchor(anchor);
  parts_ = std::make_unique<Parts>(Parts{.lookup = std::move(lookup), .anchor = found, .html = html});
}

Tokeniser::~Tokeniser() = default;

WordId Tokeniser::anchor() const noexcept {
  return parts_->anchor;
}

void Tokeniser::add(std::string_view document, TokenSample& out) {
  std::string_view text = document;
  if (parts_->html == Html::strip) {
    strip_html(document, parts_->stripped);
    text = parts_->stripped;
  }
  parts_->tokens.clear();
  try {
    parts_->breaker.split(text, parts_->tokens);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("document {}: {}", out.text.documents() + 1, error.what()));
  }
  for (const Token& token : parts_->tokens) {
    const auto found = parts_->lookup.find(text.substr(token.begin, token.end - token.begin));
    out.text.words.push_back(found.value_or(parts_->anchor));
    out.is_unknown.push_back(found ? 0 : 1);
    out.unknown += found ? 0 : 1;
  }
  out.text.ends.push_back(out.text.words.size());
}

}  // namespace sotto
