#include "server/json_body.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "server/canary.h"
#include "server/problem.h"

namespace sotto::server {
namespace {

using testing::HasSubstr;
using testing::Not;

void expect_refused(const std::string& body) {
  try {
    (void)parse_body(body);
    FAIL() << body;
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.kind->status, 400) << body;
    EXPECT_THAT(problem.detail, Not(HasSubstr(kCanary))) << body;
  }
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

TEST(JsonBody, RefusesWhatIsNotStrictJson) {
  const std::string word = kCanary;
  for (const std::string& body :
       {std::string(), std::string("{"), "{\"text\": \"" + word, "{'text': '" + word + "'}",
        "{\"text\": \"" + word + "\",}", "{\"text\": \"" + word + "\"} x",
        "{\"text\": NaN, \"" + word + "\": 1}", "{\"text\": \"" + word + "\n\"}", "// " + word + "\n{}",
        "{\"text\": \"" + word + "\\ud800\"}", "{\"text\": \"" + word + "\xff\"}",
        "{\"text\": \"\xc0\xaf" + word + "\"}", "{\"text\": \"\xed\xa0\x80" + word + "\"}"}) {
    expect_refused(body);
  }
}

TEST(JsonBody, RefusesTwoEqualKeysAtEveryDepth) {
  expect_refused(R"({"text": "zebrafish", "text": "zebrafish"})");
  expect_refused(R"({"a": {"zebrafish": 1, "b": 2, "zebrafish": 3}})");
  expect_refused(R"([{"zebrafish": 1, "zebrafish": 1}])");
  expect_refused(R"({"text": 1, "te\u0078t": 1})");  // the same key after its escape is read
  EXPECT_EQ(parse_body(R"({"a": {"b": 1}, "b": [{"b": 1}, {"b": 2}]})").size(), 2U);
}

TEST(JsonBody, RefusesNumbersThatNoDoubleHolds) {
  expect_refused(R"({"epsilon": 1e400})");
  expect_refused(R"({"epsilon": -1e400})");
  EXPECT_EQ(parse_body(R"({"epsilon": 1e-400})")["epsilon"], 0.0);
}

TEST(JsonBody, RefusesDeepNesting) {
  EXPECT_NO_THROW((void)parse_body(nested(kDeepest)));
  expect_refused(nested(kDeepest + 1));
  expect_refused(nested(400'000));
  expect_refused(std::string(400'000, '['));
}

}  // namespace
}  // namespace sotto::server
