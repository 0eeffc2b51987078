#include "lab/gumbel/vocabulary.h"

#include <fmt/format.h>

#include "core/parallel.h"
#include "lab/subset.h"
#include "text/lookup.h"
#include "text/strip_html.h"
#include "text/words.h"

namespace sotto::lab::gumbel {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTextBlock = 1000;

// By word of the model: 1 if a text has it.
std::vector<std::uint8_t> words_of(const std::vector<std::string_view>& texts,
                                   const std::shared_ptr<const Model>& model, unsigned threads) {
  const Lookup lookup(model);
  std::vector<std::vector<std::uint8_t>> found((texts.size() + kTextBlock - 1) / kTextBlock);
  parallel_blocks(texts.size(), kTextBlock, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint8_t>& has = found[begin / kTextBlock];
    has.assign(model->size(), 0);
    WordBreaker breaker;
    std::vector<Token> tokens;
    std::string stripped;
    for (std::size_t i = begin; i < end; ++i) {
      stripped.clear();
      strip_html(texts[i], stripped);
      tokens.clear();
      breaker.split(stripped, tokens);
      for (const Token token : tokens) {
        const auto word =
            lookup.find(std::string_view(stripped).substr(token.begin, token.end - token.begin));
        if (word) has[index_of(*word)] = 1;
      }
    }
  });
  std::vector<std::uint8_t> all(model->size(), 0);
  for (const std::vector<std::uint8_t>& has : found) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] |= has[i];
  }
  return all;
}

std::vector<std::uint8_t> public_words(const Run& run, const std::string& name) {
  if (name == "imdb") {
    const std::string reviews = read_unlabelled_reviews(run.data());
    return words_of(lines_of(reviews), run.model(), run.threads());
  }
  const RawData snli = read_snli(run.data());
  std::vector<std::string_view> texts(snli.dev.texts.texts.begin(), snli.dev.texts.texts.end());
  texts.insert(texts.end(), snli.dev.premises.begin(), snli.dev.premises.end());
  return words_of(texts, run.model(), run.threads());
}

Part tokenised_part(const RawPart& raw, const std::shared_ptr<const Model>& vocabulary, unsigned threads) {
  Part part{.texts = tokenise(raw.texts, vocabulary, threads), .premises = {}};
  if (!raw.premises.empty()) {
    part.premises = tokenise({.texts = raw.premises, .labels = raw.texts.labels}, vocabulary, threads);
  }
  return part;
}

}  // namespace

std::shared_ptr<const Model> vocabulary_of(const Run& run, const std::string& name) {
  const fs::path path = run.request().output / fmt::format("vocabulary-{}.sotto", name);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    const Model& model = *run.model();
    const std::vector<std::uint8_t> has = public_words(run, name);
    std::vector<WordId> words;
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (has[i] != 0) words.push_back(word_id(i));
    }
    subset_of(model, words, fmt::format(", its words in public {} texts", name))
        ->save(path, Model::Existing::replace);
    tell(fmt::format("{}: a vocabulary of {} words", name, words.size()));
  }
  return Model::open(path, run.request().cache);
}

DataSet tokenised(const RawData& raw, const std::shared_ptr<const Model>& vocabulary, unsigned threads) {
  return {.name = raw.name,
          .classes = raw.classes,
          .vocabulary = vocabulary,
          .train = tokenised_part(raw.train, vocabulary, threads),
          .dev = tokenised_part(raw.dev, vocabulary, threads),
          .test = tokenised_part(raw.test, vocabulary, threads)};
}

}  // namespace sotto::lab::gumbel
