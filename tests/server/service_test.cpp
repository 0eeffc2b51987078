#include "server/service.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "server/canary.h"
#include "server/running.h"

namespace sotto::server {
namespace {

using api::Json;
using testing::HasSubstr;
using testing::Not;

class Privatize : public testing::Test {
 protected:
  Privatize() : service_(test::small_service()) { service_.make_ready(); }

  Response post(const std::string& body, const std::string& type = "application/json") {
    return service_.answer({.method = "POST",
                            .target = "/v1/privatize",
                            .headers = {{"Content-Type", type}, {"Host", "localhost:7411"}},
                            .body = body});
  }
  Json answer_of(const Json& body) {
    const Response response = post(body.dump());
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }
  void expect_problem(const Json& body, int status, const std::string& type, const std::string& named) {
    const Response response = post(body.dump());
    EXPECT_EQ(response.status, status) << body.dump();
    EXPECT_EQ(response.type, "application/problem+json");
    EXPECT_THAT(response.body, Not(HasSubstr(kCanary)));
    const Json problem = Json::parse(response.body);
    EXPECT_EQ(problem["status"], status);
    EXPECT_EQ(problem["type"], "urn:sotto:problem:" + type) << body.dump();
    EXPECT_THAT(problem["detail"].get<std::string>(), HasSubstr(named)) << body.dump();
  }

  Service service_;
};

TEST_F(Privatize, ReplacesWordsAndKeepsTheRest) {
  // At this epsilon every known word stays as it is: the layout and the order of texts can be compared. The
  // default gamma would change one word in a thousand at any epsilon.
  const Json answer = answer_of({{"texts", {"w1, w2!", "", "w3\n w4"}},
                                 {"epsilon", 100'000},
                                 {"parameters", {{"gamma", "inf"}}},
                                 {"allow_weak", true}});
  EXPECT_EQ(answer["texts"], Json({"w1, w2!", "", "w3\n w4"}));
  EXPECT_FALSE(answer.contains("text"));
  EXPECT_EQ(answer["epsilon"], 100'000);
  EXPECT_EQ(answer["status"], "proven");
}

TEST_F(Privatize, DrawsAnewForEachRequest) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "w1 ";
  const Json body = {{"text", text}, {"epsilon", 0.1}};
  // Forty words of nearly uniform draws over fifty: equal answers have a probability below 1e-50.
  EXPECT_NE(answer_of(body)["text"], answer_of(body)["text"]);
}

TEST_F(Privatize, SaysWhatTheProgramSays) {
  const Json answer = answer_of({{"text", "w1"}, {"epsilon", 1}, {"parameters", {{"gamma", "inf"}}}});
  api::Release release(
      {.built = build_mechanism("tem", test::served_model(), {{"epsilon", "1"}, {"gamma", "inf"}})});
  const Json said = api::to_json(release.promise({}));
  for (const char* const key : {"mechanism", "certified_epsilon", "guarantee", "status", "sotto_version"}) {
    EXPECT_EQ(answer[key], said[key]) << key;
  }
}

TEST_F(Privatize, TakesNumbersAndTexts) {
  EXPECT_EQ(answer_of({{"text", "w1"}, {"epsilon", 2}})["epsilon"], 2);
  EXPECT_EQ(answer_of({{"text", "w1"}, {"epsilon", 0.5}})["epsilon"], 0.5);
  EXPECT_EQ(answer_of({{"text", "w1"}, {"epsilon", "0.5"}})["epsilon"], 0.5);
  EXPECT_EQ(answer_of({{"text", "w1"}, {"epsilon", 1}, {"parameters", {{"metric", "manhattan"}}}})["status"],
            "proven");
  EXPECT_EQ(answer_of({{"text", kCanary}, {"mechanism", "redact"}})["text"], "[word]");
}

TEST_F(Privatize, RefusesFieldsThatDoNotGoTogether) {
  expect_problem({{"epsilon", 1}}, 422, "field", "either `text` or `texts`");
  expect_problem({{"text", kCanary}, {"texts", {kCanary}}, {"epsilon", 1}}, 422, "field",
                 "either `text` or `texts`");
  expect_problem({{"texts", Json::array()}, {"epsilon", 1}}, 422, "field", "`texts`");
  expect_problem({{"texts", Json::array({kCanary, 1})}, {"epsilon", 1}}, 422, "field", "`texts`");
  expect_problem({{"texts", std::vector<std::string>(1'001, kCanary)}, {"epsilon", 1}}, 422, "field",
                 "`texts`");
  expect_problem({{"text", kCanary}}, 422, "field", "`epsilon`");
}

TEST_F(Privatize, NamesTheParameterAndNotItsValue) {
  const Json good = {{"text", kCanary}, {"epsilon", 1}};
  const auto with = [&](const char* key, const Json& value) {
    Json body = good;
    body[key] = value;
    return body;
  };
  for (const Json& epsilon : {Json(0), Json(-1), Json("inf"), Json("nan"), Json(kCanary), Json("0x10")}) {
    expect_problem(with("epsilon", epsilon), 422, "field", "`epsilon`");
  }
  expect_problem(with("mechanism", kCanary), 422, "field", "`mechanism`");
  expect_problem(with("mechanism", "privemb"), 422, "field", "`mechanism`");  // of vectors
  expect_problem(with("parameters", {{"gamma", kCanary}}), 422, "field", "`parameters.gamma`");
  expect_problem(with("parameters", {{"metric", kCanary}}), 422, "field", "`parameters.metric`");
  expect_problem(with("parameters", {{kCanary, 1}}), 422, "field", "`parameters`");
  expect_problem(with("parameters", {{"epsilon", 1}}), 422, "field", "`epsilon`");
  expect_problem(with("options", {{"unknown_word", kCanary}}), 422, "field", "`options.unknown_word`");
  expect_problem({{"text", kCanary}, {"mechanism", "redact"}, {"epsilon", 1}}, 422, "field", "`epsilon`");
}

TEST_F(Privatize, RefusesWhatIsWeakOrNotProven) {
  Json weak = {{"text", kCanary}, {"epsilon", 100'000}};
  expect_problem(weak, 422, "weak", "`epsilon`");
  weak["allow_weak"] = true;
  (void)answer_of(weak);
  weak["allow_weak"] = false;
  expect_problem(weak, 422, "weak", "`allow_weak`");
  std::size_t refused = 0;
  for (const MechanismInfo& info : mechanisms()) {
    if (info.build == nullptr || info.status == Status::proven) continue;
    Json body = {{"text", kCanary}, {"mechanism", info.name}, {"allow_weak", true}};
    for (const Parameter& parameter : info.parameters) {
      if (parameter.name == "epsilon") body["epsilon"] = 1;
    }
    expect_problem(body, 422, "unproven", "`proven`");
    ++refused;
  }
  EXPECT_GE(refused, 1U);
}

TEST_F(Privatize, CountsTokensBeforeItAnswers) {
  ServiceOptions options = test::small_service();
  options.limits.most_tokens = 3;
  Service service(options);
  service.make_ready();
  const auto status = [&](const char* text) {
    return service
        .answer({.method = "POST",
                 .target = "/v1/privatize",
                 .headers = {{"content-type", "application/json"}},
                 .body = Json{{"text", text}, {"epsilon", 1}}.dump()})
        .status;
  };
  EXPECT_EQ(status("w1 w2 w3"), 200);
  EXPECT_EQ(status("w1 w2 w3 w4"), 422);
}

TEST_F(Privatize, TakesJsonOnly) {
  const std::string body = R"({"text": "zebrafish", "epsilon": 1})";
  for (const char* const type : {"application/json", "Application/JSON", "application/json; charset=utf-8",
                                 "application/json;charset=UTF-8"}) {
    EXPECT_EQ(post(body, type).status, 200) << type;
  }
  for (const char* const type : {"", "text/plain", "application/x-www-form-urlencoded", "application/jsonx",
                                 "application/json; charset=latin1", "multipart/form-data"}) {
    EXPECT_EQ(post(body, type).status, 415) << type;
  }
  const Response packed =
      service_.answer({.method = "POST",
                       .target = "/v1/privatize",
                       .headers = {{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}},
                       .body = body});
  EXPECT_EQ(packed.status, 415);
}

TEST_F(Privatize, RefusesAHeaderThatOccursTwice) {
  const Response response = service_.answer(
      {.method = "POST",
       .target = "/v1/privatize",
       .headers = {{"Content-Type", "application/json"}, {"content-type", "application/json"}},
       .body = "{}"});
  EXPECT_EQ(response.status, 400);
}

// A web page whose own name leads to this machine cannot use the service through its visitor's browser.
TEST_F(Privatize, AnswersOnlyRequestsForThisMachine) {
  const auto status = [&](const char* host) {
    return service_.answer({.method = "GET", .target = "/healthz", .headers = {{"Host", host}}}).status;
  };
  for (const char* const host :
       {"localhost", "localhost:7411", "127.0.0.1:7411", "[::1]:7411", "LOCALHOST"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const char* const host : {"example.org", "localhost.example.org:7411", "", "[::2]"}) {
    EXPECT_EQ(status(host), 421) << host;
  }
}

TEST_F(Privatize, PathsAreComparedByteForByte) {
  for (const char* const target :
       {"/index.html", "/page", "/page/", "/page/../page/app.js", "/v1", "/v1/", "/v1/privatize/",
        "/../etc/passwd", "/v1/%70rivatize", "//healthz", "/healthz/..", "*", ""}) {
    EXPECT_EQ(service_.answer({.method = "GET", .target = target}).status, 404) << target;
  }
  EXPECT_EQ(service_.answer({.method = "GET", .target = "/healthz?x=1"}).status, 422);
}

TEST(Readiness, IsThereBetweenPreparingAndStopping) {
  Service service(test::small_service());
  const auto status = [&](const char* method, const char* target) {
    return service
        .answer({.method = method,
                 .target = target,
                 .headers = {{"Content-Type", "application/json"}},
                 .body = method == std::string("POST") ? "{}" : ""})
        .status;
  };
  EXPECT_EQ(status("GET", "/healthz"), 200);
  EXPECT_EQ(status("GET", "/readyz"), 503);
  EXPECT_EQ(status("POST", "/v1/privatize"), 503);
  service.make_ready();
  EXPECT_EQ(status("GET", "/readyz"), 200);
  service.retire();
  EXPECT_EQ(status("GET", "/readyz"), 503);
  EXPECT_EQ(status("GET", "/healthz"), 200);
  EXPECT_EQ(status("POST", "/v1/privatize"), 422);  // still answered
}

}  // namespace
}  // namespace sotto::server
