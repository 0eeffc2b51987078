#include "lab/privemb/figure4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "lab/experiments.h"
#include "sotto/error.h"
#include "sotto/model.h"

namespace sotto::lab {
namespace {

namespace fs = std::filesystem;
using sotto::test::contents;
using ::testing::HasSubstr;

constexpr std::size_t kWords = 80;

std::string word(std::size_t i) {
  return std::string("w") + static_cast<char>('a' + i / 20) + static_cast<char>('a' + i % 20);
}

TEST(SkipGram, TheCommandSaysWhatDecidesTheVectors) {
  EXPECT_EQ(skipgram_command({.dim = 50, .epochs = 2, .least_count = 3}),
            "fasttext skipgram -input TEXT -output VECTORS -dim 50 -epoch 2 -minCount 3 -maxn 0 -thread 1 "
            "-verbose 0");
}

// 300 reviews of words by chance: each of the 80 words occurs about 150 times.
class Figure4 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_fasttext()) GTEST_SKIP() << "there is no program fasttext here (`make lab` installs it)";
    fs::create_directories(folder_.path() / "imdb");
    std::ofstream reviews(folder_.path() / "imdb/imdb_unsup.txt");
    Rng rng = Rng::seeded_not_private(9);
    for (int i = 0; i < 300; ++i) {
      for (int k = 0; k < 40; ++k)
        reviews << (k == 0 ? "<br />A " : ", ") << word(uniform_below(rng, kWords));
      reviews << ".\n";
    }
    std::ofstream positive(folder_.path() / "positive-words.txt");
    std::ofstream negative(folder_.path() / "negative-words.txt");
    for (std::size_t i = 0; i < kWords; ++i) (i % 2 == 0 ? positive : negative) << word(i) << '\n';
  }
  RunRequest request(const std::string& output) const {
    return {.data = folder_.path(),
            .output = folder_.path() / output,
            .extent = Extent::quick,
            .threads = 1,
            .parts = {"figure4"}};
  }
  fs::path file(const std::string& output, const std::string& name) const {
    return folder_.path() / output / "figure4" / name;
  }
  test::TemporaryFolder folder_;
};

TEST_F(Figure4, TrainsTheSameWordsInEveryDimensionAndMeasuresThem) {
  run_privemb(request("one"));
  const auto full = Model::open(file("one", "vectors-300-of-2500.sotto"));
  const auto few = Model::open(file("one", "vectors-50-of-2500.sotto"));
  EXPECT_EQ(full->dim(), 300U);
  EXPECT_EQ(few->dim(), 50U);
  ASSERT_EQ(full->size(), kWords + 1);  // and "a"; no tags, no end of a line
  ASSERT_EQ(few->size(), full->size());
  for (std::size_t i = 0; i < full->size(); ++i) EXPECT_EQ(full->word(word_id(i)), few->word(word_id(i)));

  const std::string lexicon = contents(file("one", "lexicon.csv"));
  for (const char* row : {"A1 50,5,0,50,", "M2 50,5,0,50,", "pca 50,5,0,50,", "M1 300,5,0,300,",
                          "no noise 50,5,0,50,", "no noise 300,5,0,300,", "pure noise,5,0,300,"}) {
    EXPECT_THAT(lexicon, HasSubstr(row));
  }
  const std::string tables = contents(file("one", "tables.md"));
  EXPECT_THAT(tables, HasSubstr("| 50 |"));
  EXPECT_THAT(tables, HasSubstr("## At equal E_opt"));
  EXPECT_THAT(contents(file("one", "figure-4-50-accuracy.svg")), HasSubstr("A1 50"));
  EXPECT_THAT(contents(file("one", "run.json")), HasSubstr("fasttext skipgram"));
  // Nothing of the training is left but the models.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path() / "one" / "figure4")) {
    EXPECT_TRUE(entry.is_regular_file()) << entry.path();
  }
}

// Vectors that are there are not trained again; a second training has the same vectors.
TEST_F(Figure4, GoesOnAndCanBeRepeated) {
  run_privemb(request("one"));
  const std::string lexicon = contents(file("one", "lexicon.csv"));
  const auto written = fs::last_write_time(file("one", "vectors-300-of-2500.sotto"));
  fs::resize_file(file("one", "lexicon.csv"), lexicon.size() / 2);
  fs::remove(file("one", "vectors-50-of-2500.sotto"));
  run_privemb(request("one"));
  EXPECT_EQ(contents(file("one", "lexicon.csv")), lexicon);
  EXPECT_EQ(fs::last_write_time(file("one", "vectors-300-of-2500.sotto")), written);
}

TEST_F(Figure4, AFailureOfTheTrainingIsAnError) {
  std::ofstream(folder_.path() / "imdb/imdb_unsup.txt") << "one two three\n";  // no word occurs often enough
  EXPECT_THROW(run_privemb(request("one")), Error);
  EXPECT_FALSE(fs::exists(file("one", "vectors-300-of-2500.sotto")));
}

}  // namespace
}  // namespace sotto::lab
