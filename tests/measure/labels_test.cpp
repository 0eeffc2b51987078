#include "sotto/labels.h"

#include <gtest/gtest.h>

#include "sotto/error.h"

#include "measure/refusals.h"

namespace sotto {
namespace {

using test::expect_refused;

std::shared_ptr<const Model> opinions() {
  return Model::from_words({"good", "bad", "na\xC3\xAFve", "table", "envious"}, {0, 1, 2, 3, 4}, 1);
}

Labels pairs(const std::string& text) {
  const auto source = source_of_string(text);
  return read_labels(opinions(), *source);
}
Labels lists(const std::string& positive, const std::string& negative) {
  std::vector<LabelList> both;
  both.push_back({.label = "positive", .source = source_of_string(positive)});
  both.push_back({.label = "negative", .source = source_of_string(negative)});
  return read_labels(opinions(), std::move(both));
}

TEST(Labels, TwoColumns) {
  const Labels labels = pairs("Good\tpositive\nbad\tnegative\nzanzibarcanary\tnegative\n");
  EXPECT_EQ(labels.names, (std::vector<std::string>{"positive", "negative"}));
  EXPECT_EQ(labels.of, (std::vector<std::int32_t>{0, 1, Labels::kNone, Labels::kNone, Labels::kNone}));
  EXPECT_EQ(labels.labelled, 2U);
  EXPECT_EQ(labels.unknown, 1U);
  EXPECT_EQ(pairs("good,positive\nbad negative").of, labels.of);
}

// As the opinion lexicon is: comments, Latin-1, words in both lists.
TEST(Labels, Lists) {
  const Labels labels =
      lists(";;;;\n; Opinion Lexicon\n\ngood\nenvious\n", ";\nbad\r\nna\xEFve\nenvious\n2-faces\n");
  EXPECT_EQ(labels.of, (std::vector<std::int32_t>{0, 1, 1, Labels::kNone, Labels::kNone}));
  EXPECT_EQ(labels.conflicts, 1U);
  EXPECT_EQ(labels.latin1_lines, 1U);
  EXPECT_EQ(labels.unknown, 1U);
  EXPECT_EQ(labels.labelled, 3U);
  EXPECT_EQ(labels.entries, 6U);
}

TEST(Labels, FromMemoryAreThoseOfAFile) {
  const Labels file = pairs(
      "Good\tpositive\nbad\tnegative\nenvious\tpositive\nzanzibarcanary\tnegative\nenvious\tnegative\n");
  const std::vector<WordLabel> given = {{"Good", "positive"},
                                        {"bad ", " negative"},
                                        {"envious", "positive"},
                                        {"zanzibarcanary", "negative"},
                                        {"envious", "negative"}};
  const Labels memory = labels_of(opinions(), given);
  EXPECT_EQ(memory.names, file.names);
  EXPECT_EQ(memory.of, file.of);
  EXPECT_EQ(memory.labelled, file.labelled);
  EXPECT_EQ(memory.entries, file.entries);
  EXPECT_EQ(memory.unknown, file.unknown);
  EXPECT_EQ(memory.conflicts, file.conflicts);
  for (const char* bad : {"", " ", "red\x1b[31m", "\xFF"}) {
    const std::vector<WordLabel> wrong = {{"good", "positive"}, {"zanzibarcanary", bad}};
    expect_refused([&] { (void)labels_of(opinions(), wrong); }, "entry 2");
  }
  const std::vector<WordLabel> one = {{"good", "positive"}, {"zanzibarcanary", "negative"}};
  expect_refused([&] { (void)labels_of(opinions(), one); }, "at least two labels");
}

TEST(Labels, ClearErrors) {
  expect_refused([] { lists("zanzibarcanary\n", "zanzibarcanary\n"); },
                 "0 of the 2 lines with labels are words of the model");
  expect_refused([] { lists("good\n", "zanzibarcanary\n"); }, "at least two labels");
  expect_refused([] { pairs(""); }, "at least two labels");
  expect_refused([] { pairs("good positive\nzanzibarcanary\n"); }, "line 2");
  expect_refused([] { pairs("good positive\nzanzibarcanary\t" + std::string(100, 'x') + "\n"); }, "line 2");
  expect_refused([] { pairs("good positive\nzanzibarcanary\tred\x1b[31m\n"); }, "line 2");
  std::string many;
  for (int i = 0; i < 70; ++i) many += "good\tlabel" + std::to_string(i) + "\n";
  expect_refused([&] { pairs(many); }, "more than 64");
}

}  // namespace
}  // namespace sotto
