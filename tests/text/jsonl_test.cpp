#include "text/jsonl.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "text/format_support.h"

namespace sotto {
namespace {

using test::fault_of_format;
using test::run_format;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

ReadingTexts jsonl(std::vector<std::string> fields) {
  return {{"format", {"jsonl"}}, {"field", std::move(fields)}};
}
ReadingTexts passing(std::vector<std::string> fields) {
  return {{"format", {"jsonl"}}, {"field", std::move(fields)}, {"missing-field", {"pass"}}};
}
std::vector<std::string> documents(const std::string& field, const std::string& input) {
  return run_format(jsonl({field}), input).documents;
}

TEST(Jsonl, FindsTheChosenStrings) {
  const auto run =
      run_format(jsonl({"text", "user.bio"}), R"({"id": 1, "text": "a b", "user": {"name": "n", "bio": "c"}})"
                                              "\n\n"
                                              R"({"user":{"bio":"d"},"other":{"text":"no"},"text":"e"})");
  EXPECT_THAT(run.documents, ElementsAre("a b", "c", "d", "e"));
  EXPECT_THAT(run.lines, ElementsAre(1, 1, 3, 3));
  EXPECT_THAT(run.passed_through, ElementsAre("every field but the chosen ones"));
}

TEST(Jsonl, PathsGoThroughArrays) {
  EXPECT_THAT(documents("reviews.text", R"({"reviews":[{"text":"a"},[{"text":"b"}],[],{"text":["c"]}]})"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(documents("tags", R"({"tags":["a",["b"],[],"c"]})"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(documents("text", R"([{"text":"a"},{"text":"b"}])"), ElementsAre("a", "b"));
}

TEST(Jsonl, TextDoesNotHideBehindASpelling) {
  EXPECT_THAT(documents("text", R"({"te\u0078t":"a"})"), ElementsAre("a"));
  EXPECT_THAT(documents("a.b", R"({"a":{"b":"1"},"a.b":"2"})"), ElementsAre("1", "2"));
  EXPECT_THAT(documents("a.b.c", R"({"a.b":{"c":"1"},"a":{"b.c":"2","b":{"c":"3"}}})"),
              ElementsAre("1", "2", "3"));
  EXPECT_THAT(documents("caf\u00e9", R"({"caf\u00e9":"a"})"), ElementsAre("a"));
}

// Readers differ: Python takes the last one, others the first or all of them.
TEST(Jsonl, ARepeatedKeyOfTheFieldIsRefused) {
  for (const std::string bad :
       {R"({"t":"canaryword","t":"b","a":{"b":"c"}})", R"({"t":"a","t":"canaryword","t":null,"a":{"b":"c"}})",
        R"({"t":"a","\u0074":"canaryword","a":{"b":"c"}})", R"({"t":"a","a":{"b":"c"},"a":{"canaryword":1}})",
        R"({"t":"a","a":{"b":"c","b":"canaryword"}})", R"({"t":"a","a":[{"b":"c"},{"b":"d","b":"e"}]})",
        R"([{"t":"a","a":{"b":"c"}},{"t":"a","t":"b","a":{"b":"c"}}])",
        R"({"t":"a","a.b":"c","a.b":"canaryword"})"}) {
    for (const ReadingTexts& options : {jsonl({"t", "a.b"}), passing({"t", "a.b"})}) {
      const auto fault = fault_of_format(options, "{\"t\":\"a\",\"a\":{\"b\":\"c\"}}\n" + bad + "\n");
      EXPECT_EQ(fault.code, ErrorCode::bad_data) << bad;
      EXPECT_THAT(fault.message, StartsWith("line 2: a key of the field '")) << bad;
    }
  }
  // Elsewhere a repeated key passes as it is, like everything that was not chosen.
  EXPECT_THAT(documents("t", R"({"u":1,"u":2,"t":"a","v":{"t":"no","t":"no"}})"), ElementsAre("a"));
  EXPECT_THAT(documents("t", R"([{"t":"a"},{"t":"b"}])"), ElementsAre("a", "b"));
}

TEST(Jsonl, DecodesEscapes) {
  EXPECT_THAT(documents("t", R"({"t":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\uDE00é"})"),
              ElementsAre("\"\\/\b\f\n\r\tA\u00e9\u20ac\U0001F600\u00e9"));
  EXPECT_THAT(documents("t", R"({"t":"a\u0000b"})"), ElementsAre(std::string("a\0b", 3)));
}

TEST(Jsonl, EscapesReplacementsAgain) {
  const std::string replacement = "q\" b\\ n\n t\t z\x01\x1f\x7f é \U0001F600 /";
  const auto run = run_format(jsonl({"t"}), R"( {"t" : "x" , "u":"\u0041\/" } )",
                              [&](std::string_view) { return std::string(replacement); });
  EXPECT_EQ(run.output, std::string(" {\"t\" : \"q\\\" b\\\\ n\\n t\\t z\\u0001\\u001f\x7f é \U0001F600 /\" "
                                    ", \"u\":\"\\u0041\\/\" } "));
  EXPECT_EQ(nlohmann::json::parse(run.output)["t"], replacement);
}

TEST(Jsonl, BytesOutsideTheChosenStringsAreKept) {
  const std::string input =
      "\xEF\xBB\xBF{ \"t\":\"a\",\"n\":1.0e+00, \"big\":123456789012345678901234567890,\"h\":1e400}\r\n \n"
      "{\"t\"\t:\"b\", \"lone\":\"\\ud800\", \"k\\ud800\":[ ] }\n";
  EXPECT_EQ(run_format(jsonl({"t"}), input).output, input);
  EXPECT_EQ(run_format(jsonl({"t"}), input).layout.empty_lines, 1);
  EXPECT_EQ(run_format(passing({"t"}), input + "{}").output, input + "{}");
}

TEST(Jsonl, BrokenJsonIsNamedByLine) {
  std::string input;
  for (int i = 0; i < 6; ++i) input += "{\"t\":\"fine\"}\n";
  for (const std::string bad :
       {R"({"t":"canaryword")", R"({"t":"canaryword"}})", R"({"t":canaryword})", R"({"t":"canaryword\x"})",
        R"({"t":"canaryword\u12g4"})", "{\"t\":\"canaryword\t\"}", R"({"t":"a",})", R"({"u":01})",
        R"({'t':"a"})", R"({"t":"canaryword})", R"({"u":[1 2]})", R"({"u":tru})", R"({"t":"a"} {"t":"b"})",
        "{\"t\":\"a\"}\x01"}) {
    const auto fault = fault_of_format(jsonl({"t"}), input + bad + "\n{}\n");
    EXPECT_EQ(fault.code, ErrorCode::bad_data) << bad;
    EXPECT_THAT(fault.message, StartsWith("line 7: not valid JSON")) << bad;
  }
  const auto utf8 = fault_of_format(jsonl({"t"}), input + "{\"t\":\"a\",\"u\":\"canaryword\xff\"}");
  EXPECT_THAT(utf8.message, StartsWith("line 7: not valid UTF-8"));
  EXPECT_THAT(fault_of_format(jsonl({"t"}), "\n{\"canaryword\n").message,
              StartsWith("line 2: not valid JSON"));
}

TEST(Jsonl, WhatWouldStayInClearIsRefusedByLine) {
  for (const std::string bad : {R"({"t":5})",
                                R"({"t":true})",
                                R"({"t":false})",
                                R"({"t":["a",5]})",
                                R"({"t":{"canaryword":"a"}})",
                                R"({"t":[{"a":"b"}]})",
                                R"({"t":null})",
                                R"({"t":["a",null]})",
                                R"({})",
                                R"({"u":"canaryword"})",
                                R"([{"t":"a"},{"u":"canaryword"}])",
                                R"([{"t":"a"},"canaryword"])",
                                R"({"T":"canaryword"})",
                                R"({"t ":"canaryword"})",
                                R"({"u":{"t":"canaryword"}})",
                                R"({"t":"a\ud800"})",
                                R"({"t":"\udc00\ud800"})",
                                R"({"t":"\ud800\u0041"})",
                                R"("canaryword")",
                                "5",
                                "null"}) {
    const auto fault = fault_of_format(jsonl({"t"}), "{\"t\":\"fine\"}\n" + bad + "\n");
    EXPECT_EQ(fault.code, ErrorCode::bad_data) << bad;
    EXPECT_THAT(fault.message, StartsWith("line 2: ")) << bad;
  }
}

TEST(Jsonl, DeepNestingIsRefusedAndNotFollowed) {
  const std::string fine = "{\"t\":" + std::string(500, '[') + "\"a\"" + std::string(500, ']') + "}";
  EXPECT_THAT(documents("t", fine), ElementsAre("a"));
  const auto fault = fault_of_format(jsonl({"t"}), "{\"t\":" + std::string(500000, '['));
  EXPECT_THAT(fault.message, StartsWith("line 1: JSON nested deeper"));
}

TEST(Jsonl, TheFirstRecordMustHaveTheFields) {
  const std::string first = R"({"canaryword id":1,"t\u0065xt":"canaryword","user":{"bio":"canaryword"}})";
  for (const std::string field : {"txt", "user.name", "text.x", "bio", "Text"}) {
    const auto fault = fault_of_format(jsonl({"text", field}), "\n" + first + "\n");
    EXPECT_EQ(fault.code, ErrorCode::usage) << field;
    EXPECT_THAT(fault.message, HasSubstr(field));
    EXPECT_THAT(fault.message, HasSubstr("the first record, in line 2, has 3 fields"));
  }
}

// Each of these passed in clear once.
TEST(Jsonl, ARecordWithoutTextAtTheFieldIsRefused) {
  const std::string first = "{\"r\":{\"t\":\"a\"}}\n";
  for (const std::string bad :
       {R"({"r":{"t":null}})", R"({"r":null})", R"({"r":{}})", R"({})", R"({"r":"canaryword"})", R"({"r":5})",
        R"({"r":[{"t":"a"},{"x":"canaryword"}]})", R"({"r":[{"t":"a"},"canaryword"]})",
        R"({"r":[{"t":"a"},null]})", R"({"r":{"t":["a",["b",null]]}})",
        R"({"r.t":"a","r":{"x":"canaryword"}})", R"({"r":{"T":"canaryword"}})",
        R"([{"r":{"t":"a"}},{"x":"canaryword"}])"}) {
    const auto fault = fault_of_format(jsonl({"r.t"}), first + "\n" + bad + "\n");
    EXPECT_EQ(fault.code, ErrorCode::bad_data) << bad;
    EXPECT_THAT(fault.message, StartsWith("line 3: the field 'r.t' must hold text; it ")) << bad;
    EXPECT_THAT(fault.message, HasSubstr("`missing-field` pass")) << bad;
    const auto run = run_format(passing({"r.t"}), first + "\n" + bad + "\n" + first);
    EXPECT_EQ(run.layout.missing_fields, 1) << bad;
    EXPECT_EQ(run.layout.empty_lines, 1) << bad;
    EXPECT_EQ(run.output, first + "\n" + bad + "\n" + first);
  }
  // A first record may hold another value there, or lack it if that is allowed.
  EXPECT_EQ(fault_of_format(jsonl({"t"}), "{\"t\":null}\n").code, ErrorCode::bad_data);
  EXPECT_THAT(run_format(passing({"t"}), "{\"u\":1}\n{\"t\":\"a\"}\n").documents, ElementsAre("a"));
}

TEST(Jsonl, WhatIsThereInAnIncompleteRecordIsPrivatised) {
  const auto run = run_format(passing({"r.t", "u"}), R"({"r":[{"t":"a"},{"x":1},{"t":["b",5]}],"u":null})"
                                                     "\n{\"u\":\"c\",\"r\":[]}\n");
  EXPECT_THAT(run.documents, ElementsAre("a", "b", "c"));
  EXPECT_EQ(run.layout.missing_fields, 1);  // records, not places
  EXPECT_THAT(run.allowed_leaks, ElementsAre(HasSubstr("missing-field pass")));
  EXPECT_THAT(run_format(jsonl({"u"}), "{\"u\":\"c\"}").allowed_leaks, IsEmpty());
}

// An empty array holds nothing that could pass in clear; that it is empty shows, as any number of documents
// does.
TEST(Jsonl, AnEmptyArrayIsNoMissingText) {
  EXPECT_THAT(documents("r.t", R"({"r":[]})"), IsEmpty());
  EXPECT_THAT(documents("r.t", R"({"r":{"t":[[],[]]}})"), IsEmpty());
  EXPECT_EQ(run_format(passing({"r.t"}), R"({"r":[]})").layout.missing_fields, 0);
}

TEST(Jsonl, AFieldThatNoRecordHasIsMistyped) {
  const auto fault =
      fault_of_format(passing({"t", "txt"}), "{\"t\":\"a\"}\n{\"t\":\"canaryword\"}\n{\"txt\":null}\n");
  EXPECT_EQ(fault.code, ErrorCode::usage);
  EXPECT_THAT(fault.message, StartsWith("`field` txt: no record has text there"));
}

TEST(Jsonl, ALoneCarriageReturnIsRefused) {
  for (const std::string bad : {"{\"t\":\"a\"}\r{\"t\":\"canaryword\"}\r", "{\"t\":\"a\"}\r{\"t\":\"b\"}\n",
                                "{\"t\":\r\"canaryword\"}\n", "{\"t\":\"a\"\r}\r\n", "[{\"t\":\"a\"},\r\n",
                                "{\"t\":\"a\"}\r\r{}\n"}) {
    EXPECT_EQ(fault_of_format(jsonl({"t"}), bad).code, ErrorCode::bad_data) << bad;
  }
  EXPECT_THAT(documents("t", "\r{\"t\":\"a\"}\r\r\n\r\n{\"t\":\"b\"}\r"), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace sotto
