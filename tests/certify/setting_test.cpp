#include "sotto/setting.h"

#include <gmock/gmock.h>

#include <string>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/forecast.h"
#include "support/models.h"

namespace sotto {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::shared_ptr<const Model> setting_model() {
  static const auto kModel = test::gaussian_model({.words = 50, .dim = 20});
  return kModel;
}

std::string refusal(const std::string& mechanism, const ParameterTexts& texts,
                    const OpenModel& open_model = setting_model) {
  try {
    (void)chosen_setting(mechanism, texts, open_model, {.threads = 1});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "nothing was refused";
}

std::string proposed_by(const std::string& message) {
  const std::string begin = "try `epsilon` ";
  const std::size_t at = message.find(begin);
  if (at == std::string::npos) return "";
  const std::size_t number = at + begin.size();
  return message.substr(number, message.find(',', number) - number);
}

TEST(ChosenSetting, IsTheParsedOne) {
  const Setting setting =
      chosen_setting("laplace", {{"epsilon", "3"}}, [] { return std::shared_ptr<const Model>(); }, {});
  EXPECT_EQ(setting.info->name, "laplace");
  EXPECT_EQ(setting.parameters.number("epsilon"), 3);
}

// Whatever the mechanism, the number in the message is one with which about half of the words stay.
TEST(ChosenSetting, ProposesAnEpsilonByTheForecast) {
  for (const std::string mechanism : {"tem", "laplace", "mahalanobis", "vickrey"}) {
    const std::string missing = refusal(mechanism, {});
    EXPECT_THAT(missing, HasSubstr(mechanism + " needs `epsilon`"));
    EXPECT_THAT(missing, EndsWith(", with which about half of the words stay as they are on this model"));
    const std::string epsilon = proposed_by(missing);
    ASSERT_FALSE(epsilon.empty()) << missing;
    const double unchanged =
        forecast(build_mechanism(mechanism, setting_model(), {{"epsilon", epsilon}}).mechanism, {}).unchanged;
    EXPECT_LT(unchanged, 0.7) << mechanism;
    EXPECT_GT(unchanged, 0.2) << mechanism;
    EXPECT_EQ(proposed_by(refusal(mechanism, {{"epsilon", "-1"}})), epsilon);
    EXPECT_EQ(proposed_by(refusal(mechanism, {{"epsilon", "high"}})), epsilon);
  }
}

TEST(ChosenSetting, ProposesNoNumberWithoutAForecast) {
  const std::string depends = "how large it should be depends on ";
  EXPECT_THAT(refusal("laplace", {}, {}), HasSubstr(depends));
  const OpenModel fails = []() -> std::shared_ptr<const Model> {
    throw Error(ErrorCode::input_output, "there is no model");
  };
  EXPECT_THAT(refusal("laplace", {}, fails), HasSubstr(depends));
  // A calibration takes long to find.
  EXPECT_THAT(refusal("tem", {{"calibration", "exact"}}), HasSubstr(depends));
  // Another parameter is wrong too: that is told once there is an epsilon.
  EXPECT_THAT(refusal("vickrey", {{"t", "7"}}), HasSubstr(depends));
  EXPECT_THAT(refusal("privemb", {}), HasSubstr(depends));
  for (const std::string mechanism : {"laplace", "tem"})
    EXPECT_EQ(proposed_by(refusal(mechanism, {}, {})), "");
}

TEST(ChosenSetting, OtherFaultsAreToldAsTheyAre) {
  const std::string wrong = refusal("tem", {{"epsilon", "2"}, {"metric", "euclidian"}});
  EXPECT_THAT(wrong, StartsWith("`metric` must be one of"));
  EXPECT_THAT(wrong, EndsWith("try `metric` euclidean"));
}

}  // namespace
}  // namespace sotto
