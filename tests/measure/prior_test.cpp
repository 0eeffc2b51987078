#include "sotto/prior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/infinity.h"
#include "measure/refusals.h"
#include "sotto/error.h"
#include "support/models.h"

namespace sotto {
namespace {

using test::expect_refused;

std::shared_ptr<const Model> animals() {
  return Model::from_words({"cat", "dog", "na\xC3\xAFve", "dont"}, {0, 1, 2, 3}, 1);
}

Prior counted(const std::string& text) {
  const auto source = source_of_string(text);
  return counted_prior(animals(), *source);
}

TEST(Prior, OfTheModelAlone) {
  const auto model = animals();
  const Prior uniform = uniform_prior(*model);
  EXPECT_EQ(uniform.support.size(), 4U);
  EXPECT_EQ(uniform.constant_guess(), 0.75);
  const Prior rank = frequency_rank_prior(*model);
  EXPECT_EQ(rank.mode(), word_id(0));
  EXPECT_NEAR(std::accumulate(rank.weights.begin(), rank.weights.end(), 0.0), 1, 1e-12);
}

TEST(Prior, CountsAreFoldedAddedAndNormalised) {
  for (const char* text : {"Cat\t3\nDOG\t1\nzanzibarcanary\t9\ncat\t4\n", "Cat,3\nDOG,1\nbird,9\ncat,4",
                           "\xEF\xBB\xBF"
                           "Cat 3\r\nDOG  1\r\nbird 9\r\n\r\ncat 4\r\n"}) {
    const Prior prior = counted(text);
    EXPECT_DOUBLE_EQ(prior.weights[0], 7.0 / 8);
    EXPECT_DOUBLE_EQ(prior.weights[1], 1.0 / 8);
    EXPECT_EQ(prior.support.size(), 2U);
    EXPECT_EQ(prior.entries, 4U);
    EXPECT_EQ(prior.unknown, 1U);
  }
  EXPECT_EQ(counted("don't 2\n").mode(), word_id(3));
  EXPECT_EQ(counted("na\xEFve 2\n").mode(), word_id(2));  // Latin-1
}

TEST(Prior, WeightsFromMemoryAreTheCountsOfAFile) {
  const Prior file = counted("Cat\t3\n DOG \t1\nzanzibarcanary\t9\ncat\t0.5\ndon't\t0\n");
  const std::vector<WordWeight> weights = {
      {"Cat", 3}, {" DOG\n", 1}, {"zanzibarcanary", 9}, {"cat", 0.5}, {"don't", 0}};
  const Prior memory = weighted_prior(animals(), weights);
  EXPECT_EQ(memory.weights, file.weights);
  EXPECT_EQ(memory.support, file.support);
  EXPECT_EQ(memory.entries, file.entries);
  EXPECT_EQ(memory.unknown, file.unknown);
  EXPECT_EQ(memory.description, "given weights, 2 words");
}

TEST(Prior, BadWeightsNameTheEntry) {
  const auto weighted = [](std::string word, double weight) {
    const std::vector<WordWeight> weights = {{"cat", 1}, {std::move(word), weight}};
    (void)weighted_prior(animals(), weights);
  };
  expect_refused([&] { weighted("zanzibarcanary", -1); }, "entry 2");
  expect_refused([&] { weighted("zanzibarcanary", std::nan("")); }, "entry 2");
  expect_refused([&] { weighted("zanzibarcanary", kInfinity); }, "entry 2");
  expect_refused([&] { weighted(" \t", 1); }, "entry 2");
  expect_refused([&] { weighted("zanzibarcanary\xFF", 1); }, "entry 2");
  expect_refused([] { (void)weighted_prior(animals(), {}); }, "no word of the model");
  const std::vector<WordWeight> unknown = {{"zanzibarcanary", 5}, {"cat", 0}};
  expect_refused([&] { (void)weighted_prior(animals(), unknown); }, "no word of the model");
  const std::vector<WordWeight> huge = {{"cat", 1e308}, {"cat", 1e308}};
  expect_refused([&] { (void)weighted_prior(animals(), huge); }, "add up to more than 1.7e308");
}

TEST(WordList, FromMemoryIsThatOfAFile) {
  const auto source = source_of_string("DOG\ncat\nbird\ncat\n");
  const WordList file = read_word_list(animals(), *source);
  const WordList memory = word_list(animals(), std::vector<std::string>{"DOG", " cat", "bird", "cat"});
  EXPECT_EQ(memory.words, file.words);
  EXPECT_EQ(memory.entries, file.entries);
  EXPECT_EQ(memory.unknown, file.unknown);
  expect_refused([] { (void)word_list(animals(), std::vector<std::string>{"zanzibarcanary"}); },
                 "none of the 1 entries");
}

TEST(Prior, BadCountsNameTheLine) {
  for (const char* line : {"zanzibarcanary", "zanzibarcanary x", "cat -1", "cat nan", "cat inf", "cat 1e999",
                           "cat 0x3", "\t3", "zanzibarcanary 1 zanzibarcanary"}) {
    expect_refused([&] { counted(std::string("cat 1\n\n") + line + "\n"); }, "line 3");
  }
  expect_refused([] { counted("zanzibarcanary 5\n"); }, "no word of the model");
  expect_refused([] { counted("cat 0\n"); }, "no word of the model");
  expect_refused([] { counted(""); }, "no word of the model");
  expect_refused([] { counted("cat 1e308\ncat 1e308\n"); }, "add up to more than 1.7e308");
}

TEST(Prior, CorpusIsTokenisedAsText) {
  const auto source = source_of_string("Cat, dog! cat\nzanzibarcanary don't\n\nCAT");
  const Prior prior = corpus_prior(animals(), *source);
  EXPECT_DOUBLE_EQ(prior.weights[0], 3.0 / 5);
  EXPECT_DOUBLE_EQ(prior.weights[3], 1.0 / 5);
  EXPECT_EQ(prior.entries, 6U);
  EXPECT_EQ(prior.unknown, 1U);
  expect_refused(
      [] {
        const auto bad = source_of_string("cat\nzanzibarcanary \xff\n");
        corpus_prior(animals(), *bad);
      },
      "line 2");
  expect_refused(
      [] {
        const auto none = source_of_string("zanzibarcanary\n");
        corpus_prior(animals(), *none);
      },
      "no word of the model");
}

TEST(Prior, WordListsRestrict) {
  const auto model = animals();
  const auto source = source_of_string("; a comment\nDog\n\nzanzibarcanary\ncat\ndog\n");
  const WordList list = read_word_list(model, *source);
  EXPECT_EQ(list.words, (std::vector<WordId>{word_id(0), word_id(1)}));
  EXPECT_EQ(list.unknown, 1U);
  const Prior prior = restricted(uniform_prior(*model), list);
  EXPECT_EQ(prior.support, list.words);
  EXPECT_DOUBLE_EQ(prior.weights[0], 0.5);
  expect_refused([&] { restricted(counted("dont 1\n"), list); },
                 "every word of the list (2 words) has probability 0");
  expect_refused(
      [&] {
        const auto none = source_of_string("zanzibarcanary\n");
        read_word_list(model, *none);
      },
      "none of the 1 lines");
}

}  // namespace
}  // namespace sotto
