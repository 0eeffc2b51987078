#include "measure/prior.h"

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
      fmt::format("line {} of the word counts: after the word, separated by tab, comma or space, there "
                  "must be a number of at least 0 (a header line is not one)",
                  line));
}

[[noreturn]] void refuse_without_words(std::string_view what, std::uint64_t entries) {
  throw Error(
      ErrorCode::bad_data,
      fmt::format("no word of the model has a count above 0 in the {} ({} read): give another file, or "
                  "--prior rank",
                  what, entries));
}

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
  const Lookup lookup(model);
  WordLines lines(source);
  std::vector<double> counts(model->size(), 0.0);
  std::uint64_t entries = 0;
  std::uint64_t unknown = 0;
  std::string line;
  double total = 0;
  while (lines.next(line)) {
    const TwoColumns columns = two_columns(line);
    const double count =
        count_of(columns.first.empty() ? std::string_view() : columns.second, lines.number());
    ++entries;
    if (const auto word = lookup.find(columns.first)) {
      counts[index_of(*word)] += count;
      total += count;
    } else {
      ++unknown;
    }
  }
  if (!(total > 0)) refuse_without_words("word counts", entries);
  if (!std::isfinite(total))
    throw Error(ErrorCode::bad_data, "the word counts add up to more than a double holds");
  Prior prior = normalised(std::move(counts), "counts of a file");
  prior.description = fmt::format("counts of a file, {} words", prior.support.size());
  prior.entries = entries;
  prior.unknown = unknown;
  return prior;
}

namespace {

// Counts tokens of whole lines; a line is a document.
class TokenCounter {
 public:
  explicit TokenCounter(const std::shared_ptr<const Model>& model)
      : lookup_(model), counts_(model->size(), 0.0) {}

  void add(std::string_view text, std::uint64_t line) {
    if (!is_valid_utf8(text)) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format("line {} of the corpus is not UTF-8: convert it first (iconv -f latin1 -t utf-8)",
                      line));
    }
    tokens_.clear();
    breaker_.split(text, tokens_);
    for (const Token& token : tokens_) {
      ++entries_;
      if (const auto word = lookup_.find(text.substr(token.begin, token.end - token.begin))) {
        counts_[index_of(*word)] += 1;
      } else {
        ++unknown_;
      }
    }
  }
  Prior prior() && {
    if (entries_ == unknown_) refuse_without_words("tokens of the corpus", entries_);
    Prior prior = normalised(std::move(counts_), "");
    prior.description = fmt::format("word frequencies of a corpus, {} words", prior.support.size());
    prior.entries = entries_;
    prior.unknown = unknown_;
    return prior;
  }

 private:
  Lookup lookup_;
  WordBreaker breaker_;
  std::vector<Token> tokens_;
  std::vector<double> counts_;
  std::uint64_t entries_ = 0;
  std::uint64_t unknown_ = 0;
};

}  // namespace

Prior corpus_prior(const std::shared_ptr<const Model>& model, ByteSource& source) {
  TokenCounter counter(model);
  std::string buffer;
  std::uint64_t line = 0;
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
      counter.add(std::string_view(buffer).substr(begin, end - begin), ++line);
    }
    buffer.erase(0, begin);
  }
  if (!buffer.empty()) counter.add(buffer, line + 1);
  return std::move(counter).prior();
}

WordList read_word_list(const std::shared_ptr<const Model>& model, ByteSource& source) {
  const Lookup lookup(model);
  WordLines lines(source);
  WordList list;
  std::string line;
  while (lines.next(line)) {
    ++list.entries;
    if (const auto word = lookup.find(line)) {
      list.words.push_back(*word);
    } else {
      ++list.unknown;
    }
  }
  if (list.words.empty()) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("none of the {} lines of the word list is a word of the model: it needs one word per "
                    "line and nothing else",
                    list.entries));
  }
  std::ranges::sort(list.words);
  // Not std::ranges::unique: clang 14 does not compile its subrange.
  list.words.erase(std::unique(list.words.begin(), list.words.end()), list.words.end());
  return list;
}

Prior restricted(const Prior& prior, const WordList& list) {
  std::vector<double> weights(prior.weights.size(), 0.0);
  double total = 0;
  for (const WordId word : list.words) total += weights[index_of(word)] = prior.weights[index_of(word)];
  if (!(total > 0)) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the prior ({}) gives no word of the list ({} words) any probability: leave one of the "
                    "two away",
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
        "--prior corpus: takes plain text, one document per line; take the column or field with the text "
        "out of a table first");
  }
  return corpus_prior(model, *open_source(path));
}

}  // namespace sotto
