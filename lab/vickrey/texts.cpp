#include "lab/vickrey/texts.h"

#include <string>

#include "text/lookup.h"
#include "text/strip_html.h"
#include "text/words.h"

namespace sotto::lab::vickrey {

struct TextReader::Parts {
  Lookup lookup;
  std::size_t most;
  WordBreaker breaker = {};
  std::vector<Token> tokens = {};
  std::string stripped = {};
};

TextReader::TextReader(const std::shared_ptr<const Model>& vectors, std::size_t most)
    : parts_(new Parts{.lookup = Lookup(vectors), .most = most}) {}
TextReader::~TextReader() = default;

void TextReader::add(std::string_view text, std::uint8_t label, Texts& out) {
  Parts& own = *parts_;
  own.stripped.clear();
  strip_html(text, own.stripped);
  own.tokens.clear();
  own.breaker.split(own.stripped, own.tokens);
  if (own.tokens.size() > own.most) own.tokens.resize(own.most);
  for (const Token token : own.tokens) {
    const auto word =
        own.lookup.find(std::string_view(own.stripped).substr(token.begin, token.end - token.begin));
    out.words.push_back(word ? static_cast<std::int32_t>(index_of(*word)) : Texts::kUnknown);
  }
  out.ends.push_back(out.words.size());
  out.labels.push_back(label);
}

Redactable redactable(const Texts& texts, const Domain& domain) {
  Redactable out;
  for (std::size_t i = 0; i < texts.words.size(); ++i) {
    const std::int32_t word = texts.words[i];
    if (word == Texts::kUnknown) continue;
    const std::int32_t place = domain.places[static_cast<std::size_t>(word)];
    if (place == Domain::kOutside) continue;
    out.places.push_back(i);
    out.words.push_back(word_id(static_cast<std::size_t>(place)));
  }
  return out;
}

Texts redacted(const Texts& texts, const Domain& domain, const Redactable& tokens,
               std::span<const WordId> outputs) {
  Texts out = texts;
  for (std::size_t i = 0; i < tokens.places.size(); ++i) {
    out.words[tokens.places[i]] = static_cast<std::int32_t>(index_of(domain.rows[index_of(outputs[i])]));
  }
  return out;
}

}  // namespace sotto::lab::vickrey
