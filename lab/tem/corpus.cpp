#include "lab/tem/corpus.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/parallel.h"
#include "lab/shuffle.h"
#include "text/lookup.h"
#include "text/strip_html.h"
#include "text/words.h"

namespace sotto::lab {

namespace {

constexpr std::size_t kDocumentBlock = 500;
constexpr std::size_t kTokenBlock = std::size_t{1} << 16;

Corpus tokenise_block(const LabelledTexts& texts, std::size_t begin, std::size_t end, const Lookup& lookup,
                      WordId anchor) {
  WordBreaker breaker;
  std::vector<Token> tokens;
  std::string stripped;
  Corpus out;
  for (std::size_t i = begin; i < end; ++i) {
    stripped.clear();
    strip_html(texts.texts[i], stripped);
    tokens.clear();
    breaker.split(stripped, tokens);
    for (const Token token : tokens) {
      const auto found = lookup.find(std::string_view(stripped).substr(token.begin, token.end - token.begin));
      out.words.push_back(found.value_or(anchor));
      out.unknown += found ? 0 : 1;
    }
    out.ends.push_back(out.words.size());
    out.labels.push_back(texts.labels[i]);
  }
  return out;
}

void append(Corpus& all, const Corpus& block) {
  const std::size_t before = all.words.size();
  all.words.insert(all.words.end(), block.words.begin(), block.words.end());
  for (const std::size_t end : block.ends) all.ends.push_back(before + end);
  all.labels.insert(all.labels.end(), block.labels.begin(), block.labels.end());
  all.unknown += block.unknown;
}

}  // namespace

Corpus tokenise(const LabelledTexts& texts, const std::shared_ptr<const Model>& model, unsigned threads) {
  const Lookup lookup(model);
  const WordId anchor = default_anchor(*model);
  std::vector<Corpus> blocks((texts.texts.size() + kDocumentBlock - 1) / kDocumentBlock);
  parallel_blocks(texts.texts.size(), kDocumentBlock, threads, [&](std::size_t begin, std::size_t end) {
    blocks[begin / kDocumentBlock] = tokenise_block(texts, begin, end, lookup, anchor);
  });
  Corpus all;
  for (const Corpus& block : blocks) append(all, block);
  return all;
}

Bags bags_of(const Corpus& corpus) {
  Bags bags;
  for (std::size_t i = 0; i < corpus.size(); ++i) bags.add(corpus.document(i), corpus.labels[i]);
  return bags;
}

Released release(const Corpus& corpus, std::span<const std::uint32_t> documents,
                 const WordMechanism& mechanism, std::uint64_t seed) {
  std::vector<WordId> in;
  for (const std::uint32_t document : documents) {
    const std::span<const WordId> words = corpus.document(document);
    in.insert(in.end(), words.begin(), words.end());
  }
  std::vector<WordId> out(in.size());
  const RandomSource source = RandomSource::seeded_not_private(seed);
  for (std::size_t at = 0; at < in.size(); at += kTokenBlock) {
    const std::size_t count = std::min(kTokenBlock, in.size() - at);
    Rng rng = source.stream(at / kTokenBlock);
    mechanism.sample_batch(std::span(in).subspan(at, count), std::span(out).subspan(at, count), rng);
  }
  Released released;
  std::size_t at = 0;
  for (const std::uint32_t document : documents) {
    const std::size_t length = corpus.document(document).size();
    released.bags.add(std::span(out).subspan(at, length), corpus.labels[document]);
    at += length;
  }
  std::size_t same = 0;
  for (std::size_t i = 0; i < in.size(); ++i) same += in[i] == out[i] ? 1 : 0;
  released.unchanged = static_cast<double>(same) / static_cast<double>(std::max<std::size_t>(in.size(), 1));
  return released;
}

Halves random_halves(const Corpus& corpus, std::size_t most, std::uint64_t seed) {
  Rng rng = Rng::seeded_not_private(seed);
  std::array<std::vector<std::uint32_t>, 2> classes;
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    classes[corpus.labels[i]].push_back(static_cast<std::uint32_t>(i));
  }
  Halves halves;
  for (std::vector<std::uint32_t>& members : classes) {
    shuffle(members, rng);
    const std::size_t half = std::min(members.size() / 2, most / 2);
    const auto middle = members.begin() + static_cast<std::ptrdiff_t>(half);
    halves.first.insert(halves.first.end(), members.begin(), middle);
    halves.second.insert(halves.second.end(), middle, middle + static_cast<std::ptrdiff_t>(half));
  }
  return halves;
}

}  // namespace sotto::lab
