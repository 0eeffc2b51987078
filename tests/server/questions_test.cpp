// Questions about words and releases: /v1/explain and /v1/guess.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "api/guess.h"
#include "server/canary.h"
#include "server/running.h"
#include "sotto/explain.h"

namespace sotto::server {
namespace {

using api::Json;
using testing::HasSubstr;
using testing::Not;

class Questions : public testing::Test {
 protected:
  Questions() : service_(test::small_service()) { service_.make_ready(); }

  Response post(const std::string& target, const Json& body) {
    return service_.answer({.method = "POST",
                            .target = target,
                            .headers = {{"Content-Type", "application/json"}},
                            .body = body.dump()});
  }
  Json answer_of(const std::string& target, const Json& body) {
    const Response response = post(target, body);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }
  void expect_refused(const std::string& target, const Json& body, const std::string& named) {
    const Response response = post(target, body);
    EXPECT_EQ(response.status, 422) << body.dump();
    EXPECT_EQ(response.type, "application/problem+json");
    EXPECT_THAT(response.body, Not(HasSubstr(kCanary)));
    EXPECT_THAT(response.body, HasSubstr(named)) << body.dump();
  }

  Service service_;
};

TEST_F(Questions, ExplainSaysWhatTheProgramSays) {
  const Json answer = answer_of("/v1/explain", {{"word", "W1"}, {"epsilon", 2}, {"top", 3}});
  Json said = api::to_json(api::explain({.model = test::served_model(),
                                         .setting = parse_setting("tem", {{"epsilon", "2"}}),
                                         .word = "W1",
                                         .top = 3},
                                        {}));
  Json same = answer;
  same.erase("map");
  EXPECT_EQ(same, said);
  ASSERT_EQ(answer["map"].size(), 4U);
  EXPECT_EQ(answer["map"][0], Json({{"word", "w1"}, {"x", 0.0}, {"y", 0.0}}));
  EXPECT_EQ(answer_of("/v1/explain", {{"word", "w1"}, {"epsilon", 2}})["map"].size(), 11U);
}

TEST_F(Questions, ExplainDrawsWhereThereIsNoClosedLaw) {
  const Json answer =
      answer_of("/v1/explain", {{"word", "w1"}, {"mechanism", "laplace"}, {"epsilon", 2}, {"top", 2}});
  EXPECT_EQ(answer["estimated"], true);
  EXPECT_TRUE(answer["outputs"][0].contains("low"));
}

TEST_F(Questions, ExplainRefusesAWordWithoutRepeatingIt) {
  expect_refused("/v1/explain", {{"word", kCanary}, {"epsilon", 2}}, "`word`");
  expect_refused("/v1/explain", {{"word", "w1 zebrafish"}, {"epsilon", 2}}, "`word`");
  expect_refused("/v1/explain", {{"word", "!"}, {"epsilon", 2}}, "`word`");
  expect_refused("/v1/explain", {{"word", ""}, {"epsilon", 2}}, "`word`");
  expect_refused("/v1/explain", {{"word", "w1"}, {"epsilon", 2}, {"top", 0}}, "`top`");
  expect_refused("/v1/explain", {{"word", "w1"}, {"epsilon", 2}, {"top", 101}}, "`top`");
  expect_refused("/v1/explain", {{"word", "w1"}}, "`epsilon`");
  expect_refused("/v1/explain", {{"word", "w1"}, {"mechanism", "privemb"}, {"epsilon", 1}}, "`mechanism`");
}

TEST_F(Questions, GuessSaysWhatTheLibrarySays) {
  const std::string text = "w1, w2 zebrafish! w1";
  const Json answer = answer_of("/v1/guess", {{"private", text}, {"epsilon", 2}});
  EXPECT_EQ(answer, api::to_json(api::guess({.model = test::served_model(),
                                             .setting = parse_setting("tem", {{"epsilon", "2"}}),
                                             .released = text},
                                            {})));
  ASSERT_EQ(answer["guesses"].size(), 4U);
  EXPECT_EQ(answer["guesses"][2]["output"], kCanary);
  EXPECT_TRUE(answer["guesses"][2]["guess"].is_null());
  EXPECT_TRUE(answer_of("/v1/guess", {{"private", ""}, {"epsilon", 2}})["guesses"].empty());
}

TEST_F(Questions, GuessRefusesWhatHasNoExactPosterior) {
  expect_refused("/v1/guess", {{"private", kCanary}, {"mechanism", "laplace"}, {"epsilon", 2}},
                 "closed form");
  expect_refused("/v1/guess", {{"private", kCanary}, {"mechanism", "privemb"}, {"epsilon", 2}},
                 "`mechanism`");
  expect_refused("/v1/guess", {{"private", kCanary}}, "`epsilon`");
}

TEST_F(Questions, GuessRefusesTooManyDifferentWords) {
  Service service({.open_model = [] { return test::gaussian_model({.words = 1'001, .dim = 2}); }});
  service.make_ready();
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "w" + std::to_string(i) + " ";
  const auto status = [&] {
    return service
        .answer({.method = "POST",
                 .target = "/v1/guess",
                 .headers = {{"Content-Type", "application/json"}},
                 .body = Json{{"private", text + text}, {"epsilon", 2}}.dump()})
        .status;
  };
  EXPECT_EQ(status(), 200);
  text += "w1000";
  EXPECT_EQ(status(), 422);
}

// More settings than are kept, from several threads: answers do not depend on what is kept.
TEST_F(Questions, GuessesDoNotDependOnTheCache) {
  std::vector<Json> first(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < first.size(); ++i) {
      threads.emplace_back([&, i] {
        first[i] = Json::parse(post("/v1/guess", {{"private", "w1 w2 w3"}, {"epsilon", i + 1}}).body);
      });
    }
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(answer_of("/v1/guess", {{"private", "w1 w2 w3"}, {"epsilon", i + 1}}), first[i]);
  }
}

}  // namespace
}  // namespace sotto::server
