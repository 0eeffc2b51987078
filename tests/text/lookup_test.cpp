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

// find_all() against find(), on tokens around the lengths and bytes where it takes another way: 8 and 12
// bytes, the end of the text (a token is read 16 bytes at a time), zero bytes, other scripts, apostrophes,
// capital letters.
TEST_F(LookupTest, AllTokensOfATextGetTheWordsThatEachWouldGet) {
  std::vector<std::string> words = {"an", "me", "the", "dont", "it's", "caf\u00E9", "something"};
  for (std::size_t length = 3; length <= 20; ++length) words.push_back(std::string(length - 1, 'q') + "e");
  const auto model = words_model(words);
  const Lookup lookup(model);
  const ShortWords table(*model);
  std::vector<std::string> tokens = words;
  tokens.insert(tokens.end(), {"A", "I", "[", "@", "`", "{", "THE", "Don't", "It\u2019s", "CAF\u00C9",
                               "Qqqqqqqe", "qqqqqqq", std::string(1, '\0'), std::string("z\0", 2),
                               std::string("the\0", 4), "tHeX", "QQQQQQQQQQQE"});
  for (std::size_t first = 0; first < tokens.size(); ++first) {
    std::string text;
    std::vector<Token> places;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string& token = tokens[(first + i) % tokens.size()];
      places.push_back(
          {static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(text.size() + token.size())});
      text += token + "Z";
    }
    text.pop_back();  // the last token ends the text
    text.shrink_to_fit();
    std::vector<WordId> found_words;
    std::vector<std::uint8_t> is_unknown;
    const WordId anchor = word_id(6);
    lookup.find_all(table, text, places, anchor, found_words, is_unknown);
    ASSERT_EQ(found_words.size(), places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto expected = lookup.find(text.substr(places[i].begin, places[i].end - places[i].begin));
      EXPECT_EQ(found_words[i], expected.value_or(anchor)) << (first + i) % tokens.size();
      EXPECT_EQ(is_unknown[i] != 0, !expected) << (first + i) % tokens.size();
    }
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
