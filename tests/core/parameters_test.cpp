#include "sotto/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "sotto/error.h"
#include "sotto/rng.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;

constexpr std::array<std::string_view, 2> kMetrics = {"euclidean", "angular"};
constexpr std::array kTable = {
    Parameter{.name = "epsilon",
              .help = "privacy per unit of distance",
              .presence = Parameter::Presence::required,
              .min = 0},
    Parameter{.name = "gamma", .help = "radius", .min = 0, .allows_infinity = true},
    Parameter{.name = "k",
              .help = "neighbours",
              .kind = Parameter::Kind::integer,
              .default_text = "10",
              .min = 1,
              .max = 100,
              .includes_min = true},
    Parameter{.name = "beta", .help = "a share", .min = 0, .max = 1, .includes_max = false},
    Parameter{.name = "metric",
              .help = "distance",
              .kind = Parameter::Kind::choice,
              .default_text = "euclidean",
              .choices = kMetrics},
    Parameter{.name = "volumes", .help = "several", .kind = Parameter::Kind::numbers, .min = 0},
    Parameter{.name = "strict", .help = "a switch", .kind = Parameter::Kind::flag},
};

Parameters parse(ParameterTexts texts) {
  texts.emplace("epsilon", "2");
  return Parameters::parse("tem", kTable, texts);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

std::string parameter_refusal(const std::string& name, const std::string& text) {
  return message_of([&] { parse({{name, text}}); });
}

TEST(Parameters, RefusesEveryBadEpsilon) {
  for (const char* text :
       {"nan", "NaN", "inf", "-inf", "infinity", "1e400", "1e-400", "0x10",    "0x1p3", "",
        " ",   " 2",  "2 ",  "+2",   "2x",       "2,0",   "--2",    "-",       ".",     "e5",
        "1e",  "0",   "-0",  "0.0",  "-1",       "2\n",   "1_000",  "\xd9\xa2"}) {
    EXPECT_THROW(Parameters::parse("tem", kTable, {{"epsilon", text}}), Error) << '"' << text << '"';
  }
  EXPECT_THROW(Parameters::parse("tem", kTable, {{"epsilon", std::string("2\0", 2)}}), Error);
}

TEST(Parameters, TakesStrictDecimals) {
  const auto epsilon = [](const char* text) {
    return Parameters::parse("tem", kTable, {{"epsilon", text}}).number("epsilon");
  };
  EXPECT_EQ(epsilon("2"), 2);
  EXPECT_EQ(epsilon("0.1"), 0.1);
  EXPECT_EQ(epsilon("1e-3"), 1e-3);
  EXPECT_EQ(epsilon("1E+3"), 1000);
  EXPECT_EQ(epsilon(".5"), 0.5);
  EXPECT_EQ(epsilon("4.9406564584124654e-324"), 4.9406564584124654e-324);
  EXPECT_EQ(epsilon("1.7976931348623157e308"), 1.7976931348623157e308);
}

TEST(Parameters, MessagesSayWhatIsAllowedAndWhatToTry) {
  EXPECT_EQ(message_of([] {
              Parameters::parse("tem", kTable, {{"epsilon", "nan"}});
            }),
            "`epsilon` must be a finite number above 0; got \"nan\"");
  EXPECT_EQ(parameter_refusal("gamma", "-1"),
            "`gamma` must be a number above 0, or inf; got \"-1\"; try `gamma` 2");
  EXPECT_EQ(parameter_refusal("k", "0"),
            "`k` must be a whole number of at least 1 and at most 100; got \"0\"; try `k` 10");
  EXPECT_EQ(parameter_refusal("beta", "1"),
            "`beta` must be a finite number above 0 and below 1; got \"1\"; try `beta` 0.5");
  EXPECT_EQ(parameter_refusal("metric", "cosine"),
            "`metric` must be one of euclidean, angular; got \"cosine\"; try `metric` euclidean");
  EXPECT_EQ(parameter_refusal("volumes", "1,,2"),
            "`volumes` must be a list of finite numbers above 0, separated by commas; got \"1,,2\"; try "
            "`volumes` 2");
  EXPECT_EQ(parameter_refusal("strict", "yes"),
            "`strict` must be true or false; got \"yes\"; try `strict` true");
  EXPECT_EQ(parameter_refusal("foo", "1"),
            "`foo` is not a parameter of tem; it has `epsilon`, `gamma`, `k`, `beta`, `metric`, `volumes`, "
            "`strict`");
  EXPECT_EQ(message_of([] { Parameters::parse("tem", kTable, {}); }),
            "tem needs `epsilon` (privacy per unit of distance)");
  EXPECT_THAT(message_of([] {
                Parameters::parse("none", {}, {{"epsilon", "1"}});
              }),
              HasSubstr("it has none"));
  EXPECT_THAT(parameter_refusal("gamma", "1\x1b[2J\n"),
              ::testing::Not(HasSubstr("\x1b")));  // no terminal tricks
}

TEST(Parameters, RangeEnds) {
  EXPECT_EQ(parse({{"k", "1"}}).integer("k"), 1);
  EXPECT_EQ(parse({{"k", "100"}}).integer("k"), 100);
  for (const char* text : {"0", "101", "1.0", "1e1", "99999999999999999999", "-5", "+5", "0x5", ""}) {
    EXPECT_THROW(parse({{"k", text}}), Error) << text;
  }
  EXPECT_THROW(parse({{"beta", "0"}}), Error);
  EXPECT_EQ(parse({{"beta", "0.999"}}).number("beta"), 0.999);
}

TEST(Parameters, InfinityOnlyWhereAllowed) {
  EXPECT_EQ(parse({{"gamma", "inf"}}).number("gamma"), HUGE_VAL);
  for (const char* text : {"-inf", "infinity", "Inf", "1e400", "nan"}) {
    EXPECT_THROW(parse({{"gamma", text}}), Error) << text;
  }
  EXPECT_THROW(parse({{"volumes", "1,inf"}}), Error);
}

TEST(Parameters, DefaultsAndAbsence) {
  const Parameters parsed = parse({});
  EXPECT_EQ(parsed.integer("k"), 10);
  EXPECT_EQ(parsed.text("metric"), "euclidean");
  EXPECT_FALSE(parsed.has("gamma"));
  EXPECT_FALSE(parsed.flag("strict"));
  EXPECT_TRUE(parse({{"strict", "true"}}).flag("strict"));
  EXPECT_THROW((void)parsed.number("gamma"), Error);
  EXPECT_EQ(parse({{"volumes", "1.5,3,6"}}).numbers("volumes"), (std::vector<double>{1.5, 3, 6}));
}

TEST(Parameters, CanonicalTextsParseToThemselves) {
  const Parameters parsed = parse(
      {{"epsilon", "2.50"}, {"gamma", "1e2"}, {"k", "007"}, {"volumes", "1.0,2e0"}, {"strict", "true"}});
  EXPECT_EQ(parsed.texts(), (ParameterTexts{{"epsilon", "2.5"},
                                            {"gamma", "100"},
                                            {"k", "7"},
                                            {"metric", "euclidean"},
                                            {"volumes", "1,2"},
                                            {"strict", "true"}}));
  EXPECT_EQ(Parameters::parse("tem", kTable, parsed.texts()).texts(), parsed.texts());
}

TEST(Numbers, TextRoundTripsEveryDouble) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(2), "2");
  EXPECT_EQ(number_text(HUGE_VAL), "inf");
  Rng rng = Rng::seeded_not_private(3);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(rng.bits());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(parse_number("x", number_text(value), Infinity::refused), value) << number_text(value);
  }
}

TEST(Numbers, SubjectOfTheMessage) {
  EXPECT_EQ(message_of([] { parse_number("--threads", "two", Infinity::refused); }),
            "--threads must be a finite number; got \"two\"");
  EXPECT_EQ(parse_integer("--limit", "-12"), -12);
  EXPECT_THAT(message_of([] { parse_integer("--limit", "1e3"); }), HasSubstr("whole number"));
}

}  // namespace
}  // namespace sotto
