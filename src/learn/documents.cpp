#include "learn/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "sotto/error.h"
#include "text/lookup.h"
#include "text/strip_html.h"
#include "text/words.h"

namespace sotto {
namespace {

constexpr std::size_t kTextBlock = 64;
constexpr std::size_t kStreamBlock = 1 << 16;  // words with a random stream of their own
constexpr std::size_t kDocumentBlock = 256;

struct TokenBlock {
  std::vector<std::size_t> lengths;
  std::vector<WordId> words;
  std::vector<std::uint32_t> unknown;  // of each text
};

}  // namespace

TokenLists read_tokens(std::span<const std::string_view> texts, const std::shared_ptr<const Model>& model,
                       const TokenOptions& options, const Work& work) {
  const Lookup lookup(model);
  std::vector<TokenBlock> blocks((texts.size() + kTextBlock - 1) / kTextBlock);
  parallel_blocks(texts.size(), kTextBlock, work.threads, [&](std::size_t begin, std::size_t end) {
    TokenBlock& block = blocks[begin / kTextBlock];
    WordBreaker breaker;
    std::vector<Token> tokens;
    std::string stripped;
    for (std::size_t i = begin; i < end; ++i) {
      std::string_view text = texts[i];
      tokens.clear();
      try {
        if (options.strip_html) {
          stripped.clear();
          strip_html(text, stripped);
          text = stripped;
        }
        breaker.split(text, tokens);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_data) throw;
        throw Error(ErrorCode::bad_data, fmt::format("text {} (counted from 0): {}", i, error.what()));
      }
      std::uint32_t unknown = 0;
      for (const Token& token : tokens) {
        const auto found = lookup.find(text.substr(token.begin, token.end - token.begin));
        block.words.push_back(found.value_or(options.anchor));
        unknown += found ? 0 : 1;
      }
      block.unknown.push_back(unknown);
      block.lengths.push_back(tokens.size());
    }
  });
  TokenLists out;
  for (const TokenBlock& block : blocks) {
    for (const std::size_t length : block.lengths) {
      out.ends.push_back((out.ends.empty() ? 0 : out.ends.back()) + length);
    }
    out.words.insert(out.words.end(), block.words.begin(), block.words.end());
    out.unknown_in.insert(out.unknown_in.end(), block.unknown.begin(), block.unknown.end());
  }
  out.unknown = std::accumulate(out.unknown_in.begin(), out.unknown_in.end(), std::uint64_t{0});
  return out;
}

TokenLists privatised(const TokenLists& clean, const Mechanism& mechanism, const RandomSource& random,
                      const Work& work) {
  TokenLists out{.ends = clean.ends, .words = std::vector<WordId>(clean.words.size())};
  parallel_blocks(clean.words.size(), kStreamBlock, work.threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = random.stream(begin / kStreamBlock);
    mechanism.words->sample_batch(std::span(clean.words).subspan(begin, end - begin),
                                  std::span(out.words).subspan(begin, end - begin), rng);
  });
  return out;
}

TokenLists chosen_texts(const TokenLists& all, std::span<const std::size_t> numbers) {
  TokenLists out;
  for (const std::size_t number : numbers) {
    const auto list = all.list(number);
    out.words.insert(out.words.end(), list.begin(), list.end());
    out.ends.push_back(out.words.size());
    if (!all.unknown_in.empty()) out.unknown_in.push_back(all.unknown_in[number]);
  }
  out.unknown = std::accumulate(out.unknown_in.begin(), out.unknown_in.end(), std::uint64_t{0});
  return out;
}

TokenLists joined(const TokenLists& first, const TokenLists& second) {
  TokenLists out = first;
  out.words.insert(out.words.end(), second.words.begin(), second.words.end());
  for (const std::size_t end : second.ends) out.ends.push_back(first.words.size() + end);
  out.unknown += second.unknown;
  out.unknown_in.insert(out.unknown_in.end(), second.unknown_in.begin(), second.unknown_in.end());
  if (out.unknown_in.size() != out.size()) out.unknown_in.clear();
  return out;
}

std::vector<double> smoothed_shares(const TokenLists& texts, std::size_t words) {
  std::vector<double> shares(words, 1.0);
  for (const WordId word : texts.words) shares[index_of(word)] += 1;
  const double total = static_cast<double>(words) + static_cast<double>(texts.words.size());
  for (double& share : shares) share /= total;
  return shares;
}

Documents mean_counts(const TokenLists& texts, std::size_t words) {
  Documents out{.columns = words};
  out.ends.reserve(texts.size());
  std::vector<WordId> sorted;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto list = texts.list(i);
    sorted.assign(list.begin(), list.end());
    std::ranges::sort(sorted);
    for (std::size_t from = 0; from < sorted.size();) {
      std::size_t to = from;
      while (to < sorted.size() && sorted[to] == sorted[from]) ++to;
      out.words.push_back(static_cast<std::uint32_t>(index_of(sorted[from])));
      out.values.push_back(static_cast<double>(to - from) / static_cast<double>(sorted.size()));
      from = to;
    }
    out.ends.push_back(out.words.size());
  }
  return out;
}

Documents transposed(const Documents& documents) {
  Documents out{.columns = documents.size(),
                .ends = std::vector<std::size_t>(documents.columns + 1, 0),
                .words = std::vector<std::uint32_t>(documents.words.size()),
                .values = std::vector<double>(documents.values.size())};
  for (const std::uint32_t word : documents.words) ++out.ends[word + 1];
  std::partial_sum(out.ends.begin(), out.ends.end(), out.ends.begin());
  for (std::size_t row = 0; row < documents.size(); ++row) {
    for (std::size_t i = documents.begin_of(row); i < documents.ends[row]; ++i) {
      const std::size_t place = out.ends[documents.words[i]]++;
      out.words[place] = static_cast<std::uint32_t>(row);
      out.values[place] = documents.values[i];
    }
  }
  out.ends.pop_back();  // filling has moved each start to its end
  return out;
}

DenseMatrix product(const Documents& documents, const DenseMatrix& features, unsigned threads) {
  DenseMatrix out = DenseMatrix::zeros(documents.size(), features.columns);
  parallel_blocks(documents.size(), kDocumentBlock, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      double* const to = out.row(row).data();
      for (std::size_t i = documents.begin_of(row); i < documents.ends[row]; ++i) {
        const double value = documents.values[i];
        const double* const from = features.row(documents.words[i]).data();
        for (std::size_t j = 0; j < features.columns; ++j) to[j] += value * from[j];
      }
    }
  });
  return out;
}

}  // namespace sotto
