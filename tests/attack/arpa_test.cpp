#include "attack/arpa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/error.h"
#include "support/models.h"

namespace sotto {
namespace {

using test::soup_model;

ImportedLanguage imported_arpa(const std::string& text) {
  return import_arpa(*source_of_string(text), soup_model(), "soup");
}

const std::string kSmall =
    "\\data\\\nngram 1=5\nngram 2=3\nngram 3=1\n\n\\1-grams:\n"
    "-99\t<s>\t-0.3010300\n-0.3010300\tThe\t-0.3010300\n-0.6020600\tsoup\t0\n-0.6020600\twas\n-"
    "1\tcanaryword\n\n"
    "\\2-grams:\n-0.1249387\t<s> the\t-0.3010300\n-1\tthe the\n-0.6020600\tthe soup\n\n"
    "\\3-grams:\n-0.0457575\t<s> the soup\n\n\\end\\\n";

TEST(Arpa, GivesTheBackOffModel) {
  const ImportedLanguage got = imported_arpa(kSmall);
  EXPECT_EQ(got.words, 5U);
  EXPECT_EQ(got.unknown, 1U);  // canaryword
  const auto file = LanguageModelFile::make(got.parts);
  const LanguageModel& lm = file->model();
  // the .5, soup .25, was .25, and cold as rare as the rarest: .25. Their sum is 1.25.
  EXPECT_NEAR(lm.unigram[0], 0.4, 1e-6);
  EXPECT_NEAR(lm.unigram[3], 0.2, 1e-6);
  // After `the`: the .1, soup .25; was and cold by back-off .5 * .2 each. The sum is .55.
  EXPECT_NEAR(lm.bigram(0, 0), 0.1 / 0.55, 1e-5);
  EXPECT_NEAR(lm.bigram(0, 1), 0.25 / 0.55, 1e-5);
  EXPECT_NEAR(lm.bigram(0, 2), 0.1 / 0.55, 1e-5);
  EXPECT_LT(lm.values[*lm.bigrams.find(0, 0)], 0);  // S may be negative
  // After `<s> the`: soup .9, others .5 times the bigram.
  const double rest = 0.5 * (1 - lm.bigram(0, 1));
  EXPECT_NEAR(lm.trigram(lm.start(), 0, 1), 0.9 / (0.9 + rest), 1e-5);
}

TEST(Arpa, EveryContextSumsToOne) {
  const auto file = LanguageModelFile::make(imported_arpa(kSmall).parts);
  const LanguageModel& lm = file->model();
  for (std::size_t u = 0; u <= lm.size; ++u) {
    double bigrams = 0;
    for (std::size_t w = 0; w < lm.size; ++w) bigrams += lm.bigram(u, w);
    EXPECT_NEAR(bigrams, 1, 1e-5);
    for (std::size_t v = 0; v < lm.size; ++v) {
      double trigrams = 0;
      for (std::size_t w = 0; w < lm.size; ++w) trigrams += lm.trigram(u, v, w);
      EXPECT_NEAR(trigrams, 1, 1e-5);
    }
  }
}

// Damaged files are refused with the line, and never quoted.
TEST(Arpa, RefusesDamage) {
  const std::vector<std::string> bad = {"",
                                        "canaryword\n",
                                        "\\data\\\n\\1-grams:\ncanaryword the\n\\end\\\n",
                                        "\\data\\\n\\1-grams:\n-1 the\n",
                                        "\\data\\\n\\1-grams:\n-1 canaryword\n\\end\\\n",
                                        "\\data\\\n\\1-grams:\n-1 the soup was cold\n\\end\\\n",
                                        "\\data\\\n\\1-grams:\nnan the\n\\end\\\n",
                                        "\\data\\\n\\99-grams:\n-1 canaryword\n\\end\\\n",
                                        "\\data\\\n" + std::string(200'000, 'x')};
  for (const std::string& text : bad) {
    try {
      imported_arpa(text);
      ADD_FAILURE() << text.substr(0, 60);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("canary")));
    }
  }
}

}  // namespace
}  // namespace sotto
