#include "sotto/answer.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace sotto::api {
namespace {

TEST(Answer, NumbersThatJsonDoesNotHaveAreNull) {
  EXPECT_EQ(finite_or_null(1.5), Json(1.5));
  EXPECT_EQ(finite_or_null(std::nullopt), Json(nullptr));
  EXPECT_EQ(finite_or_null(std::numeric_limits<double>::infinity()), Json(nullptr));
  EXPECT_EQ(finite_or_null(std::numeric_limits<double>::quiet_NaN()), Json(nullptr));
}

TEST(Answer, StatesItsSchemaFirstAndReadsBackAsTheSameNumbers) {
  Json answer = start_answer("sotto.test/1");
  answer["third"] = 1.0 / 3;
  const std::string text = json_text(answer);
  EXPECT_EQ(text.find("\"schema\": \"sotto.test/1\""), 4U);
  EXPECT_EQ(Json::parse(text)["third"].get<double>(), 1.0 / 3);
}

TEST(Answer, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(json_text(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace sotto::api
