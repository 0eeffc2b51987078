#include "sotto/prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "measure/word_lines.h"
#include "model/unicode.h"
#include "sotto/error.h"
#include "text/format.h"
#include "text/lookup.h"
#include "text/words.h"

namespace sotto {
namespace {

constexpr std::size_t kCorpusBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestDocument = std::size_t{64} << 20;  // as `privatize` has it

// Weights of any scale to a prior.
Prior normalised(std::vector<double> weights, std::string description) {
  Prior prior{.weights = std::move(weights), .support = {}, .description = std::move(description)};
  const double total = std::accumulate(prior.weights.begin(), prior.weights.end(), 0.0);
  for (std::size_t w = 0; w < prior.weights.size(); ++w) {
    prior.weights[w] /= total;
    if (prior.weights[w] > 0) prior.support.push_back(word_id(w));
  }
  return prior;
}

double count_of(std::string_view text, std::uint64_t line) {
  double count = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (fault == std::errc() && end == text.data() + text.size() && std::isfinite(count) && count >= 0) {
    return count;
  }
  throw Error(
      ErrorCode::bad_data,
      fmt::format(
          "line {} of the word counts must be a word and a number of at least 0, separated by tab, comma or "
          "space; if the file has a header line, remove it",
          line));
}

// Adds up what is known of each word, whatever it comes from.
class WordCounter {
 public:
  explicit WordCounter(const std::shared_ptr<const Model>& model)
      : lookup_(model), counts_(model->size(), 0.0) {}

  void add(std::string_view word, double count) {
    ++entries_;
    if (const auto found = lookup_.find(word)) {
      counts_[index_of(*found)] += count;
      total_ += count;
    } else {
      ++unknown_;
    }
  }
  // `what` was counted: "word counts".
  struct Names {
    std::string_view what;
    std::string_view description;
  };
  Prior prior(const Names& names) && {
    if (!(total_ > 0)) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format(
              "no word of the model has a count above 0 in the {} ({} were read): give counts of words "
              "of the model, or `prior` rank",
              names.what, entries_));
    }
    if (!std::isfinite(total_)) {
      throw Error(ErrorCode::bad_data,
                  fmt::format("the {} add up to more than 1.7e308: give smaller numbers", names.what));
    }
    Prior prior = normalised(std::move(counts_), "");
    prior.description = fmt::format("{}, {} words", names.description, prior.support.size());
    prior.entries = entries_;
    prior.unknown = unknown_;
    return prior;
  }

 private:
  Lookup lookup_;
  std::vector<double> counts_;
  double total_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t unknown_ = 0;
};

}  // namespace

WordId Prior::mode() const {
  return word_id(static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin()));
}

Prior uniform_prior(const Model& model) {
  return normalised(std::vector<double>(model.size(), 1.0),
                    fmt::format("uniform over {} words", model.size()));
}

Prior frequency_rank_prior(const Model& model) {
  return normalised(
      rank_prior(model),
      fmt::format("public frequency rank of the model, 1 / (rank + 2.7), {} words", model.size()));
}

Prior counted_prior(const std::shared_ptr<const Model>& model, ByteSource& source) {
  WordCounter counter(model);
  WordLines lines(source);
  std::string line;
  while (lines.next(line)) {
    const TwoColumns columns = two_columns(line);
    counter.add(columns.first,
                count_of(columns.first.empty() ? std::string_view() : columns.second, lines.number()));
  }
  return std::move(counter).prior({.what = "word counts", .description = "counts of a file"});
}

Prior weighted_prior(const std::shared_ptr<const Model>& model, std::span<const WordWeight> weights) {
  WordCounter counter(model);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string_view word = given_word(weights[i].word);
    if (word.empty() || !std::isfinite(weights[i].weight) || weights[i].weight < 0) {
      throw Error(ErrorCode::bad_data,
                  fmt::format("entry {} of the word weights: there must be a word and a number of at least 0",
                              i + 1));
    }
    counter.add(word, weights[i].weight);
  }
  return std::move(counter).prior({.what = "word weights", .description = "given weights"});
}

Prior corpus_prior(const std::shared_ptr<const Model>& model, ByteSource& source) {
  WordCounter counter(model);
  WordBreaker breaker;
  std::vector<Token> tokens;
  std::string buffer;
  std::uint64_t line = 0;
  // A line is a document.
  const auto add = [&](std::string_view text) {
    ++line;
    if (!is_valid_utf8(text)) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format("line {} of the corpus is not UTF-8: convert it first (iconv -f latin1 -t utf-8)",
                      line));
    }
    tokens.clear();
    breaker.split(text, tokens);
    for (const Token& token : tokens) counter.add(text.substr(token.begin, token.end - token.begin), 1);
  };
  for (bool more = true; more;) {
    const std::size_t kept = buffer.size();
    if (kept > kLongestDocument) {
      throw Error(ErrorCode::bad_data, fmt::format("line {} of the corpus is over 64 MB long", line + 1));
    }
    buffer.resize(kept + kCorpusBytes);
    const std::size_t got = source.read(buffer.data() + kept, kCorpusBytes);
    buffer.resize(kept + got);
    more = got > 0;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = buffer.find('\n', begin)) != std::string::npos; begin = end + 1) {
      add(std::string_view(buffer).substr(begin, end - begin));
    }
    buffer.erase(0, begin);
  }
  if (!buffer.empty()) add(buffer);
  return std::move(counter).prior(
      {.what = "tokens of the corpus", .description = "word frequencies of a corpus"});
}

namespace {

class WordListBuilder {
 public:
  explicit WordListBuilder(const std::shared_ptr<const Model>& model) : lookup_(model) {}

  void add(std::string_view word) {
    ++list_.entries;
    if (const auto found = lookup_.find(word)) {
      list_.words.push_back(*found);
    } else {
      ++list_.unknown;
    }
  }
  // `entries` are called lines or entries.
  WordList finish(std::string_view entries) && {
    if (list_.words.empty()) {
      throw Error(ErrorCode::bad_data, fmt::format("none of the {} {} of the word list is a word of the "
                                                   "model: give one word per line and nothing else",
                                                   list_.entries, entries));
    }
    std::ranges::sort(list_.words);
    // Not std::ranges::unique: clang 14 does not compile its subrange.
    list_.words.erase(std::unique(list_.words.begin(), list_.words.end()), list_.words.end());
    return std::move(list_);
  }

 private:
  Lookup lookup_;
  WordList list_;
};

}  // namespace

WordList read_word_list(const std::shared_ptr<const Model>& model, ByteSource& source) {
  WordListBuilder builder(model);
  WordLines lines(source);
  std::string line;
  while (lines.next(line)) builder.add(line);
  return std::move(builder).finish("lines");
}

WordList word_list(const std::shared_ptr<const Model>& model, std::span<const std::string> words) {
  WordListBuilder builder(model);
  for (const std::string& word : words) builder.add(given_word(word));
  return std::move(builder).finish("entries");
}

Prior restricted(const Prior& prior, const WordList& list) {
  std::vector<double> weights(prior.weights.size(), 0.0);
  double total = 0;
  for (const WordId word : list.words) total += weights[index_of(word)] = prior.weights[index_of(word)];
  if (!(total > 0)) {
    throw Error(ErrorCode::bad_data, fmt::format("under the prior ({}) every word of the list ({} words) has "
                                                 "probability 0: leave out `words`, or give "
                                                 "another `prior`",
                                                 prior.description, list.words.size()));
  }
  Prior narrowed = normalised(std::move(weights), "");
  narrowed.description =
      fmt::format("{}, given one of {} listed words", prior.description, narrowed.support.size());
  narrowed.entries = prior.entries;
  narrowed.unknown = prior.unknown;
  return narrowed;
}

std::optional<Prior> named_prior(const std::shared_ptr<const Model>& model, const std::string& name) {
  constexpr std::string_view kCounts = "counts:";
  constexpr std::string_view kCorpus = "corpus:";
  if (name == "uniform") return uniform_prior(*model);
  if (name == "rank") return frequency_rank_prior(*model);
  if (name.starts_with(kCounts)) return counted_prior(model, *open_source(name.substr(kCounts.size())));
  if (!name.starts_with(kCorpus)) return std::nullopt;
  const std::filesystem::path path = name.substr(kCorpus.size());
  if (&format_of_name(path) != &default_format()) {
    throw Error(
        ErrorCode::usage,
        "`prior` corpus: and release: take plain text with one document per line; write the column or "
        "field with the text to such a file first");
  }
  return corpus_prior(model, *open_source(path));
}

}  // namespace sotto
