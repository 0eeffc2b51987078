#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/import.h"
#include "model/model_fixtures.h"

namespace sotto::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kSmall[] =
    R"({"precision":8,"l2NormIndex":2,"wordIndex":3,"size":3,"dimensions":2,"words":["The","\"","caf\u00e9"],)"
    R"("vectors":{"caf\u00e9":[5,6,7.8,2],"The":[0.1, -2e-1 ,0.2,0],"\"":[3,4,5,1]},"unkVector":[0,0,0,-1]})";

ImportOptions as_npm_json() {
  ImportOptions options = ascii_options();
  options.format = VectorFormat::npm_json;
  return options;
}

std::string npm_json_refusal(const std::string& json) {
  return error_of(ErrorCode::bad_data, [&] { import_bytes(json, as_npm_json()); });
}

TEST(NpmJson, OrderIsThatOfTheWordsNotOfTheVectors) {
  const auto model = import_bytes(kSmall);
  EXPECT_THAT(words_of(*model), ElementsAre("the", "\"", "caf\xc3\xa9"));
  EXPECT_THAT(vector_of(*model, "the"), ElementsAre(0.1F, -0.2F));
  EXPECT_THAT(vector_of(*model, "\""), ElementsAre(3, 4));
  EXPECT_THAT(vector_of(*model, "caf\xc3\xa9"), ElementsAre(5, 6));
  EXPECT_EQ(model->origin().source, "npm JSON");
}

TEST(NpmJson, TheOrderOfItsFieldsIsFree) {
  const auto model = import_bytes(R"( { "vectors" : { "the" : [ 1 , 2 , 3 , 0 ] } , "words" : [ "the" ] ,
                                        "dimensions" : 2 } )");
  EXPECT_THAT(vector_of(*model, "the"), ElementsAre(1, 2));
}

TEST(NpmJson, RoundsOnce) {
  const auto model =
      import_bytes(R"({"dimensions":1,"words":["a"],"vectors":{"a":[1.000000059604644775390626,1,0]}})");
  EXPECT_THAT(vector_of(*model, "a"), ElementsAre(std::nextafter(1.0F, 2.0F)));
}

TEST(NpmJson, IsRefusedAtEveryShorterLength) {
  const std::string json = kSmall;
  for (std::size_t length = 0; length < json.size(); ++length) npm_json_refusal(json.substr(0, length));
}

TEST(NpmJson, RefusesOtherJson) {
  EXPECT_THAT(npm_json_refusal(std::string(kSmall) + "{}"), HasSubstr("follows"));
  npm_json_refusal(R"({"canary":1})");
  npm_json_refusal(R"(["canary"])");
  npm_json_refusal(R"("canary")");
  npm_json_refusal("canary");
  npm_json_refusal(R"({"dimensions":2,"words":"canary","vectors":{}})");
  npm_json_refusal(R"({"dimensions":2,"words":["canary"],"vectors":[]})");
  npm_json_refusal(R"({"dimensions":-2,"words":["canary"],"vectors":{"canary":[1,2,3,4]}})");
  npm_json_refusal(
      R"({"dimensions":18446744073709551615,"words":["canary"],"vectors":{"canary":[1,2,3,4]}})");
  npm_json_refusal(R"({"dimensions":2,"words":["canary)"
                   "\xff"
                   R"("],"vectors":{"canary":[1,2,3,4]}})");
  npm_json_refusal(std::string(5000, '[') + "\"canary\"" + std::string(5000, ']'));
  EXPECT_THAT(
      npm_json_refusal(R"({"size":2,"dimensions":1,"words":["canary"],"vectors":{"canary":[1,1,0]}})"),
      HasSubstr("\"size\" says 2"));
}

TEST(NpmJson, BadVectorsAreBadRows) {
  for (const char* vector : {"[1,2,3]", "[1,2,3,4,5]", "[]", "[1,null,3,4]", "[1,\"2\",3,4]", "[1,[2],3,4]",
                             "[1,1e39,3,4]", "[1,nan,3,4]", "[1,{\"canary\":2},3,4]"}) {
    const std::string message =
        npm_json_refusal(std::string(R"({"dimensions":2,"words":["the","canary"],"vectors":{)") +
                         R"("the":[1,2,3,0],"canary":)" + vector + "}}");
    EXPECT_TRUE(message.find("record 2") != std::string::npos || message.find("damaged") != std::string::npos)
        << vector << message;
  }
  EXPECT_THAT(npm_json_refusal(R"({"dimensions":2,"words":["canary","the"],"vectors":{"the":[1,2,3,0]}})"),
              HasSubstr("1 of 2 rows, the first at record 1"));
}

TEST(NpmJson, FirstOfTwoEqualWordsWins) {
  const auto model = import_bytes(R"({"dimensions":1,"words":["the","the","THE"],)"
                                  R"("vectors":{"the":[1,1,0],"the":[2,2,1],"THE":[3,3,2]}})");
  EXPECT_THAT(vector_of(*model, "the"), ElementsAre(1));
  EXPECT_EQ(model->origin().dropped_collision, 2);
}

}  // namespace
}  // namespace sotto::test
