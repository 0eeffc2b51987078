#include "sotto/reading.h"

#include <gmock/gmock.h>

#include "text/format.h"
#include "text/format_support.h"

namespace sotto {
namespace {

using test::fault_of;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;
using testing::UnorderedElementsAre;

std::string refusal(const ReadingTexts& texts, const std::string& input = "-") {
  const auto fault = fault_of([&] { make_format(ReadingOptions::parse(texts), input); });
  EXPECT_EQ(fault.code, ErrorCode::usage);
  return fault.message;
}

TEST(ReadingOptions, OptionsOfAnotherFormatAreRefused) {
  EXPECT_THAT(refusal({{"format", {"text"}}, {"column", {"1"}}}), HasSubstr("csv"));
  EXPECT_THAT(refusal({{"format", {"text"}}, {"field", {"a"}}}), HasSubstr("jsonl"));
  EXPECT_THAT(refusal({{"format", {"text"}}, {"no-header", {}}}), HasSubstr("csv"));
  EXPECT_THAT(refusal({{"format", {"text"}}, {"header", {}}}), HasSubstr("csv"));
  EXPECT_THAT(refusal({{"format", {"text"}}, {"short-rows", {"pass"}}}), HasSubstr("csv"));
  EXPECT_THAT(refusal({{"format", {"csv"}}, {"column", {"1"}}, {"tsv-quotes", {"literal"}}}),
              HasSubstr("`tsv-quotes` needs tsv"));
  EXPECT_THAT(refusal({{"format", {"jsonl"}}, {"field", {"a"}}, {"short-rows", {"pass"}}}), HasSubstr("csv"));
  EXPECT_THAT(refusal({{"format", {"csv"}}, {"column", {"1"}}, {"field", {"a"}}}), HasSubstr("jsonl"));
  EXPECT_THAT(refusal({{"format", {"jsonl"}}, {"field", {"a"}}, {"column", {"a"}}}), HasSubstr("csv"));
  EXPECT_THAT(refusal({{"format", {"jsonl"}}, {"field", {"a"}}, {"no-header", {}}}), HasSubstr("csv"));
  EXPECT_THAT(refusal({{"format", {"jsonl"}}, {"field", {""}}}), HasSubstr("`field` is empty"));
}

// The messages name the input, what it is taken for, and what to say instead.
TEST(ReadingOptions, MessagesNameTheFormatsThatUnderstandAnOption) {
  EXPECT_THAT(refusal({{"column", {"1"}}}, "a.txt"),
              StartsWith("a.txt is read as text, which has no columns: `column`, `header`, `no-header` and "
                         "`short-rows` need csv"));
  EXPECT_EQ(refusal({{"missing-field", {"pass"}}}),
            "standard input is read as text, which has no fields: `missing-field` needs jsonl (add `format` "
            "jsonl)");
  EXPECT_EQ(refusal({{"column", {"1"}}, {"tsv-quotes", {"excel"}}}, "a.csv"),
            "a.csv is read as csv: `tsv-quotes` needs tsv (add `format` tsv)");
}

TEST(ReadingOptions, WhatIsToBePrivatisedMustBeSaid) {
  for (const char* header : {"", "header", "no-header"}) {
    EXPECT_THAT(refusal(test::with_flag({{"column", {}}}, header), "a.csv"),
                StartsWith("a.csv is read as csv: choose the columns to privatise with `column` (name or "
                           "1-based number), or use `format` text"));
  }
  EXPECT_THAT(refusal({{"missing-field", {"pass"}}}, "a.ndjson"),
              StartsWith("a.ndjson is read as jsonl: choose the fields to privatise with `field`"));
}

TEST(ReadingOptions, ValuesAreCheckedOnce) {
  const auto fault = [](const ReadingTexts& texts) {
    const auto found = fault_of([&] { (void)ReadingOptions::parse(texts); });
    EXPECT_EQ(found.code, ErrorCode::usage);
    return found.message;
  };
  EXPECT_EQ(fault({{"tsv-quotes", {"none"}}}),
            "`tsv-quotes` none: it must be literal, excel or refuse (the default)");
  EXPECT_EQ(fault({{"short-rows", {""}}}), "`short-rows` : it must be pass or refuse (the default)");
  EXPECT_EQ(fault({{"missing-field", {"keep"}}}),
            "`missing-field` keep: it must be pass or refuse (the default)");
  EXPECT_EQ(fault({{"header", {}}, {"no-header", {}}}), "choose one of `header` and `no-header`");
  EXPECT_THAT(fault({{"colum", {"1"}}}), StartsWith("there is no option `colum` for reading"));
  EXPECT_THAT(fault({{"format", {"xml"}}}), StartsWith("no format is called 'xml'"));
  for (const ReadingOption* option : reading_options()) {
    for (const ReadingOption::Value& value : option->values) {
      const ReadingTexts texts = option->kind == ReadingOption::Kind::choice
                                     ? ReadingTexts{{std::string(option->name), {std::string(value.text)}}}
                                     : test::with_flag({}, std::string(value.flag));
      EXPECT_EQ(ReadingOptions::parse(texts).value(*option), value.text);
    }
  }
}

// The report says what was said; names of columns are for the data holder.
TEST(ReadingOptions, SettingsSayWhatWasSaid) {
  using Audience = ReleaseSetting::Audience;
  const auto settings = [](const ReadingTexts& texts, const std::string& input, Audience reader) {
    const ReadingOptions options = ReadingOptions::parse(texts);
    std::map<std::string, std::string> out;
    for (const ReleaseSetting& setting : options.settings(options.format_of(input))) {
      if (setting.audience == Audience::everybody || reader == Audience::data_holder) {
        out[setting.name] = setting.value;
      }
    }
    return out;
  };
  EXPECT_THAT(settings({}, "a.txt", Audience::data_holder),
              UnorderedElementsAre(Pair("format", "by extension")));
  const ReadingTexts table = {{"format", {"tsv"}}, {"column", {"id", "text"}}, {"tsv-quotes", {"excel"}}};
  EXPECT_THAT(
      settings(table, "a", Audience::data_holder),
      UnorderedElementsAre(Pair("format", "tsv"), Pair("header", "not said"), Pair("tsv-quotes", "excel"),
                           Pair("columns", "id, text"), Pair("columns_chosen", "2")));
  EXPECT_THAT(settings(table, "a", Audience::everybody),
              UnorderedElementsAre(Pair("format", "tsv"), Pair("header", "not said"),
                                   Pair("tsv-quotes", "excel"), Pair("columns_chosen", "2")));
  EXPECT_THAT(ReadingOptions().said(), IsEmpty());
}

}  // namespace
}  // namespace sotto
