#include "sotto/privatizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "support/models.h"
#include "text/fake_mechanism.h"
#include "text/unicode_samples.h"
#include "text/words.h"

namespace sotto {
namespace {

using test::fake_mechanism;
using test::FakeWords;
using test::identity_mechanism;
using test::words_model;
using testing::ElementsAre;

const std::vector<std::string> kWords = {"the", "film", "was", "good", "bad", "dont", "something"};

struct Result {
  std::vector<std::string> texts;
  TextCounts counts;
};

Result run(const Privatizer& privatizer, const std::vector<std::string>& documents) {
  const std::vector<std::string_view> views(documents.begin(), documents.end());
  Rng rng = Rng::seeded_not_private(1);
  Result result;
  privatizer.privatize(views, rng, result.texts, result.counts);
  return result;
}

Result run_identity(const std::vector<std::string>& documents, const PrivatizerOptions& options = {}) {
  return run(Privatizer(identity_mechanism(words_model(kWords)), options), documents);
}

TEST(Privatizer, IdentityGivesTheFoldedWordsInTheSameLayout) {
  const auto result = run_identity({"The  FILM,\r\n(was) \u201CGood\u201D!", "", " \t.", "Don\u2019t\n"});
  EXPECT_THAT(result.texts, ElementsAre("the  film,\r\n(was) \u201Cgood\u201D!", "", " \t.", "dont\n"));
  EXPECT_EQ(result.counts.documents, 4U);
  EXPECT_EQ(result.counts.tokens, 5U);
  EXPECT_EQ(result.counts.unknown_tokens, 0U);
  EXPECT_EQ(result.counts.inserted_spaces, 0U);
  EXPECT_EQ(result.counts.longest_document, 4U);
}

TEST(Privatizer, EachTokenIsReplacedByItsOwnDraw) {
  const auto reversed =
      std::make_shared<FakeWords>([](WordId id) { return word_id(kWords.size() - 1 - index_of(id)); });
  const Privatizer privatizer(fake_mechanism(words_model(kWords), reversed), {});
  EXPECT_THAT(run(privatizer, {"the film", "was; good", "bad"}).texts,
              ElementsAre("something dont", "bad; good", "was"));
}

TEST(Privatizer, UnknownWordsBecomeTheAnchor) {
  EXPECT_THAT(run_identity({"the canary was 1,234 \U0001F600 $"}).texts,
              ElementsAre("the something was something something something"));
  EXPECT_THAT(run_identity({"the canary"}, {.anchor = "BAD"}).texts, ElementsAre("the bad"));
  const auto counts = run_identity({"canary the", "x"}).counts;
  EXPECT_EQ(counts.unknown_tokens, 2U);
  EXPECT_EQ(counts.tokens, 3U);
}

// With one known word, unknown ones must be indistinguishable: the mechanism sees the anchor, nothing else.
TEST(Privatizer, MechanismSeesOnlyWordsOfTheModel) {
  std::vector<WordId> seen;
  const auto spy = std::make_shared<FakeWords>([&seen](WordId id) {
    seen.push_back(id);
    return word_id(0);
  });
  run(Privatizer(fake_mechanism(words_model(kWords), spy), {}), {"good alice bob", "bad"});
  EXPECT_THAT(seen, ElementsAre(word_id(3), word_id(6), word_id(6), word_id(4)));
}

TEST(Privatizer, TouchingWordsGetOneSpace) {
  const auto result =
      run_identity({"$good", "good\u200Bbad", "good \u00ADbad", "good-bad", "\U0001F600\U0001F601 good"});
  EXPECT_THAT(result.texts, ElementsAre("something good", "good something bad", "good something bad",
                                        "good-bad", "something something good"));
  EXPECT_EQ(result.counts.inserted_spaces, 5U);
}

TEST(Privatizer, OtherPoliciesForUnknownWords) {
  const std::vector<std::string> documents = {"the Canary was", "good\U0001F600bad", "\U0001F600", "$5."};
  EXPECT_THAT(run_identity(documents, {.unknown = UnknownWords::mask}).texts,
              ElementsAre("the [unknown] was", "good [unknown] bad", "[unknown]", "[unknown] [unknown]."));
  EXPECT_THAT(run_identity(documents, {.unknown = UnknownWords::drop}).texts,
              ElementsAre("the  was", "good bad", "", "."));
  EXPECT_THAT(run_identity(documents, {.unknown = UnknownWords::keep}).texts,
              ElementsAre("the Canary was", "good \U0001F600 bad", "\U0001F600", "$ 5."));
  EXPECT_THAT(run_identity({"\U0001F600good"}, {.unknown = UnknownWords::drop}).texts, ElementsAre("good"));
  for (const auto policy :
       {UnknownWords::mask, UnknownWords::drop, UnknownWords::keep, UnknownWords::anchor}) {
    const Privatizer privatizer(identity_mechanism(words_model(kWords)), {.unknown = policy});
    EXPECT_EQ(privatizer.status(), policy == UnknownWords::anchor ? Status::proven : Status::not_private);
    EXPECT_EQ(parse_unknown_words(unknown_words_name(policy)), policy);
  }
}

TEST(Privatizer, StripsHtmlOnRequest) {
  EXPECT_THAT(run_identity({"good<br />film &amp; bad"}, {.strip_html = true}).texts,
              ElementsAre("good film & bad"));
  EXPECT_THAT(run_identity({"good<br />film"}).texts,
              ElementsAre("good something something /something film"));
}

TEST(Privatizer, BadUtf8NamesTheDocumentAndChangesNothing) {
  const Privatizer privatizer(identity_mechanism(words_model(kWords)), {});
  const std::vector<std::string_view> documents = {"good", "canary \xC3(", "bad"};
  Rng rng = Rng::seeded_not_private(1);
  std::vector<std::string> out = {"before"};
  TextCounts counts;
  try {
    privatizer.privatize(documents, rng, out, counts);
    FAIL() << "accepted";
  } catch (const BadDocument& error) {
    EXPECT_EQ(error.document(), 1U);
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("canary")));
  }
  EXPECT_THAT(out, ElementsAre("before"));
  EXPECT_EQ(counts.documents, 0U);
}

TEST(Privatizer, RefusesWhatItCannotUse) {
  const auto model = words_model(kWords);
  EXPECT_THROW(Privatizer(identity_mechanism(model), {.anchor = "canary"}), Error);
  EXPECT_THROW(Privatizer(fake_mechanism(model, nullptr), {}), Error);
  EXPECT_THROW(parse_unknown_words("hide"), Error);
}

TEST(Privatizer, NothingButSpaceAndPunctuationSurvives) {
  const auto always_x = std::make_shared<FakeWords>([](WordId) { return word_id(0); });
  const Privatizer privatizer(fake_mechanism(words_model({"x", "a", "good"}), always_x), {});
  std::mt19937_64 random(10);
  std::vector<std::string> documents;
  documents.reserve(10000);
  for (int i = 0; i < 10000; ++i) documents.push_back(random_text(random, 60));
  const auto result = run(privatizer, documents);
  ASSERT_EQ(result.texts.size(), documents.size());
  std::size_t words = 0;
  for (const std::string& text : result.texts) {
    for (std::size_t at = 0; at < text.size();) {
      const char32_t c = read_utf8(text, at);
      ASSERT_TRUE(c == 'x' || may_stay_clear(c)) << std::uint32_t{c};
      words += c == 'x' ? 1 : 0;
    }
    EXPECT_EQ(text.find("xx"), std::string::npos);
  }
  EXPECT_EQ(words, result.counts.tokens);
}

TEST(Privatizer, IsSharedByThreads) {
  const Privatizer privatizer(identity_mechanism(words_model(kWords)), {});
  std::vector<Result> results(4);
  {
    std::vector<std::jthread> threads;
    threads.reserve(results.size());
    for (auto& result : results) {
      threads.emplace_back(
          [&] { result = run(privatizer, std::vector<std::string>(500, "The film, canary")); });
    }
  }
  for (const auto& result : results) {
    EXPECT_THAT(result.texts, testing::Each("the film, something"));
    EXPECT_EQ(result.texts.size(), 500U);
  }
}

TEST(TextCounts, AddsAndKeepsTheLongest) {
  TextCounts sum = {
      .documents = 1, .tokens = 2, .unknown_tokens = 3, .inserted_spaces = 4, .longest_document = 9};
  sum.add(
      {.documents = 10, .tokens = 20, .unknown_tokens = 30, .inserted_spaces = 40, .longest_document = 5});
  EXPECT_EQ(sum.documents, 11U);
  EXPECT_EQ(sum.tokens, 22U);
  EXPECT_EQ(sum.unknown_tokens, 33U);
  EXPECT_EQ(sum.inserted_spaces, 44U);
  EXPECT_EQ(sum.longest_document, 9U);
}

TEST(Privatizer, IsMadeFromTheNameOfAMechanism) {
  const Privatizer privatizer(words_model(kWords), "identity", {}, {.allow_weak = true});
  EXPECT_EQ(privatizer.privatize("The FILM, was good."), "the film, was good.");
  const PrivateTexts released =
      privatizer.privatize(std::vector<std::string>{"The film", "zanzibar was bad"});
  EXPECT_EQ(released.texts, (std::vector<std::string>{"the film", "something was bad"}));
  EXPECT_EQ(released.counts.documents, 2U);
  EXPECT_EQ(released.counts.tokens, 5U);
  EXPECT_EQ(released.counts.unknown_tokens, 1U);
}

// As the program does: a setting that hides next to nothing takes a word of consent.
TEST(Privatizer, RefusesWhatHidesNextToNothing) {
  const auto refusal = [](std::string_view mechanism, const ParameterTexts& parameters) -> std::string {
    try {
      const Privatizer made(words_model(kWords), mechanism, parameters);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("identity", {}), ::testing::HasSubstr("100.0% of the words would stay"));
  EXPECT_THAT(refusal("tem", {{"epsilon", "1000"}}), ::testing::HasSubstr(", or set allow_weak"));
  EXPECT_EQ(refusal("uniform", {}), "");
  // Without gamma inf one word in a thousand changes at any epsilon.
  const Privatizer weak(words_model(kWords), "tem", {{"epsilon", "1000"}, {"gamma", "inf"}},
                        {.allow_weak = true});
  EXPECT_EQ(weak.privatize("film"), "film");
}

// The number comes from the forecast, as in the shell and in Python: 2 is useless for laplace.
TEST(Privatizer, ProposesAnEpsilonThatSuitsTheMechanism) {
  const auto model = test::gaussian_model({.words = 50, .dim = 20});
  const auto proposed = [&](std::string_view mechanism, const ParameterTexts& parameters,
                            std::string_view before) {
    std::string message;
    try {
      const Privatizer made(model, mechanism, parameters);
    } catch (const Error& error) {
      message = error.what();
    }
    const std::size_t at = message.find(before);
    EXPECT_NE(at, std::string::npos) << message;
    return at == std::string::npos
               ? ""
               : message.substr(at + before.size(), message.find(',', at) - at - before.size());
  };
  for (const std::string_view mechanism : {"tem", "laplace"}) {
    const std::string missing = proposed(mechanism, {}, "; try `epsilon` ");
    EXPECT_EQ(proposed(mechanism, {{"epsilon", "-1"}}, "; try `epsilon` "), missing);
    EXPECT_NO_THROW(Privatizer(model, mechanism, {{"epsilon", missing}})) << missing;
    const std::string weak = proposed(mechanism, {{"epsilon", "100"}}, "use `epsilon` ");
    EXPECT_NO_THROW(Privatizer(model, mechanism, {{"epsilon", weak}})) << weak;
  }
}

// A calibration that takes a search was "our bug" for whoever used the builder of the public header.
TEST(Privatizer, TakesEveryCalibration) {
  const auto model = Model::from_words({"a", "b", "c", "d"}, {0, 1, 2.5F, 4}, 1);
  for (const char* calibration : {"paper", "exact", "flat"}) {
    const Privatizer privatizer(model, "tem", {{"epsilon", "2"}, {"calibration", calibration}});
    EXPECT_EQ(privatizer.mechanism().claim.status, Status::proven) << calibration;
    EXPECT_EQ(privatizer.mechanism().claim.by_certificate, std::string(calibration) != "paper");
    EXPECT_EQ(privatizer.privatize("a").size(), 1U);
  }
}

// Two calls must not share their noise: 64 draws of 7 equally likely words agree with probability 7^-64.
TEST(Privatizer, EveryCallHasRandomnessOfItsOwn) {
  const Privatizer privatizer(words_model(kWords), "uniform", {});
  std::string text;
  for (int i = 0; i < 64; ++i) text += "film ";
  EXPECT_NE(privatizer.privatize(text), privatizer.privatize(text));
}

}  // namespace
}  // namespace sotto
