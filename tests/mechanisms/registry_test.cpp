#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mechanisms/build.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"
#include "support/models.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;

TEST(Registry, NamesAndAliasesAreDistinctAndFound) {
  std::set<std::string_view> names;
  for (const MechanismInfo& info : mechanisms()) {
    EXPECT_TRUE(names.insert(info.name).second);
    for (const Alias& alias : info.aliases) EXPECT_TRUE(names.insert(alias.name).second);
  }
  for (const std::string_view name : names) EXPECT_NO_THROW(find_mechanism(name));
  EXPECT_EQ(find_mechanism("madlib").name, "laplace");
}

TEST(Registry, AnAliasFixesItsPresets) {
  const auto model = test::line_model({0, 1, 2.5F, 4});
  const Mechanism santext = build_uncertified("santext", model, {{"epsilon", "1"}});
  EXPECT_EQ(santext.info->name, "tem");
  EXPECT_EQ(santext.parameters.text("gamma"), "inf");
  const double row[] = {.4930065201, .2990235699, .1412487329, .0667211770};
  for (std::size_t y = 0; y < 4; ++y) {
    EXPECT_NEAR(std::exp(santext.words->log_law(word_id(0)).value()[y]), row[y], 1e-10);
  }
  try {
    build_uncertified("santext", model, {{"epsilon", "1"}, {"gamma", "2"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("use `mechanism` tem"));
  }
}

TEST(Registry, WordsAndVectorsAreNotConfused) {
  EXPECT_THROW(build_vector_mechanism("tem", {.dim = 3}, {{"epsilon", "1"}}), Error);
  for (const MechanismInfo& info : mechanisms())
    EXPECT_NE(info.build == nullptr, info.build_vectors == nullptr);
}

TEST(Registry, EveryRowSaysWhatItIs) {
  for (const MechanismInfo& info : mechanisms()) {
    for (const Alias& alias : info.aliases) EXPECT_FALSE(alias.note.empty());
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.paper.empty());
    EXPECT_FALSE(info.guarantee.empty());
    EXPECT_FALSE(info.slope.empty());
    for (const Parameter& parameter : info.parameters) EXPECT_FALSE(parameter.help.empty()) << parameter.name;
  }
}

// parse() checks a default only when it is used, and would then blame the user.
TEST(Registry, EveryDefaultIsAValueThatItsOwnTableTakes) {
  for (const MechanismInfo& info : mechanisms()) {
    for (const Parameter& parameter : info.parameters) {
      if (parameter.default_text.empty()) continue;
      ParameterTexts texts = {{std::string(parameter.name), std::string(parameter.default_text)}};
      Parameter optional = parameter;
      optional.presence = Parameter::Presence::optional;
      EXPECT_NO_THROW(Parameters::parse(info.name, {&optional, 1}, texts))
          << info.name << " " << parameter.name;
    }
  }
}

TEST(Registry, AnUnknownNameListsTheKnownOnes) {
  try {
    find_mechanism("word2vec");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    for (const MechanismInfo& info : mechanisms())
      EXPECT_THAT(error.what(), HasSubstr(std::string(info.name)));
  }
}

TEST(Registry, ABuiltMechanismKnowsItsRowAndItsParameters) {
  const Mechanism tem = build_uncertified("tem", test::line_model({0, 1}), {{"epsilon", "2"}});
  EXPECT_EQ(tem.info, &find_mechanism("tem"));
  EXPECT_EQ(tem.parameters.text("calibration"), "paper");
  EXPECT_EQ(tem.parameters.number("epsilon"), 2);
  EXPECT_THAT(tem.claim.guarantee, HasSubstr("euclidean"));
}

TEST(Registry, CosineIsRefusedWithTheReason) {
  try {
    build_uncertified("tem", test::line_model({0, 1}), {{"epsilon", "2"}, {"metric", "cosine"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("angular"));
    EXPECT_THAT(error.what(), HasSubstr("not a metric"));
  }
}

}  // namespace
}  // namespace sotto
