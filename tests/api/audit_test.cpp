// Draws of mechanisms are seeded. `cat` draws nothing.
#include "api/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "sotto/error.h"
#include "support/models.h"

namespace sotto::api {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct IgnorePipe {
  IgnorePipe() { std::signal(SIGPIPE, SIG_IGN); }
} const ignore_pipe;

const auto kAuditModel = test::line_model({0, 1, 2.5F, 4});

AuditRequest audit_request(const std::string& mechanism, const ParameterTexts& texts) {
  return {.model = kAuditModel,
          .subject = parse_setting(mechanism, texts),
          .draws = 3000,
          .level = 1e-6,
          .seed_not_private = 1};
}
AuditRequest audit_request(const std::string& command) {
  return {.model = kAuditModel,
          .subject = parse_program({.command = command, .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}},
                                   {{"epsilon", "1"}}),
          .draws = 300,
          .deniability_words = 4,
          .level = 1e-6,
          .seed_not_private = 1};
}

std::string audit_refusal(const AuditRequest& request) {
  try {
    audit(request, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return {};
}

TEST(ApiAudit, AMechanismThatKeepsItsClaimPasses) {
  AuditRequest request = audit_request("tem", {{"epsilon", "1"}});
  request.given_pairs = {"w0,w3"};
  const AuditAnswer answer = audit(request, {.threads = 2});
  EXPECT_FALSE(answer.violated());
  EXPECT_EQ(answer.verdict(), "PASS: no violation found");
  EXPECT_EQ(answer.subject, "tem, beta 0.001, calibration paper, epsilon 1, metric euclidean");
  const Json json = to_json(answer);
  EXPECT_EQ(json.at("schema"), "sotto.audit/1");
  EXPECT_EQ(json.at("mechanism"), "tem");
  EXPECT_EQ(json.at("model").at("n"), 4);
  EXPECT_EQ(json.at("verdict"), "pass");
  EXPECT_EQ(json.at("draws_per_word"), 3000);
  EXPECT_EQ(json.at("pairs").size(), answer.result.pairs.size());
  for (const char* key :
       {"parameters", "status", "metric", "strength", "expected_unchanged", "level", "claimed_epsilon",
        "realised_epsilon_lower_bound", "total_draws", "hypotheses", "reach", "witness", "deniability"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_FALSE(json.contains("replay"));
}

TEST(ApiAudit, EqualSeedsGiveEqualAnswers) {
  const AuditRequest request = audit_request("laplace", {{"epsilon", "1"}});
  const Json first = to_json(audit(request, {.threads = 1}));
  EXPECT_EQ(first, to_json(audit(request, {.threads = 3})));
  AuditRequest other = request;
  other.seed_not_private = 2;
  EXPECT_NE(first, to_json(audit(other, {.threads = 1})));
}

TEST(ApiAudit, AMechanismThatBreaksItsClaimIsFound) {
  const AuditAnswer answer =
      audit(audit_request("vickrey", {{"epsilon", "1"}, {"exclude-input", "true"}}), {});
  EXPECT_TRUE(answer.violated());
  EXPECT_THAT(answer.verdict(), StartsWith("VIOLATED: "));
}

// Words from outside the model are named in the answer after the program is gone.
TEST(ApiAudit, AProgramWithoutNoiseIsFound) {
  const AuditAnswer answer = audit(audit_request("cat"), {});
  EXPECT_TRUE(answer.violated());
  EXPECT_THAT(answer.verdict(), StartsWith("VIOLATED: for \""));
  ASSERT_TRUE(answer.replay);
  EXPECT_FALSE(answer.replay->repeats);  // there is no noise to repeat
  EXPECT_EQ(answer.expected_unchanged, 1);
  const Json json = to_json(answer);
  EXPECT_EQ(json.at("command"), "cat");
  EXPECT_EQ(json.at("verdict"), "violated");
  EXPECT_EQ(json.at("strength"), "none");
  EXPECT_EQ(json.at("pairs").back().at("first"), "aqzx");
  EXPECT_EQ(json.at("pairs").back().at("kind"), "unknown");
  EXPECT_EQ(json, to_json(audit(audit_request("cat"), {})));
}

TEST(ApiAudit, KnownWordsOnlyLeavesOutTheOthers) {
  AuditRequest request = audit_request("cat");
  request.known_words_only = true;
  const AuditAnswer answer = audit(request, {});
  EXPECT_TRUE(answer.violated());
  EXPECT_TRUE(answer.texts.empty());
}

TEST(ApiAudit, MessagesNameOptionsWithoutDashes) {
  AuditRequest request = audit_request("tem", {{"epsilon", "1"}});
  request.level = 2;
  EXPECT_EQ(audit_refusal(request), "`level` 2: it must be above 0 and below 1");
  request.level = 0.1;
  request.given_pairs = {"w0"};
  EXPECT_THAT(audit_refusal(request), StartsWith("`pair` w0: give two words"));
  request.given_pairs = {"w0,elephant"};
  EXPECT_EQ(audit_refusal(request), "`pair` w0,elephant: the model does not have the second word");
  request.given_pairs = {"w0,w0"};
  EXPECT_EQ(audit_refusal(request), "`pair` w0,w0: these are one word");
  request.given_pairs = {};
  request.known_words_only = true;
  EXPECT_THAT(audit_refusal(request), StartsWith("`known-words-only` is for `command`"));
}

TEST(ApiAudit, AProgramIsHeldToTheClaimThatIsStated) {
  const AuditedProgram audited = parse_program({}, {{"epsilon", "2"}, {"metric", "manhattan"}});
  EXPECT_EQ(audited.epsilon, 2);
  EXPECT_EQ(audited.metric, Metric::manhattan);
  EXPECT_EQ(parse_program({}, {{"epsilon", "2"}}).metric, Metric::euclidean);
  for (const ParameterTexts& wrong : std::vector<ParameterTexts>{
           {}, {{"epsilon", "0"}}, {{"epsilon", "x"}}, {{"epsilon", "1"}, {"gamma", "1"}}}) {
    EXPECT_THROW(parse_program({}, wrong), Error);
  }
}

}  // namespace
}  // namespace sotto::api
