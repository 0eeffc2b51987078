#include "text/word_texts.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

// Around 15 bytes, where a word leaves its slot.
TEST(WordTexts, AreThoseOfTheModel) {
  std::vector<std::string> words = {"caf\u00E9", "\u4E2D\u6587"};
  for (std::size_t length = 1; length <= 40; ++length) words.emplace_back(length, 'x');
  const auto model = Model::from_words(words, std::vector<float>(words.size(), 1), 1);
  const WordTexts texts(*model);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t size = texts.size(word_id(i));
    ASSERT_EQ(size, model->word(word_id(i)).size());
    std::string out(size + WordTexts::kBeyond + 1, '#');
    const char* end = texts.copy(word_id(i), out.data());
    EXPECT_EQ(std::string_view(out.data(), end), model->word(word_id(i)));
    EXPECT_EQ(out.back(), '#') << "it wrote more than it may";
  }
}

}  // namespace
}  // namespace sotto
