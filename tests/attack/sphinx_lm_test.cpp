#include "attack/sphinx_lm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attack/arpa.h"
#include "attack/sphinx_fixture.h"
#include "sotto/error.h"
#include "support/models.h"

namespace sotto {
namespace {

using test::small_sphinx_file;
using test::soup_model;
using test::sphinx_bytes;

ImportedLanguage imported_sphinx(const std::string& bytes) {
  return import_sphinx_lm(std::as_bytes(std::span(bytes)), soup_model(), "soup");
}

std::string sphinx_refusal(const std::string& bytes) {
  try {
    imported_sphinx(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    return error.what();
  }
  return "accepted";
}

// The same n-grams as text.
const std::string kArpa =
    "\\data\\\nngram 1=5\nngram 2=3\nngram 3=1\n\n\\1-grams:\n"
    "-99\t<s>\t-0.30103\n-0.30103\tThe\t-0.30103\n-0.60206\tsoup\t0\n-0.60206\twas\n-1\tcanaryword\n\n"
    "\\2-grams:\n-0.1249387\t<s> the\t-0.30103\n-1\tthe the\n-0.60206\tthe soup\n\n"
    "\\3-grams:\n-0.0457575\t<s> the soup\n\n\\end\\\n";

void expect_same(const ImportedLanguage& got, const ImportedLanguage& wanted) {
  EXPECT_EQ(got.words, wanted.words);
  EXPECT_EQ(got.unknown, wanted.unknown);
  EXPECT_EQ(got.parts.order, wanted.parts.order);
  EXPECT_EQ(got.parts.bigram_begins, wanted.parts.bigram_begins);
  EXPECT_EQ(got.parts.bigram_words, wanted.parts.bigram_words);
  EXPECT_EQ(got.parts.trigram_begins, wanted.parts.trigram_begins);
  EXPECT_EQ(got.parts.trigram_words, wanted.parts.trigram_words);
  using ::testing::FloatNear;
  using ::testing::Pointwise;
  EXPECT_THAT(got.parts.unigram, Pointwise(FloatNear(1e-5F), wanted.parts.unigram));
  EXPECT_THAT(got.parts.values, Pointwise(FloatNear(1e-5F), wanted.parts.values));
  EXPECT_THAT(got.parts.lambda, Pointwise(FloatNear(1e-5F), wanted.parts.lambda));
  EXPECT_THAT(got.parts.trigram_values, Pointwise(FloatNear(1e-5F), wanted.parts.trigram_values));
  EXPECT_THAT(got.parts.mu, Pointwise(FloatNear(1e-5F), wanted.parts.mu));
}

// A trie read in the order of the text, or a field of a wrong width, would give other n-grams.
TEST(SphinxLm, GivesWhatTheSameArpaFileGives) {
  const ImportedLanguage wanted = import_arpa(*source_of_string(kArpa), soup_model(), "soup");
  const ImportedLanguage got = imported_sphinx(sphinx_bytes(small_sphinx_file()));
  EXPECT_EQ(got.parts.order, 3U);
  EXPECT_FALSE(got.parts.trigram_words.empty());
  expect_same(got, wanted);
  EXPECT_NO_THROW(LanguageModelFile::make(got.parts));
}

TEST(SphinxLm, ReadsOrderTwo) {
  test::SphinxFile file = small_sphinx_file();
  file.order = 2;
  file.grams.pop_back();
  for (test::SphinxGram& gram : file.grams) {
    if (gram.words.size() == 2) gram.log10_back_off = 0;
  }
  std::string arpa = kArpa;
  arpa.erase(arpa.find("-0.0457575"), arpa.find("\\end\\") - arpa.find("-0.0457575"));
  expect_same(imported_sphinx(sphinx_bytes(file)),
              import_arpa(*source_of_string(arpa), soup_model(), "soup"));
}

TEST(SphinxLm, RefusesEveryCutAndNeverQuotesAWord) {
  const std::string whole = sphinx_bytes(small_sphinx_file());
  for (std::size_t size = 0; size < whole.size(); size += size < 40 || size > whole.size() - 300 ? 1 : 9973) {
    const std::string message = sphinx_refusal(whole.substr(0, size));
    EXPECT_THAT(message, ::testing::StartsWith("the Sphinx language model")) << size;
    EXPECT_THAT(message, ::testing::Not(::testing::HasSubstr("canaryword")));
  }
}

TEST(SphinxLm, RefusesEntriesOutOfOrder) {
  const std::string whole = sphinx_bytes(small_sphinx_file());
  const std::size_t unigrams = 19 + 1 + 3 * 4 + 4 + 3 * 65536 * 4;
  std::string forged = whole;
  forged[unigrams + 8] = 100;  // the first word's entries begin behind the last entry
  EXPECT_THAT(sphinx_refusal(forged), ::testing::HasSubstr("out of order"));
  forged = whole;
  forged[19] = 4;
  EXPECT_THAT(sphinx_refusal(forged), ::testing::HasSubstr("order other than 2 and 3"));
  forged = whole;
  forged[0] = 'x';
  EXPECT_THAT(sphinx_refusal(forged), ::testing::HasSubstr("another beginning"));
}

}  // namespace
}  // namespace sotto
