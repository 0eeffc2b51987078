#include "api/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/report.h"
#include "support/models.h"

namespace sotto::api {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const auto kVerifyModel = test::line_model({0, 1, 2.5F, 4});

std::string report_by(const std::string& mechanism, const ParameterTexts& texts) {
  CertifiedMechanism built = build_mechanism(mechanism, kVerifyModel, texts);
  const Forecast expected = forecast(built.mechanism, {});
  const Privatizer privatizer(std::move(built.mechanism), {});
  return release_report(
      privatizer,
      {.counts =
           {.documents = 3, .tokens = 12, .unknown_tokens = 1, .longest_document = 5, .longest_record = 7},
       .certificate = built.certificate,
       .expected = expected,
       .released_at = "2026-11-17T10:42:26Z",
       .released = {{{.name = "out.txt", .sha256 = std::string(64, 'a')}}}},
      ReportDetail::data_holder);
}

TEST(Verify, AReportOfOursFollows) {
  const VerifyAnswer answer =
      verify({.model = kVerifyModel, .report = report_by("tem", {{"epsilon", "1"}})}, {});
  EXPECT_TRUE(answer.follows());
  EXPECT_THAT(answer.verdict(), StartsWith("the report follows from the model ("));
  const Json json = to_json(answer);
  EXPECT_EQ(json.at("schema"), "sotto.verify/1");
  EXPECT_EQ(json.at("report_schema"), "sotto.release-report/2");
  EXPECT_EQ(json.at("follows"), true);
  EXPECT_EQ(json.at("strength"), "ok");
  EXPECT_EQ(json.at("verdict"), answer.verdict());
  EXPECT_EQ(json.at("checks").size(), answer.result.checks.size());
  EXPECT_EQ(json.at("checks")[0].at("outcome"), "ok");
}

TEST(Verify, AReleaseThatCanBeReadIsNeverOnlyApprovedOf) {
  const VerifyAnswer answer = verify({.model = kVerifyModel, .report = report_by("identity", {})}, {});
  EXPECT_TRUE(answer.follows());
  EXPECT_THAT(answer.verdict(), HasSubstr("hides next to nothing (expected unchanged: 100%)"));
}

TEST(Verify, SaysWhatIsWrong) {
  const VerifyAnswer answer = verify({.model = kVerifyModel,
                                      .report = report_by("tem", {{"epsilon", "1"}}),
                                      .released = {std::string(64, 'b')}},
                                     {});
  EXPECT_FALSE(answer.follows());
  EXPECT_EQ(answer.verdict(),
            "the report follows from the model, but is NOT about every file that was given: 1 wrong");
  EXPECT_THROW(verify({.model = kVerifyModel, .report = "{}"}, {}), Error);
}

}  // namespace
}  // namespace sotto::api
