#include "api/attack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "api/language.h"
#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "sotto/error.h"
#include "sotto/forecast.h"
#include "support/models.h"

namespace sotto::api {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Texts in which w1 follows w0, w2 follows w1, and so on, with exceptions.
std::vector<std::string> chained_documents(std::size_t count, std::uint64_t seed) {
  Rng rng = Rng::seeded_not_private(seed);
  std::vector<std::string> out;
  for (std::size_t d = 0; d < count; ++d) {
    std::size_t word = uniform_below(rng, 40);
    std::string text;
    for (std::size_t i = 0; i < 10; ++i) {
      text += "w" + std::to_string(word) + " ";
      word = bernoulli(rng, 0.8) ? (word + 1) % 40 : uniform_below(rng, 40);
    }
    out.push_back(text);
  }
  return out;
}

class Attack : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = test::gaussian_model({.words = 40, .dim = 4});
    const auto trained =
        train_language_model({.model = model_, .text = chained_documents(400, 1), .unknown_word = "w3"}, {});
    trained.file->save(folder_ / "a.lm", Overwrite::refuse);
    request_.model = model_;
    request_.setting = parse_setting("tem", {{"epsilon", "3"}});
    request_.sample = chained_documents(40, 2);
    request_.prior = (folder_ / "a.lm").string();
    request_.unknown_word = "w3";
    request_.seed_not_private = 5;
  }
  std::string refusal() {
    try {
      attack(request_, {.threads = 2});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data) << error.what();
      return error.what();
    }
    return "";
  }

  test::TemporaryFolder folder_;
  std::shared_ptr<const Model> model_;
  AttackRequest request_;
};

TEST_F(Attack, AnswersWithTheKeysOfTheSchema) {
  const AttackAnswer answer = attack(request_, {.threads = 2});
  const Json json = to_json(answer);
  EXPECT_EQ(json["schema"], "sotto.attack/1");
  for (const char* key : {"sotto_version", "mechanism", "parameters", "model", "documents", "tokens",
                          "attackers", "pair_bound"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  ASSERT_EQ(json["attackers"].size(), 8U);
  std::vector<std::string> keys;
  for (const auto& item : json["attackers"][0].items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"name", "assumes", "error", "error_content", "error_replaced",
                                            "error_unknown", "log_loss", "equivalent_epsilon"}));
  EXPECT_TRUE(json["attackers"][0]["error_content"].is_null());  // 40 words: none outside the 300
  EXPECT_TRUE(json["attackers"][0]["error_unknown"].is_null());
  EXPECT_EQ(json["attackers"][0]["error"]["tokens"], 400);
  EXPECT_EQ(json["tokens"], 400);
  EXPECT_EQ(json["channel"]["exact"], true);
  EXPECT_GE(json["processor_seconds"]["attack"], 0);
  EXPECT_GE(json["processor_seconds"]["fit"], 0);
}

TEST_F(Attack, IsTheSameWithTheSameSeedAndAnyThreads) {
  Json one = to_json(attack(request_, {.threads = 1}));
  Json other = to_json(attack(request_, {.threads = 3}));
  // All but the time that it took.
  ASSERT_EQ(one.erase("processor_seconds"), 1U);
  other.erase("processor_seconds");
  EXPECT_EQ(one, other);
}

TEST_F(Attack, EquivalentEpsilonOfContextFreeIsEpsilon) {
  const AttackAnswer answer = attack(request_, {.threads = 2});
  for (const AttackerAnswer& own : answer.attackers) {
    if (own.attacker->name == "context-free") {
      EXPECT_DOUBLE_EQ(own.equivalent_epsilon.value_or(0), 3);
    }
    if (own.attacker->name == "bigram" && own.equivalent_epsilon) {
      EXPECT_GT(*own.equivalent_epsilon, 3);
    }
  }
}

// 1/(1 + e^(k loss)) with the loss of the certificate, and none for what is not proven.
TEST_F(Attack, PairBoundFollowsTheCertificate) {
  const AttackAnswer answer = attack(request_, {.threads = 2});
  ASSERT_TRUE(answer.built.certificate.has_value());
  const Certificate& own = *answer.built.certificate;
  const double loss =
      own.realised_epsilon * forecast(answer.built.mechanism, {}).median_nearest + own.additive_loss;
  ASSERT_EQ(answer.pair_bounds.size(), 2U);
  EXPECT_NEAR(*answer.pair_bounds[0].error, 1 / (1 + std::exp(loss)), 1e-9);
  EXPECT_NEAR(*answer.pair_bounds[1].error, 1 / (1 + std::exp(3 * loss)), 1e-9);
  request_.setting = parse_setting("identity", {});
  EXPECT_FALSE(attack(request_, {.threads = 2}).pair_bounds[0].error.has_value());
}

TEST_F(Attack, AReleaseMustFitTheSample) {
  request_.released = request_.sample;
  EXPECT_EQ(refusal(), "");  // fits; its words are outputs
  request_.released->pop_back();
  EXPECT_THAT(refusal(), HasSubstr("39 documents and the sample 40"));
  request_.released = request_.sample;
  request_.released->at(4) += " w1";
  EXPECT_THAT(refusal(), HasSubstr("document 5 has 11 tokens"));
  request_.released = request_.sample;
  request_.released->at(0).replace(0, 2, "canary");
  EXPECT_THAT(refusal(), HasSubstr("no words of the model"));
  EXPECT_THAT(refusal(), ::testing::Not(HasSubstr("canary")));
}

TEST_F(Attack, RefusesBadInput) {
  request_.sample = {"", " ... "};
  EXPECT_THAT(refusal(), HasSubstr("no words"));
  request_.sample = {"w1 w2"};
  request_.unknown_word = "w4";
  EXPECT_THAT(refusal(), HasSubstr("unknown-word"));
  request_.unknown_word = "w3";
  request_.model = test::gaussian_model({.words = 40, .dim = 4, .seed = 9});
  EXPECT_THAT(refusal(), HasSubstr("language model was made for the model"));
}

TEST_F(Attack, WithoutAPriorItSaysWhatToType) {
  request_.prior.clear();
  try {
    (void)attack(request_, {});
    FAIL() << "no default language model was fetched for this model";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input_output);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("`sotto lm fetch`"), HasSubstr("`sotto lm train public.txt")));
  }
}

TEST_F(Attack, KeepsSentencesOnlyWhenAsked) {
  EXPECT_TRUE(attack(request_, {.threads = 2}).sentences.empty());
  request_.keep_sentences = true;
  const AttackAnswer answer = attack(request_, {.threads = 2});
  ASSERT_EQ(answer.sentences.size(), 40U);
  EXPECT_EQ(answer.sentences[3].original, request_.sample[3]);
}

TEST_F(Attack, EstimatesAChannelAndSaysSo) {
  request_.setting = parse_setting("laplace", {{"epsilon", "4"}});
  request_.draws = 20'000;
  const Json json = to_json(attack(request_, {.threads = 2}));
  EXPECT_EQ(json["channel"]["exact"], false);
  EXPECT_GE(json["channel"]["draws"], 20'000);
  EXPECT_THAT(json["meaning"].dump(), HasSubstr("draws of their own"));
}

// Documents of label `a` use words w0 to w19, those of label `b` the others; a lexicon knows six of each.
void add_labels(AttackRequest& request, const std::filesystem::path& folder) {
  Rng rng = Rng::seeded_not_private(12);
  request.sample.clear();
  request.labels.clear();
  for (std::size_t d = 0; d < 100; ++d) {
    std::string text;
    for (std::size_t i = 0; i < 12; ++i) {
      text += "w" + std::to_string(20 * (d % 2) + uniform_below(rng, 20)) + " ";
    }
    request.sample.push_back(text);
    request.labels.emplace_back(d % 2 == 0 ? "a" : "b");
  }
  std::ofstream(folder / "a.txt") << "w5\nw6\nw7\nw8\nw9\nw10\n";
  std::ofstream(folder / "b.txt") << "w25\nw26\nw27\nw28\nw29\nw30\n";
  request.lexicon = {"a=" + (folder / "a.txt").string(), "b=" + (folder / "b.txt").string()};
}

const LabelGuesser& guesser(const AttackAnswer& answer, std::string_view name) {
  return *std::ranges::find(answer.labels->guessers, name, &LabelGuesser::name);
}

// Where words stay, labels are guessed from private text as from the clear one. The trained guesser is right
// on every document: the labels share no word.
TEST_F(Attack, LabelsOfAnUnchangedTextAreThoseOfTheClearOne) {
  add_labels(request_, folder_.path());
  request_.setting = parse_setting("tem", {{"epsilon", "1000"}});
  const AttackAnswer answer = attack(request_, {.threads = 2});
  ASSERT_TRUE(answer.labels.has_value());
  EXPECT_DOUBLE_EQ(answer.labels->majority_error, 0.5);
  for (const LabelGuesser& own : answer.labels->guessers) {
    EXPECT_EQ(own.error->value, own.error_clean->value) << own.name;
    EXPECT_EQ(own.error->tokens, 100U);
  }
  EXPECT_EQ(guesser(answer, "trained").error->value, 0);
  // A document without a word of the lexicon is a tie, half wrong: about (14/20)^12 of them, 1.4%.
  EXPECT_LT(guesser(answer, "lexicon").error_clean->value, 0.1);
}

// A mechanism whose output says nothing leaves the labels hidden. 100 documents: the error of a coin is
// within .25 to .75 but for one run in a million.
TEST_F(Attack, LabelsAreHiddenWhereTheOutputSaysNothing) {
  add_labels(request_, folder_.path());
  request_.setting = parse_setting("tem", {{"epsilon", "0.001"}});
  const AttackAnswer answer = attack(request_, {.threads = 2});
  for (const std::string_view name : {"lexicon", "trained"}) {
    EXPECT_GT(guesser(answer, name).error->value, 0.25) << name;
    EXPECT_LT(guesser(answer, name).error->value, 0.75) << name;
    EXPECT_LT(guesser(answer, name).error_clean->value, 0.1) << name;
  }
  const Json json = to_json(answer);
  EXPECT_EQ(json["labels"]["guessers"].size(), 3U);
  EXPECT_EQ(json["labels"]["guessers"][2]["error"]["documents"], 100);
}

TEST_F(Attack, RefusesLabelsThatDoNotFit) {
  add_labels(request_, folder_.path());
  request_.labels.assign(100, "canary");
  EXPECT_THAT(refusal(), ::testing::Not(HasSubstr("canary")));
  EXPECT_NE(refusal(), "");
  add_labels(request_, folder_.path());
  request_.lexicon.front().replace(0, 1, "c");
  EXPECT_THAT(refusal(), HasSubstr("which no document of `label-column` has"));
  add_labels(request_, folder_.path());
  request_.sample.resize(20);
  request_.labels.resize(20);
  EXPECT_THAT(refusal(), HasSubstr("at least 40"));
}

}  // namespace
}  // namespace sotto::api
