#include "attack/column_store.h"

#include <gtest/gtest.h>

#include <vector>

namespace sotto {
namespace {

constexpr std::size_t kStoredWords = 1000;

float value_of(WordId output, std::size_t word) {
  return static_cast<float>(index_of(output) * kStoredWords + word);
}

// Values that tell output and word apart, and a count of what was asked for.
class CountingChannel final : public Channel {
 public:
  void columns(std::span<const WordId> outputs, std::span<float> out, const Work& /*work*/) const override {
    ASSERT_EQ(out.size(), outputs.size() * kStoredWords);
    asked += outputs.size();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      for (std::size_t w = 0; w < kStoredWords; ++w) out[i * kStoredWords + w] = value_of(outputs[i], w);
    }
  }
  mutable std::size_t asked = 0;
};

void expect_columns(const ColumnStore& store, std::span<const WordId> outputs) {
  for (const WordId output : outputs) {
    const float* column = store.column(output);
    for (std::size_t w = 0; w < kStoredWords; ++w)
      ASSERT_EQ(column[w], value_of(output, w)) << index_of(output);
  }
}

std::vector<WordId> ids(std::initializer_list<std::size_t> given) {
  std::vector<WordId> out;
  for (const std::size_t id : given) out.push_back(word_id(id));
  return out;
}

// Outputs that stay come in another order and from other places: a column that is overwritten before it has
// moved shows.
TEST(ColumnStore, KeepsTheColumnsThatOccurAgain) {
  const CountingChannel channel;
  LargeMemory memory;
  ColumnStore store(channel, kStoredWords, 8, memory);
  struct Batch {
    std::vector<WordId> outputs;
    std::size_t asked;
  };
  const std::vector<Batch> batches = {{ids({5, 1, 9, 2, 7}), 5},    {ids({7, 3, 9, 4}), 2}, {ids({4, 9}), 0},
                                      {ids({8, 9, 3, 6, 5, 4}), 4}, {ids({}), 0},           {ids({9, 4}), 2}};
  for (const Batch& batch : batches) {
    channel.asked = 0;
    store.load(batch.outputs, {});
    EXPECT_EQ(channel.asked, batch.asked);
    expect_columns(store, batch.outputs);
  }
}

// More outputs than were announced need more memory, and nothing that was kept survives that.
TEST(ColumnStore, GrowsForABatchThatIsTooLarge) {
  const CountingChannel channel;
  LargeMemory memory;
  ColumnStore store(channel, kStoredWords, 2, memory);
  store.load(ids({1, 2}), {});
  std::vector<WordId> many;
  for (std::size_t i = 1; i < 900; ++i) many.push_back(word_id(i));  // 3.6 MB: above one huge page
  store.load(many, {});
  expect_columns(store, many);
}

// The next run may ask about another channel: it starts with nothing, whatever the memory holds.
TEST(ColumnStore, TakesNothingFromAnEarlierRun) {
  const CountingChannel channel;
  LargeMemory memory;
  ColumnStore(channel, kStoredWords, 8, memory).load(ids({1, 2}), {});
  ColumnStore store(channel, kStoredWords, 8, memory);
  channel.asked = 0;
  store.load(ids({1, 2}), {});
  EXPECT_EQ(channel.asked, 2U);
}

}  // namespace
}  // namespace sotto
