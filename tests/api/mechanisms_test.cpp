#include "api/mechanisms.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/error.h"

namespace sotto::api {
namespace {

TEST(ListMechanisms, AllOrOneByNameOrAlias) {
  EXPECT_EQ(list_mechanisms({}).mechanisms.size(), mechanisms().size());
  for (const MechanismInfo& info : mechanisms()) {
    EXPECT_EQ(list_mechanisms({.name = std::string(info.name)}).mechanisms.data(), &info);
    for (const Alias& alias : info.aliases) {
      EXPECT_EQ(list_mechanisms({.name = std::string(alias.name)}).mechanisms.data(), &info);
    }
  }
  EXPECT_THROW(list_mechanisms({.name = "nothing"}), Error);
}

TEST(ListMechanisms, JsonHasAllThatAFrontEndNeeds) {
  const Json json = to_json(list_mechanisms({}));
  EXPECT_EQ(json.at("schema"), "sotto.mechanisms/1");
  ASSERT_EQ(json.at("mechanisms").size(), mechanisms().size());
  for (std::size_t i = 0; i < mechanisms().size(); ++i) {
    const Json& row = json.at("mechanisms")[i];
    const MechanismInfo& info = mechanisms()[i];
    EXPECT_EQ(row.at("kind"), info.build != nullptr ? "words" : "vectors");
    for (const char* key : {"name", "aliases", "title", "paper", "guarantee", "slope", "status", "caveat"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
    ASSERT_EQ(row.at("parameters").size(), info.parameters.size());
    for (std::size_t k = 0; k < info.parameters.size(); ++k) {
      const Json& one = row.at("parameters")[k];
      EXPECT_EQ(one.at("allowed"), allowed_values(info.parameters[k]));
      for (const char* key : {"name", "help", "kind", "required", "default"}) {
        EXPECT_TRUE(one.contains(key)) << key;
      }
      EXPECT_EQ(one.contains("choices"), info.parameters[k].kind == Parameter::Kind::choice);
    }
  }
}

TEST(ParameterTexts, SayWhatIsAllowedAndWhatIsMeantByNothing) {
  const Parameter epsilon{.name = "epsilon",
                          .help = "",
                          .presence = Parameter::Presence::required,
                          .min = 0,
                          .allows_infinity = true};
  EXPECT_EQ(allowed_values(epsilon), "above 0, or inf");
  EXPECT_EQ(presence_text(epsilon), "required");
  EXPECT_EQ(placeholder(epsilon), "NUMBER");
  const Parameter share{.name = "share",
                        .help = "",
                        .kind = Parameter::Kind::integer,
                        .default_text = "1",
                        .min = 0,
                        .max = 1,
                        .includes_min = true};
  EXPECT_EQ(allowed_values(share), "a whole number, 0 to 1");
  EXPECT_EQ(presence_text(share), "default 1");
  EXPECT_EQ(placeholder(share), "INTEGER");
  const Parameter flag{.name = "flag", .help = "", .kind = Parameter::Kind::flag};
  EXPECT_EQ(allowed_values(flag), "a switch");
  EXPECT_EQ(presence_text(flag), "off by default");
  EXPECT_EQ(placeholder(flag), "");
}

}  // namespace
}  // namespace sotto::api
