#include "api/dossier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/certify.h"
#include "sotto/error.h"
#include "sotto/release.h"
#include "support/models.h"

namespace sotto::api {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const ParameterTexts kParameters = {{"epsilon", "1"}, {"gamma", "inf"}};

std::string report_of(const std::shared_ptr<const Model>& model,
                      const ParameterTexts& parameters = kParameters) {
  const std::vector<std::string_view> texts = {"w0 w1 secret", "w2"};
  const ReleaseRequest request{.built = build_mechanism("tem", model, parameters)};
  return release_texts(texts, request).release.report(ReportDetail::data_holder);
}

std::string certificate_of(const std::shared_ptr<const Model>& model,
                           const ParameterTexts& parameters = kParameters) {
  return json_text(to_json(certify({.model = model, .setting = parse_setting("tem", parameters)}, {})));
}

std::string message_of(const DossierRequest& request) {
  try {
    (void)make_dossier(request, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    return error.what();
  }
  return "";
}

TEST(Dossier, PartsOfOneReleaseAreJoined) {
  const auto model = test::line_model({0, 1, 2.5, 4});
  const DossierAnswer answer = make_dossier({.model = model,
                                             .report = report_of(model),
                                             .certificate = certificate_of(model),
                                             .seed_not_private = 1},
                                            {});
  EXPECT_THAT(answer.objections(), IsEmpty());
  EXPECT_EQ(answer.examples.lines.size(), 10U);
  const Json json = to_json(answer);
  EXPECT_EQ(json["schema"], "sotto.dossier/1");
  EXPECT_EQ(json["holds"], true);
  EXPECT_EQ(json["parts"]["certificate"], true);
  EXPECT_EQ(json["parts"]["audit"], false);
}

TEST(Dossier, PartsOfOtherReleasesAreRefused) {
  const auto model = test::line_model({0, 1, 2.5, 4});
  const auto other = test::line_model({0, 1, 2.5, 5});
  const std::string report = report_of(model);
  EXPECT_THAT(message_of({.model = other, .report = report}), HasSubstr("another model"));
  EXPECT_THAT(message_of({.model = model, .report = report, .certificate = certificate_of(other)}),
              HasSubstr("`certificate` is about another model"));
  EXPECT_THAT(message_of({.model = model,
                          .report = report,
                          .certificate = certificate_of(model, {{"epsilon", "2"}, {"gamma", "inf"}})}),
              HasSubstr("other parameters than the report: epsilon"));
  EXPECT_THAT(message_of({.model = model, .report = report, .audit = certificate_of(model)}),
              HasSubstr("`audit` must be what `sotto audit --json` writes"));
}

TEST(Dossier, NoMessageQuotesAPart) {
  const auto model = test::line_model({0, 1, 2.5, 4});
  const std::string report = report_of(model);
  for (const char* bad : {"zqxcanary", "{\"schema\": \"zqxcanary\"}", "[1, 2]", ""}) {
    EXPECT_THAT(message_of({.model = model, .report = report, .attack = bad}), Not(HasSubstr("zqxcanary")));
    EXPECT_THAT(message_of({.model = model, .report = bad}), Not(HasSubstr("zqxcanary")));
  }
}

TEST(Dossier, AReportThatDoesNotFollowIsAnObjection) {
  const auto model = test::line_model({0, 1, 2.5, 4});
  Json report = Json::parse(report_of(model));
  report["status"] = "not_private";
  const DossierAnswer answer = make_dossier({.model = model, .report = report.dump()}, {});
  EXPECT_FALSE(answer.holds());
  EXPECT_THAT(answer.objections().front(), HasSubstr("status"));
  EXPECT_THAT(answer.examples.lines, IsEmpty());
}

}  // namespace
}  // namespace sotto::api
