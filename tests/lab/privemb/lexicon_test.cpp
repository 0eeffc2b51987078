#include "lab/privemb/lexicon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_folder.h"
#include "sotto/error.h"

namespace sotto::lab {
namespace {

TEST(Lexicon, ReadsBothListsAndDropsWhatIsInBoth) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "opinion_lexicon");
  std::ofstream(folder.path() / "opinion_lexicon/positive-words.txt")
      << "; a comment\n;\n\nfine\nenvious\nGood\nfine\nunheard\n";
  std::ofstream(folder.path() / "opinion_lexicon/negative-words.txt", std::ios::binary)
      << ";\nbad\nenvious\nna\xEFve\r\n";
  const auto model =
      Model::from_words({"bad", "envious", "fine", "good", "na\xC3\xAFve"}, {1, 2, 3, 4, 5}, 1);
  const Lexicon lexicon = load_lexicon(DataFolder(folder.path()), model);
  EXPECT_EQ(lexicon.positive, (std::vector{word_id(2), word_id(3)}));
  EXPECT_EQ(lexicon.negative, (std::vector{word_id(0), word_id(4)}));
  EXPECT_EQ(lexicon.positive_listed, 5U);
  EXPECT_EQ(lexicon.negative_listed, 3U);
}

TEST(Lexicon, NamesTheMissingListAndWhereItIsPublished) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "positive-words.txt") << "fine\n";
  const auto model = Model::from_words({"fine"}, {1}, 1);
  try {
    (void)load_lexicon(DataFolder(folder.path()), model);
    FAIL() << "there is no negative list";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input_output);
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("negative-words.txt"),
                                               ::testing::HasSubstr("cs.uic.edu")));
  }
}

}  // namespace
}  // namespace sotto::lab
