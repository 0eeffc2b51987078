#include "api/guess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "sotto/error.h"
#include "sotto/prior.h"
#include "support/models.h"

namespace sotto::api {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Model> words() {
  static const auto kModel = test::gaussian_model({.words = 60, .dim = 4});
  return kModel;
}

GuessRequest guess_request(const std::string& released, std::string_view mechanism,
                           const ParameterTexts& texts) {
  return {.model = words(), .setting = parse_setting(mechanism, texts), .released = released};
}

// By the definition: every posterior from the laws of all words.
Guess slow_guess(const Mechanism& mechanism, WordId output) {
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  Guess best;
  double total = 0;
  double largest = -1;
  for (std::size_t w = 0; w < mechanism.space->size(); ++w) {
    const std::vector<double> law = mechanism.words->log_law(word_id(w)).value();
    const double joint = prior.weights[w] * std::exp(law[index_of(output)]);
    total += joint;
    if (joint > largest) {
      largest = joint;
      best.word = word_id(w);
    }
  }
  best.posterior = largest / total;
  return best;
}

TEST(Guess, IsTheLargestPosteriorOfEveryOutput) {
  std::string all;
  for (std::size_t w = 0; w < words()->size(); ++w) all += std::string(words()->word(word_id(w))) + " ";
  std::size_t changed = 0;
  const std::pair<std::string_view, ParameterTexts> settings[] = {
      {"tem", {{"epsilon", "1"}}},
      {"tem", {{"epsilon", "4"}, {"gamma", "1.5"}}},
      {"tem", {{"epsilon", "3"}, {"calibration", "flat"}}},
      {"tem", {{"epsilon", "6"}, {"metric", "angular"}}},
      {"uniform", {}},
      {"gumbel-topk", {{"epsilon", "40"}}},
  };
  for (const auto& [name, texts] : settings) {
    const GuessAnswer answer = guess(guess_request(all, name, texts), {.threads = 2});
    ASSERT_EQ(answer.guesses.size(), words()->size()) << name;
    for (std::size_t w = 0; w < words()->size(); ++w) {
      const Guess& own = answer.guesses[w];
      const Guess slow = slow_guess(answer.mechanism, word_id(w));
      EXPECT_EQ(own.output, words()->word(word_id(w)));
      EXPECT_NEAR(own.posterior / slow.posterior, 1, 1e-4) << name << " " << w;
      EXPECT_EQ(own.word, slow.word) << name << " " << w;
      changed += own.word == word_id(w) ? 0 : 1;
    }
  }
  EXPECT_GT(changed, 60U);  // uniform alone gives the most frequent word for nearly all outputs
}

TEST(Guess, FollowsTheWordsOfTheText) {
  const GuessAnswer answer =
      guess(guess_request("W1, w2!\n(w1) zebrafish -- w3", "tem", {{"epsilon", "2"}}), {.threads = 1});
  std::vector<std::string> outputs;
  for (const Guess& own : answer.guesses) outputs.push_back(own.output);
  EXPECT_EQ(outputs, (std::vector<std::string>{"W1", "w2", "w1", "zebrafish", "w3"}));
  EXPECT_EQ(answer.guesses[0].word, answer.guesses[2].word);
  EXPECT_EQ(answer.guesses[0].posterior, answer.guesses[2].posterior);
  EXPECT_FALSE(answer.guesses[3].word);
  const Json json = to_json(answer);
  EXPECT_TRUE(json["guesses"][3]["guess"].is_null());
  EXPECT_TRUE(json["guesses"][3]["posterior"].is_null());
  EXPECT_EQ(json["guesses"][1]["output"], "w2");
  EXPECT_GT(json["guesses"][1]["posterior"], 0);
}

// Every output is the same text, so all that is left is the prior.
TEST(Guess, OfRedactedTextIsTheMostFrequentWord) {
  const GuessAnswer answer = guess(guess_request("[word], [word] of [word]!", "redact", {}), {});
  ASSERT_EQ(answer.guesses.size(), 3U);
  for (const Guess& own : answer.guesses) {
    EXPECT_EQ(own.output, "[word]");
    EXPECT_EQ(own.word, word_id(0));
    EXPECT_NEAR(own.posterior, 1 - answer.prior.constant_guess, 1e-6);
  }
}

TEST(Guess, OfAnEmptyTextIsEmpty) {
  EXPECT_TRUE(guess(guess_request(" ... ", "tem", {{"epsilon", "2"}}), {}).guesses.empty());
}

TEST(Guess, NeedsAClosedLaw) {
  try {
    (void)guess(guess_request("w1", "laplace", {{"epsilon", "2"}}), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("closed form"));
  }
}

TEST(Guess, RefusesMoreDifferentWordsThanAllowed) {
  GuessRequest request = guess_request("w1 w2 w1 w2 w1", "tem", {{"epsilon", "2"}});
  request.most_outputs = 2;
  EXPECT_EQ(guess(request, {}).guesses.size(), 5U);
  request.released += " w3";
  EXPECT_THROW((void)guess(request, {}), Error);
}

TEST(Guesser, GivesTheSameToAllThreads) {
  const Mechanism mechanism = build_mechanism("tem", words(), {{"epsilon", "2"}}).mechanism;
  Guesser guesser(mechanism, {.threads = 1});
  const std::vector<std::string> texts = {"w1 w2 w3 w4", "w4 w5 w6", "w2 w7 w8 w9 w10", "w1 w10"};
  std::vector<GuessAnswer> together(texts.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      threads.emplace_back([&, i] { together[i] = guesser.guess({.released = texts[i]}, {.threads = 1}); });
    }
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(to_json(together[i]),
              to_json(Guesser(mechanism, {.threads = 1}).guess({.released = texts[i]}, {.threads = 1})));
  }
}

}  // namespace
}  // namespace sotto::api
