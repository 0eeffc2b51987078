#include "lab/gumbel/table1.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <unordered_set>

#include "lab/gumbel/vocabulary.h"
#include "text/folding.h"
#include "text/lookup.h"
#include "text/strip_html.h"
#include "text/words.h"

namespace sotto::lab::gumbel {

namespace {

Points::Row corpus_row(std::vector<std::string> keys, const std::vector<std::string>& texts,
                       const std::shared_ptr<const Model>& vocabulary) {
  const Lookup lookup(vocabulary);
  WordBreaker breaker;
  std::vector<Token> tokens;
  std::string stripped;
  std::unordered_set<std::string> distinct;
  double total = 0;
  double squares = 0;
  double known = 0;
  for (const std::string& text : texts) {
    stripped.clear();
    strip_html(text, stripped);
    tokens.clear();
    breaker.split(stripped, tokens);
    for (const Token token : tokens) {
      const std::string_view word = std::string_view(stripped).substr(token.begin, token.end - token.begin);
      distinct.insert(fold(word));
      known += lookup.find(word) ? 1 : 0;
    }
    const auto length = static_cast<double>(tokens.size());
    total += length;
    squares += length * length;
  }
  const auto count = static_cast<double>(texts.size());
  const double mean = total / count;
  return {.keys = std::move(keys),
          .values = {count, total, static_cast<double>(distinct.size()), mean,
                     std::sqrt(std::max(0.0, squares / count - mean * mean)), known / total,
                     static_cast<double>(vocabulary->size())}};
}

void add_part(const std::string& data, const std::string& part, const RawPart& raw,
              const std::shared_ptr<const Model>& vocabulary, Points& table) {
  const auto add = [&](const std::string& name, const std::vector<std::string>& texts) {
    std::vector<std::string> keys = {data, name};
    if (texts.empty() || table.find(keys)) return;
    table.add(corpus_row(std::move(keys), texts, vocabulary));
  };
  add(part, raw.texts.texts);
  add(part + " premises", raw.premises);
}

}  // namespace

Points::Layout table1_layout() {
  return {.keys = {"data", "part"},
          .values = {"texts", "tokens", "distinct_words", "mean_length", "length_deviation", "known_share",
                     "vocabulary"}};
}

void measure_table1(const Run& run, Points& table) {
  for (const std::string name : {"imdb", "snli"}) {
    if (table.find(std::vector<std::string>{name, "test"})) continue;
    const std::shared_ptr<const Model> vocabulary = vocabulary_of(run, name);
    const RawData raw = name == "imdb" ? read_imdb(run.data()) : read_snli(run.data());
    add_part(name, "train", raw.train, vocabulary, table);
    add_part(name, "dev", raw.dev, vocabulary, table);
    add_part(name, "test", raw.test, vocabulary, table);
    tell(fmt::format("{}: table 1 counted", name));
  }
}

}  // namespace sotto::lab::gumbel
