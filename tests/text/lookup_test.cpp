#include "text/lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/fake_mechanism.h"

namespace sotto {
namespace {

using test::words_model;

class LookupTest : public testing::Test {
 protected:
  static std::string found(const std::shared_ptr<const Model>& model, std::string_view token) {
    const auto id = Lookup(model).find(token);
    return id ? std::string(model->word(*id)) : "";
  }
};

TEST_F(LookupTest, FoldsThenDropsApostrophes) {
  const auto model = words_model({"the", "dont", "it's", "its", "caf\u00E9", "strasse", "an", "me"});
  EXPECT_EQ(found(model, "THE"), "the");
  EXPECT_EQ(found(model, "Don't"), "dont");
  EXPECT_EQ(found(model, "DON\u2019T"), "dont");
  EXPECT_EQ(found(model, "It\u2019s"), "it's");  // the plain form wins
  EXPECT_EQ(found(model, "ITS"), "its");
  EXPECT_EQ(found(model, "CAFE\u0301"), "caf\u00E9");
  EXPECT_EQ(found(model, "Stra\u00DFe"), "strasse");
  EXPECT_EQ(found(model, "xyzzy"), "");
  EXPECT_EQ(found(model, "'"), "");
  EXPECT_EQ(found(model, ""), "");
}

TEST_F(LookupTest, OneLetterRuleOnlyForModelsWithoutOneLetterWords) {
  const auto without = words_model({"an", "me", "the"});
  EXPECT_EQ(found(without, "a"), "an");
  EXPECT_EQ(found(without, "A"), "an");
  EXPECT_EQ(found(without, "I"), "me");
  EXPECT_EQ(found(without, "b"), "");
  EXPECT_EQ(Lookup(without).rules().size(), 4U);

  const auto with = words_model({"an", "me", "the", "x"});
  EXPECT_EQ(found(with, "a"), "");
  EXPECT_EQ(found(with, "I"), "");
  EXPECT_EQ(Lookup(with).rules().size(), 3U);
}

TEST_F(LookupTest, LongWordsTakeTheGeneralPathToTheSameAnswer) {
  for (const std::size_t length : {63U, 64U, 65U, 300U}) {
    const std::string word(length, 'w');
    EXPECT_EQ(found(words_model({word}), std::string(length, 'W')), word);
    EXPECT_EQ(found(words_model({word}), "W'" + std::string(length - 1, 'W')), word);
  }
}

TEST(DefaultAnchor, SomethingElseTheWordNearestToTheMean) {
  EXPECT_EQ(default_anchor(*words_model({"a", "b", "something"})), word_id(2));
  // Mean of 0, 1, 2, 3, 10 is 3.2.
  const auto skewed = Model::from_words({"a", "b", "c", "d", "e"}, {0, 1, 2, 3, 10}, 1);
  EXPECT_EQ(default_anchor(*skewed), word_id(3));
  EXPECT_EQ(default_anchor(*words_model({"only"})), word_id(0));
}

}  // namespace
}  // namespace sotto
