#include "text/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/report.h"
#include "text/vector_report.h"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kCanary[] = "zanzibarcanary";

// On a line at 0, 1, 2.5 and 4 (docs/specification.md section 4).
std::shared_ptr<const Model> line_model(float last = 4) {
  return Model::from_words({"zero", "one", "two", "four"}, {0, 1, 2.5, last}, 1);
}

Json release(const std::string& name, const ParameterTexts& texts, const PrivatizerOptions& options = {}) {
  CertifiedMechanism built = build_mechanism(name, line_model(), texts, {});
  const Forecast expected = forecast(built.mechanism, {});
  const Privatizer privatizer(std::move(built.mechanism), options);
  ReleaseFacts facts = {.counts = {.documents = 3,
                                   .tokens = 12,
                                   .unknown_tokens = 1,
                                   .longest_document = 5,
                                   .longest_record = 7},
                        .certificate = built.certificate,
                        .expected = expected,
                        .released_at = "2026-11-17T10:42:26Z",
                        .released = {{{.name = "out.txt", .sha256 = std::string(64, 'a')}}}};
  return Json::parse(release_report(privatizer, facts, ReportDetail::data_holder));
}

VerifyResult verified(const Json& report, const std::vector<std::string>& released = {}) {
  return verify_report(report.dump(), line_model(), {}, released);
}

std::vector<std::string> wrong_of(const VerifyResult& result) {
  std::vector<std::string> names;
  for (const VerifyCheck& check : result.checks) {
    if (check.outcome == VerifyCheck::Outcome::wrong) names.push_back(check.name);
  }
  return names;
}

TEST(Verify, OwnReportsFollow) {
  struct Case {
    const char* mechanism;
    ParameterTexts texts;
  };
  const std::vector<Case> cases = {
      {"tem", {{"epsilon", "1"}}},
      {"tem", {{"epsilon", "1"}, {"gamma", "0.5"}}},
      {"tem", {{"epsilon", "1"}, {"calibration", "exact"}}},
      {"tem", {{"epsilon", "1"}, {"calibration", "flat"}, {"metric", "manhattan"}}},
      {"laplace", {{"epsilon", "3"}}},
      {"vickrey", {{"epsilon", "3"}, {"exclude-input", "true"}}},
      {"gumbel-topk", {{"epsilon", "4"}}},
      {"truncated-gumbel", {{"epsilon", "20"}}},
      {"uniform", {}},
      {"identity", {}}};
  for (const Case& one : cases) {
    EXPECT_THAT(wrong_of(verified(release(one.mechanism, one.texts))), IsEmpty()) << one.mechanism;
  }
}

TEST(Verify, OwnReportsOfReleasesThatPromiseNothingFollow) {
  for (const auto policy : {UnknownWords::mask, UnknownWords::drop, UnknownWords::keep}) {
    PrivatizerOptions options;
    options.unknown = policy;
    EXPECT_THAT(wrong_of(verified(release("tem", {{"epsilon", "1"}}, options))), IsEmpty());
  }
}

// Each claim changed by itself is found by the check of its name.
TEST(Verify, EveryClaimIsChecked) {
  struct Forgery {
    const char* pointer;
    Json value;
    const char* found_by;
  };
  const Json right = release("tem", {{"epsilon", "1"}, {"gamma", "inf"}});
  const double certified = right["certified_epsilon"];
  const double loss = right["largest_word_loss"]["value"];
  const std::vector<Forgery> forgeries = {
      {"/model/identity", std::string(64, '0'), "model"},
      {"/model/words", 5, "model"},
      {"/model/merged_words", 1, "merged_words"},
      {"/mechanism", kCanary, "mechanism"},
      {"/mechanism", "privemb", "mechanism"},
      {"/parameters", Json::array(), "parameters"},
      {"/parameters/epsilon", "nan", "parameters"},
      {"/parameters/epsilon", "1.0", "parameters"},
      {"/parameters/epsilon", "0.5", "nominal_epsilon"},
      {"/parameters/zanzibarcanary", "1", "parameters"},
      {"/parameters/gamma", "-1", "parameters"},
      {"/metric", "chebyshev", "metric"},
      {"/nominal_epsilon", 0.5, "nominal_epsilon"},
      {"/nominal_epsilon", "1", "nominal_epsilon"},
      {"/certified_epsilon", certified * (1 - 1e-6), "certified_epsilon"},
      {"/certified_epsilon", -1, "certified_epsilon"},
      {"/certified_epsilon", "low", "certified_epsilon"},
      {"/guarantee", "Nobody will ever know.", "guarantee"},
      {"/mechanism_guarantee", "Nobody will ever know.", "mechanism_guarantee"},
      {"/status", "not_private", "status"},
      {"/status_reasons", Json::array({"a"}), "status"},
      {"/caveat", "none at all", "caveat"},
      {"/arithmetic", "infinite precision", "arithmetic"},
      {"/largest_word_loss/value", loss * (1 - 1e-6), "largest_word_loss"},
      {"/largest_word_loss/kind", "guessed", "largest_word_loss"},
      {"/largest_word_loss", 3, "largest_word_loss"},
      {"/worst_case_longest_document", loss * 4, "worst_case_longest_document"},
      {"/worst_case_longest_document", nullptr, "worst_case_longest_document"},
      {"/worst_case_longest_record", loss * 4, "worst_case_longest_record"},
      {"/counts/longest_record", 4, "counts"},
      {"/certified_largest_word_loss", 0.1, "certified_largest_word_loss"},
      {"/certified_largest_word_loss", nullptr, "certified_largest_word_loss"},
      {"/expected_unchanged/share", 0.01, "expected_unchanged"},
      {"/expected_unchanged/share", "few", "expected_unchanged"},
      {"/strength", "none", "strength"},
      {"/strength", nullptr, "strength"},
      {"/strength_reason", "Nobody will ever know.", "strength"},
      {"/released", "out.txt", "released"},
      {"/released/0/sha256", kCanary, "released"},
      {"/released/0", nullptr, "released"},
      {"/counts/longest_document", 13, "counts"},
      {"/counts/unknown_tokens", 13, "counts"},
      {"/counts/tokens", -1, "counts"},
      {"/unknown_words/policy", "keep", "status"},
      {"/unknown_words/anchor", kCanary, "unknown_words"},
      {"/randomness", "SEEDED: not private, the noise can be replayed", "status"},
      {"/randomness", "dice", "randomness"},
      {"/leaks", Json::array(), "leaks"}};
  for (const Forgery& forgery : forgeries) {
    Json report = right;
    report[Json::json_pointer(forgery.pointer)] = forgery.value;
    const VerifyResult result = verified(report);
    EXPECT_THAT(wrong_of(result), Contains(forgery.found_by)) << forgery.pointer << " " << forgery.value;
    for (const VerifyCheck& check : result.checks) {
      EXPECT_THAT(check.name + check.reason, Not(HasSubstr(kCanary))) << forgery.pointer;
    }
  }
}

TEST(Verify, WhatIsMissingIsWrong) {
  const Json right = release("tem", {{"epsilon", "1"}});
  for (const char* key : {"model",
                          "mechanism",
                          "parameters",
                          "metric",
                          "nominal_epsilon",
                          "certified_epsilon",
                          "guarantee",
                          "mechanism_guarantee",
                          "status",
                          "status_reasons",
                          "strength",
                          "strength_reason",
                          "expected_unchanged",
                          "released",
                          "arithmetic",
                          "largest_word_loss",
                          "certified_largest_word_loss",
                          "worst_case_longest_document",
                          "worst_case_longest_record",
                          "unknown_words",
                          "randomness",
                          "leaks"}) {
    Json report = right;
    report.erase(key);
    EXPECT_FALSE(verified(report).follows()) << key;
  }
}

// A proven guarantee at a large epsilon hides nothing; a report must not look better than it is.
TEST(Verify, StrengthIsRecomputed) {
  const Json strong = release("tem", {{"epsilon", "1"}, {"gamma", "inf"}});
  EXPECT_EQ(verified(strong).strength, Strength::ok);
  Json useless = release("tem", {{"epsilon", "30"}});
  EXPECT_EQ(useless["strength"], "none");
  EXPECT_EQ(useless["status"], "proven");
  const VerifyResult result = verified(useless);
  EXPECT_TRUE(result.follows());
  EXPECT_EQ(result.strength, Strength::none);
  EXPECT_GT(result.expected_unchanged, 0.9);
  // Embellished consistently: the share, the strength and its sentence.
  for (const double share : {0.1, 0.7}) {
    useless["expected_unchanged"]["share"] = share;
    useless["strength"] = strength_name(strength_of(share));
    useless["strength_reason"] = strength_sentence(strength_of(share));
    EXPECT_THAT(wrong_of(verified(useless)), testing::IsSupersetOf({"expected_unchanged", "strength"}))
        << share;
  }
}

TEST(Verify, ReleasedFilesAreCompared) {
  const Json report = release("tem", {{"epsilon", "1"}});
  EXPECT_TRUE(verified(report, {std::string(64, 'a')}).follows());
  EXPECT_THAT(wrong_of(verified(report, {std::string(64, 'b')})), testing::ElementsAre("released"));
  EXPECT_THAT(wrong_of(verified(report, {std::string(64, 'a'), std::string(64, 'b')})),
              testing::ElementsAre("released"));
  Json none = report;
  none["released"] = nullptr;
  EXPECT_TRUE(verified(none).follows());
  EXPECT_THAT(wrong_of(verified(none, {std::string(64, 'a')})), testing::ElementsAre("released"));
}

TEST(Verify, EarlierSchemasAreRefusedWithWhatToDo) {
  for (const char* schema : {"sotto.release-report/1", "sotto.vector-report/1"}) {
    try {
      verify_report(Json{{"schema", schema}}.dump(), line_model(), {});
      ADD_FAILURE() << schema;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      EXPECT_THAT(std::string(error.what()), HasSubstr("earlier version"));
    }
  }
}

TEST(Verify, AClaimAboveTheLossIsWeakerAndTrue) {
  Json report = release("tem", {{"epsilon", "1"}});
  report["certified_epsilon"] = 0.9;
  EXPECT_TRUE(verified(report).follows());
}

TEST(Verify, ACertificateThatCannotBeComputedIsWrong) {
  Json report = release("laplace", {{"epsilon", "3"}});
  report["certified_epsilon"] = 1;
  EXPECT_THAT(wrong_of(verified(report)), Contains("certified_epsilon"));
}

TEST(Verify, AnotherModelEndsIt) {
  const std::string report = release("tem", {{"epsilon", "1"}}).dump();
  const VerifyResult result = verify_report(report, line_model(5), {});
  EXPECT_THAT(wrong_of(result), testing::ElementsAre("model"));
}

TEST(Verify, VectorReports) {
  const auto model = Model::from_words({"a", "b", "c"}, {0, 1, 2, 3, 4, 7}, 2);
  const ParameterTexts texts = {{"epsilon", "2"}, {"dimension", "1"}};
  for (const auto domain : {VectorInput::Domain::words, VectorInput::Domain::free}) {
    for (const auto& given : {model, std::shared_ptr<const Model>()}) {
      if (given == nullptr && domain == VectorInput::Domain::words) continue;
      const Mechanism mechanism =
          build_vector_mechanism("privemb", {.model = given, .domain = domain, .dim = 2}, texts);
      VectorReleaseFacts facts{.rows = 3, .number_type = "float32", .model = given};
      if (domain == VectorInput::Domain::words) {
        facts.words = {.anchor = "a", .unknown = 0};
        facts.expected = vector_forecast(mechanism, *model, 1);
      }
      const Json right = Json::parse(vector_report(mechanism, facts));
      EXPECT_THAT(wrong_of(verify_report(right.dump(), model, {})), IsEmpty());
      Json forged = right;
      forged["largest_vector_loss"] = 0.1;
      EXPECT_THAT(wrong_of(verify_report(forged.dump(), model, {})), Contains("largest_vector_loss"));
      forged = right;
      forged["sensitivity"] = "0.5 (orthonormal rows)";
      EXPECT_THAT(wrong_of(verify_report(forged.dump(), model, {})), Contains("sensitivity"));
      forged = right;
      forged["strength"] = "ok";
      forged["strength_reason"] = strength_sentence(Strength::ok, Released::vectors);
      forged["expected_unchanged"] = {{"share", 0.0}};
      EXPECT_THAT(wrong_of(verify_report(forged.dump(), model, {})), Contains("strength"));
      forged = right;
      forged["input"] = kCanary;
      EXPECT_THAT(wrong_of(verify_report(forged.dump(), model, {})), Contains("input"));
    }
  }
}

TEST(Verify, ATooLargeProjectionIsNotMade) {
  const Mechanism mechanism =
      build_vector_mechanism("privemb", {.dim = 4}, {{"epsilon", "2"}, {"dimension", "2"}});
  Json report = Json::parse(vector_report(mechanism, {.rows = 1, .number_type = "float32"}));
  report["input_dimension"] = "1000000000";
  const VerifyResult result = verify_report(report.dump(), line_model(), {});
  EXPECT_EQ(result.checks.back().name, "parameters");
  EXPECT_EQ(result.checks.back().outcome, VerifyCheck::Outcome::not_checked);
}

TEST(Verify, NoReportIsBadDataThatIsNotQuoted) {
  const std::string canary = kCanary;
  for (const std::string& text :
       {std::string(), canary, "{\"" + canary, "[\"" + canary + "\"]", "{\"schema\": \"" + canary + "\"}",
        "{\"schema\": 1e999, \"" + canary + "\": 1}", "{\"" + canary + "\": 1, \"" + canary + "\": 2}",
        "{\"" + canary + "\": \"\xff\"}", std::string(100'000, '['), std::string("{\"schema\": null}"),
        std::string(kLargestReport + 1, ' ')}) {
    try {
      verify_report(text, line_model(), {});
      ADD_FAILURE() << "accepted: " << text.substr(0, 50);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      EXPECT_THAT(std::string(error.what()), Not(HasSubstr(canary)));
    }
  }
}

}  // namespace
}  // namespace sotto
