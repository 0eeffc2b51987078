#include "api/attack_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/release.h"
#include "support/models.h"

namespace sotto::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CertifiedMechanism seeded_tem(const std::string& epsilon, std::uint64_t seed = 1) {
  return build_mechanism("tem", test::gaussian_model({.words = 50, .dim = 3, .seed = seed}),
                         {{"epsilon", epsilon}});
}

// As `sotto attack --json` prints it, cut to what a report takes, beside a text that nobody should copy.
Json result_of(const Mechanism& mechanism) {
  const Json error = {{"value", 0.25}, {"low", 0.125}, {"high", 0.5}, {"tokens", 80}};
  const Json own = {{"name", "bigram"},         {"assumes", "canary"},     {"error", error},
                    {"error_content", nullptr}, {"error_replaced", error}, {"error_unknown", nullptr}};
  return {{"schema", "sotto.attack/1"},
          {"mechanism", mechanism.info->name},
          {"parameters", mechanism.parameters.texts()},
          {"model", {{"identity", mechanism.space->model().identity()}}},
          {"documents", 7},
          {"tokens", 80},
          {"note", "canary"},
          {"attackers", Json::array({own})}};
}

Json report_with(const CertifiedMechanism& built, const Json& result, ReportDetail detail) {
  Release release({.built = built, .attack_result = result.dump()});
  release.expect({.unchanged = 0.1});
  return Json::parse(release.answer().report(detail));
}

std::string result_refusal(const CertifiedMechanism& built, const std::string& result) {
  try {
    read_attack_result(result, built.mechanism);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_THAT(error.what(), Not(HasSubstr("canary")));
    return error.what();
  }
  return "";
}

TEST(AttackResult, GoesIntoTheDataHoldersReportOnly) {
  const CertifiedMechanism built = seeded_tem("2");
  const Json result = result_of(built.mechanism);
  const Json own = report_with(built, result, ReportDetail::data_holder);
  EXPECT_EQ(own["attack"]["documents"], 7);
  EXPECT_EQ(own["attack"]["attackers"][0]["name"], "bigram");
  EXPECT_EQ(own["attack"]["attackers"][0]["error"], result["attackers"][0]["error"]);
  EXPECT_TRUE(own["attack"]["attackers"][0]["error_content"].is_null());
  EXPECT_FALSE(report_with(built, result, ReportDetail::public_only).contains("attack"));
  // Sentences are our own, whatever the file says.
  EXPECT_THAT(own.dump(), Not(HasSubstr("canary")));
}

TEST(AttackResult, MustBeAboutTheRelease) {
  const CertifiedMechanism built = seeded_tem("2");
  EXPECT_EQ(result_refusal(built, result_of(built.mechanism).dump()), "");
  EXPECT_THAT(result_refusal(seeded_tem("3"), result_of(built.mechanism).dump()),
              HasSubstr("other parameters than this release: epsilon"));
  EXPECT_THAT(result_refusal(seeded_tem("2", 9), result_of(built.mechanism).dump()),
              HasSubstr("another model"));
  Json other = result_of(built.mechanism);
  other["mechanism"] = "laplace";
  EXPECT_THAT(result_refusal(built, other.dump()), HasSubstr("another mechanism"));
}

TEST(AttackResult, RefusesWhatNoAttackWrites) {
  const CertifiedMechanism built = seeded_tem("2");
  const Json good = result_of(built.mechanism);
  EXPECT_THAT(result_refusal(built, "canary"), HasSubstr("sotto attack --json"));
  const auto refused = [&](const std::function<void(Json&)>& change) {
    Json bad = good;
    change(bad);
    return result_refusal(built, bad.dump());
  };
  EXPECT_THAT(refused([](Json& json) { json["schema"] = "sotto.audit/1"; }), HasSubstr("schema"));
  const auto entry = HasSubstr("does not write");
  EXPECT_THAT(refused([](Json& json) { json["attackers"][0]["name"] = "canary"; }), entry);
  EXPECT_THAT(refused([](Json& json) { json["attackers"][0]["error"]["value"] = 0.75; }), entry);
  EXPECT_THAT(refused([](Json& json) { json["attackers"][0]["error"]["low"] = -1; }), entry);
  EXPECT_THAT(refused([](Json& json) { json["attackers"][0]["error"] = "canary"; }), entry);
  EXPECT_THAT(refused([](Json& json) { json["attackers"][0].erase("error"); }), entry);
  EXPECT_THAT(refused([](Json& json) { json["attackers"] = Json::array(); }), entry);
  EXPECT_THAT(refused([](Json& json) { json["tokens"] = -3; }), entry);
}

}  // namespace
}  // namespace sotto::api
