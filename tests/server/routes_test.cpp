// Walks the table of routes: each route, each field.
#include "server/routes.h"
#include "server/canary.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "server/running.h"

namespace sotto::server {
namespace {

using api::Json;
using testing::HasSubstr;
using testing::Not;

class Routes : public testing::Test {
 protected:
  Routes() : service_(counted_service()) { service_.make_ready(); }
  ~Routes() override { std::filesystem::remove_all(folder_); }

  // /v1/ledger needs a ledger.
  ServiceOptions counted_service() {
    std::string name = (std::filesystem::temp_directory_path() / "sotto-routes-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    ServiceOptions options = test::small_service();
    options.spending.ledger = std::make_shared<Ledger>(LedgerOptions{.location = folder_ / "ledger.db"});
    return options;
  }

  // With the id of a new job for the part in braces.
  std::string target_of(const Route& route) {
    if (route.path.find('{') == std::string_view::npos) return std::string(route.path);
    const Response made = service_.answer({.method = "POST",
                                           .target = "/v1/measure",
                                           .headers = {{"Content-Type", "application/json"}},
                                           .body = R"({"epsilon": 1, "by_draws": true, "draws": 1})"});
    EXPECT_EQ(made.status, 202) << made.body;
    return "/v1/jobs/" + Json::parse(made.body)["job"].get<std::string>();
  }

  Response ask(const Route& route, const Json& body) {
    Request request{.method = std::string(route.method), .target = target_of(route)};
    if (route.method == "POST") {
      request.headers.emplace_back("Content-Type", "application/json");
      request.body = body.dump();
    }
    return service_.answer(request);
  }
  void expect_refused(const Route& route, const Json& body, const std::string& named) {
    const Response response = ask(route, body);
    EXPECT_EQ(response.status, 422) << route.path << " " << body.dump();
    EXPECT_THAT(response.body, HasSubstr(named)) << body.dump();
    EXPECT_THAT(response.body, Not(HasSubstr(kCanary))) << body.dump();
    EXPECT_EQ(response.type, "application/problem+json");
  }

  std::filesystem::path folder_;
  Service service_;
};

// A request that is answered, for each route with a body: a route that is missing here fails the tests.
Json good_body(const Route& route) {
  if (route.path == "/v1/privatize") return {{"text", "w1 w2"}, {"epsilon", 1}};
  if (route.path == "/v1/explain") return {{"word", "w1"}, {"epsilon", 1}};
  if (route.path == "/v1/guess") return {{"private", "w1, w2"}, {"epsilon", 1}};
  if (route.path == "/v1/vectors") {
    return {{"vectors", {{1, 2.5, 3}}}, {"epsilon", 1}, {"parameters", {{"dimension", 2}}}};
  }
  if (route.path == "/v1/certificate" || route.path == "/v1/measure") return {{"epsilon", 1}};
  if (route.path == "/v1/ledger") return {{"subject", "s1"}};
  return nullptr;
}

Json value_of_another_type(const Field& field) {
  switch (field.kind) {
    case Field::Kind::text:
      return 7;
    case Field::Kind::number:
      return Json::array({kCanary});
    default:
      return kCanary;
  }
}

TEST_F(Routes, EveryOneAnswersWithTheFieldsOfItsTable) {
  for (const Route& route : routes()) {
    const Response response = ask(route, good_body(route));
    ASSERT_EQ(response.status, 200) << route.path << response.body;
    EXPECT_EQ(response.type, route.answer_type);
    if (route.answers.empty()) continue;
    const Json answer = Json::parse(response.body);
    for (const auto& [key, value] : answer.items()) {
      EXPECT_NE(std::ranges::find(route.answers, std::string_view(key), &Field::name), route.answers.end())
          << route.path << " " << key;
    }
    for (const Field& field : route.answers) {
      EXPECT_TRUE(field.presence == Field::Presence::optional || answer.contains(field.name)) << field.name;
    }
  }
}

TEST_F(Routes, FieldsOfAnotherTypeAreRefusedByName) {
  std::size_t checked = 0;
  for (const Route& route : routes()) {
    for (const Field& field : route.fields) {
      for (const Json& value : {value_of_another_type(field), Json(nullptr), Json::array({Json::object()})}) {
        Json body = good_body(route);
        body[std::string(field.name)] = value;
        expect_refused(route, body, "`" + std::string(field.name) + "`");
        ++checked;
      }
      for (const Field& member : field.members) {
        Json body = good_body(route);
        body[std::string(field.name)] = {{std::string(member.name), value_of_another_type(member)}};
        expect_refused(route, body, "`" + std::string(field.name) + "." + std::string(member.name) + "`");
      }
    }
  }
  EXPECT_GE(checked, 39U);
}

TEST_F(Routes, UnknownFieldsAreRefusedAndNotRepeated) {
  for (const Route& route : routes()) {
    if (route.fields.empty()) continue;
    Json body = good_body(route);
    body[kCanary] = 1;
    expect_refused(route, body, "the fields are: " + std::string(route.fields.front().name) + ", ");
    for (const Field& field : route.fields) {  // a slip is told
      Json slip = good_body(route);
      slip[std::string(field.name) + "x"] = 1;
      expect_refused(route, slip, "did you mean");
    }
    for (const Json& other : {Json(7), Json(kCanary), Json::array({kCanary}), Json(nullptr)}) {
      expect_refused(route, other, "JSON object");
    }
  }
}

TEST_F(Routes, OtherMethodsAreRefusedWithThoseThatExist) {
  for (const Route& route : routes()) {
    for (const char* const method : {"PUT", "PATCH", "OPTIONS", "TRACE", "zebrafish"}) {
      const Response response = service_.answer({.method = method, .target = std::string(route.path)});
      EXPECT_EQ(response.status, 405);
      EXPECT_THAT(response.body, Not(HasSubstr(kCanary)));
      ASSERT_FALSE(response.headers.empty());
      EXPECT_EQ(response.headers[0].first, "Allow");
      EXPECT_THAT(response.headers[0].second, HasSubstr(std::string(route.method)));
    }
  }
}

// Every $ref leads somewhere, every route is there, and names of operations are different.
TEST_F(Routes, OpenApiDescribesTheTable) {
  const Json document = openapi_document();
  EXPECT_EQ(document["openapi"], "3.1.0");
  std::set<std::string> names;
  for (const Route& route : routes()) {
    const Json& operation = document["paths"][std::string(route.path)][route.method == "GET"    ? "get"
                                                                       : route.method == "POST" ? "post"
                                                                                                : "delete"];
    EXPECT_TRUE(names.insert(operation["operationId"]).second);
    EXPECT_EQ(operation.contains("requestBody"), !route.fields.empty());
    for (const Field& field : route.fields) {
      EXPECT_TRUE(document["components"]["schemas"][std::string(route.answer_name) + "Request"]["properties"]
                      .contains(field.name));
    }
  }
  const std::string text = document.dump();
  const std::string mark = "#/components/schemas/";
  std::size_t references = 0;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    EXPECT_TRUE(
        document["components"]["schemas"].contains(text.substr(begin, text.find('"', begin) - begin)));
    ++references;
  }
  const auto refers = [](const Route& route) {  // the problem document, the answer in JSON, the body
    return std::size_t{1} + (route.answer_type == Route().answer_type ? 1 : 0) +
           (route.fields.empty() ? 0 : 1) + (route.may_take_long ? 1 : 0);
  };
  std::size_t expected = 0;
  for (const Route& route : routes()) expected += refers(route);
  EXPECT_EQ(references, expected);
}

}  // namespace
}  // namespace sotto::server
