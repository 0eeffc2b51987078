#include "attack/forward_backward.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "attack/small_lm.h"

namespace sotto {
namespace {

using Columns = std::vector<std::vector<float>>;  // by token

Columns random_columns(std::size_t tokens, std::size_t words, Rng& rng) {
  Columns out(tokens, std::vector<float>(words));
  for (auto& column : out) {
    for (float& value : column) value = static_cast<float>(1 + uniform_below(rng, 1000)) / 1000;
  }
  return out;
}

std::vector<const float*> pointers(const Columns& columns) {
  std::vector<const float*> out;
  for (const auto& column : columns) out.push_back(column.data());
  return out;
}

// The posterior of every token by walking all sequences of words: words^tokens of them.
std::vector<std::vector<double>> brute_force(const LanguageModel& lm, const Columns& columns) {
  const std::size_t tokens = columns.size();
  std::vector<std::vector<double>> out(tokens, std::vector<double>(lm.size, 0.0));
  std::size_t sequences = 1;
  for (std::size_t t = 0; t < tokens; ++t) sequences *= lm.size;
  std::vector<std::size_t> words(tokens);
  for (std::size_t s = 0; s < sequences; ++s) {
    std::size_t left = s;
    double p = 1;
    for (std::size_t t = 0; t < tokens; ++t) {
      words[t] = left % lm.size;
      left /= lm.size;
      p *= lm.bigram(t == 0 ? lm.start() : words[t - 1], words[t]) * double{columns[t][words[t]]};
    }
    for (std::size_t t = 0; t < tokens; ++t) out[t][words[t]] += p;
  }
  for (auto& posterior : out) {
    double total = 0;
    for (const double p : posterior) total += p;
    for (double& p : posterior) p /= total;
  }
  return out;
}

struct Chain {
  std::shared_ptr<const LanguageModelFile> file;
  BigramChain chain;
  explicit Chain(std::shared_ptr<const LanguageModelFile> given)
      : file(std::move(given)), chain(file->model()) {}
};

// Documents of different lengths in one call, so that lanes start and end at different steps.
void expect_brute_force(const LanguageModelFile& file, std::size_t most_messages) {
  const BigramChain chain(file.model());
  Rng rng = Rng::seeded_not_private(11);
  std::vector<Columns> columns;
  std::vector<std::vector<const float*>> places;
  // More documents than lanes: some lanes hold two, one after the other.
  for (std::size_t d = 0; d < kLanes + 9; ++d)
    columns.push_back(random_columns(1 + d % 5, file.model().size, rng));
  std::vector<ColumnPointers> documents;
  for (const Columns& own : columns) places.push_back(pointers(own));
  for (const auto& own : places) documents.emplace_back(own);
  std::size_t calls = 0;
  forward_backward(chain, documents, {.most_messages = most_messages},
                   [&](std::size_t d, std::size_t t, std::span<const float> posterior) {
                     ++calls;
                     const auto expected = brute_force(file.model(), columns[d]);
                     double total = 0;
                     for (std::size_t w = 0; w < posterior.size(); ++w) {
                       EXPECT_NEAR(posterior[w], expected[t][w], 2e-6) << d << " " << t << " " << w;
                       total += double{posterior[w]};
                     }
                     EXPECT_NEAR(total, 1, 1e-5);
                   });
  std::size_t tokens = 0;
  for (const Columns& own : columns) tokens += own.size();
  EXPECT_EQ(calls, tokens);
}

TEST(ForwardBackward, EqualsBruteForce) {
  const auto text = test::chained_text({});
  expect_brute_force(*test::trained(text, 6, 2), 100);
}

// A bug in the recomputation of blocks would show here only.
TEST(ForwardBackward, CheckpointsChangeNothing) {
  const auto text = test::chained_text({});
  const auto file = test::trained(text, 6, 2);
  expect_brute_force(*file, 2);
  expect_brute_force(*file, 3);
  expect_brute_force(*file, 4);
}

TEST(ForwardBackward, LongDocumentsAgreeWithAndWithoutCheckpoints) {
  const auto file = test::trained(test::chained_text({.words = 40, .documents = 200}), 40, 2);
  const BigramChain chain(file->model());
  Rng rng = Rng::seeded_not_private(5);
  const Columns columns = random_columns(300, 40, rng);
  const auto places = pointers(columns);
  const ColumnPointers document(places);
  std::vector<std::vector<float>> whole(300);
  forward_backward(
      chain, std::span(&document, 1), {.most_messages = 1000},
      [&](std::size_t, std::size_t t, std::span<const float> p) { whole[t].assign(p.begin(), p.end()); });
  forward_backward(chain, std::span(&document, 1), {.most_messages = 37},
                   [&](std::size_t, std::size_t t, std::span<const float> p) {
                     for (std::size_t w = 0; w < p.size(); ++w) EXPECT_EQ(p[w], whole[t][w]) << t;
                   });
}

// Every word and every lane is computed for itself: how documents share lanes, and how threads share the
// rows, must not show in a single bit. 6,000 words make enough ranges of rows for several threads.
TEST(ForwardBackward, NeitherLanesNorThreadsChangeABit) {
  constexpr std::size_t kWords = 6000;
  const auto file =
      test::trained(test::chained_text({.words = kWords, .documents = 18000, .length = 20}), kWords, 2);
  const BigramChain chain(file->model());
  ASSERT_GE(chain.forward().cuts.size(), 8U);
  Rng rng = Rng::seeded_not_private(6);
  std::vector<Columns> columns;
  std::vector<std::vector<const float*>> places;
  for (std::size_t d = 0; d < kLanes + 3; ++d) columns.push_back(random_columns(1 + d % 3, kWords, rng));
  for (const Columns& own : columns) places.push_back(pointers(own));
  const std::vector<ColumnPointers> documents(places.begin(), places.end());
  std::vector<std::vector<std::vector<float>>> together(documents.size());
  for (std::size_t d = 0; d < documents.size(); ++d) together[d].resize(documents[d].size());
  forward_backward(chain, documents, {.most_messages = 100, .threads = 3},
                   [&](std::size_t d, std::size_t t, std::span<const float> p) {
                     together[d][t].assign(p.begin(), p.end());
                   });
  for (std::size_t d = 0; d < documents.size(); ++d) {
    forward_backward(chain, std::span(&documents[d], 1), {.most_messages = 2, .threads = 1},
                     [&](std::size_t, std::size_t t, std::span<const float> p) {
                       EXPECT_TRUE(std::ranges::equal(p, together[d][t])) << d << " " << t;
                     });
  }
}

// Documents go in rounds that share the memory of earlier calls, which holds whatever these left.
TEST(ForwardBackward, RoundsInUsedMemoryChangeNothing) {
  const auto file = test::trained(test::chained_text({.words = 40, .documents = 200}), 40, 2);
  const BigramChain chain(file->model());
  Rng rng = Rng::seeded_not_private(7);
  std::vector<Columns> columns;
  std::vector<std::vector<const float*>> places;
  // 50 documents of up to 30 tokens: three rounds or more of 16 lanes with 31 messages, and with 12 messages
  // some documents need checkpoints.
  for (std::size_t d = 0; d < 50; ++d) columns.push_back(random_columns(d * 7 % 31, 40, rng));
  for (const Columns& own : columns) places.push_back(pointers(own));
  const std::vector<ColumnPointers> documents(places.begin(), places.end());
  std::vector<std::vector<std::vector<float>>> whole(documents.size());
  for (std::size_t d = 0; d < documents.size(); ++d) whole[d].resize(documents[d].size());
  forward_backward(chain, documents, {.most_messages = 1000},
                   [&](std::size_t d, std::size_t t, std::span<const float> p) {
                     whole[d][t].assign(p.begin(), p.end());
                   });
  LargeMemory memory(1 << 20);
  std::memset(memory.data(), 0xFF, memory.size());  // not a number, wherever it is read
  for (const std::size_t most : {31, 12, 1000}) {
    std::vector<std::vector<int>> calls(documents.size());
    for (std::size_t d = 0; d < documents.size(); ++d) calls[d].resize(documents[d].size());
    forward_backward(chain, documents, {.most_messages = most, .memory = &memory},
                     [&](std::size_t d, std::size_t t, std::span<const float> p) {
                       ++calls[d][t];
                       EXPECT_TRUE(std::ranges::equal(p, whole[d][t])) << most << " " << d << " " << t;
                     });
    for (const auto& own : calls) EXPECT_EQ(std::ranges::count(own, 1), std::ssize(own));
  }
}

// Back-off models of ARPA files have S = p - bow p(w), which may be negative.
TEST(ForwardBackward, NegativeEntriesEqualBruteForce) {
  LanguageModelParts parts;
  parts.identity = test::kSomeIdentity;
  parts.order = 2;
  parts.unigram = parts.base = {0.5F, 0.25F, 0.125F, 0.125F};
  // After word 0: p = (.1, .4, .25, .25) as bow 2 and S = p - 2 base, after others base alone.
  parts.bigram_begins = {0, 2, 2, 2, 2, 2};
  parts.bigram_words = {0, 1};
  parts.values = {-0.9F, -0.1F};
  parts.lambda = {2, 1, 1, 1, 1};
  const auto file = LanguageModelFile::make(parts);
  EXPECT_NEAR(file->model().bigram(0, 0), 0.1, 1e-6);
  expect_brute_force(*file, 100);
}

TEST(ForwardBackward, NothingToDoIsNoFault) {
  const Chain own(test::trained(test::chained_text({}), 6, 2));
  const ColumnPointers none;
  forward_backward(own.chain, std::span(&none, 1), {.most_messages = 10},
                   [](std::size_t, std::size_t, std::span<const float>) { FAIL(); });
}

}  // namespace
}  // namespace sotto
