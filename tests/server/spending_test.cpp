// Keys, and what the ledger allows, through the service.
#include "server/spending.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "server/keys.h"
#include "server/problem.h"
#include "server/running.h"
#include "sotto/error.h"

namespace sotto::server {
namespace {

using api::Json;
using testing::HasSubstr;
using testing::Not;

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "sotto-server-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path path;
};

class Counted : public testing::Test {
 protected:
  Counted() : ledger_(std::make_shared<Ledger>(LedgerOptions{.location = folder_.path / "ledger.db"})) {}

  std::unique_ptr<Service> service(SpendingOptions spending = {}, std::optional<Keys> keys = {}) {
    spending.ledger = ledger_;
    ServiceOptions options = test::small_service();
    options.spending = spending;
    options.keys = std::move(keys);
    auto out = std::make_unique<Service>(std::move(options));
    out->make_ready();
    return out;
  }
  static Response post(Service& service, const Json& body, std::vector<Header> headers = {},
                       const char* path = "/v1/privatize") {
    headers.emplace_back("Content-Type", "application/json");
    return service.answer(
        {.method = "POST", .target = path, .headers = std::move(headers), .body = body.dump()});
  }
  static bool is_replayed(const Response& response) {
    return std::ranges::find(response.headers, Header{"Idempotency-Replayed", "true"}) !=
           response.headers.end();
  }
  std::string spent(AccountRole role, const std::string& id) {
    Amount sum;
    for (const AccountSummary& account : ledger_->accounts({.role = role, .id = id}))
      sum = sum.plus(account.spent);
    return sum.text();
  }

  Folder folder_;
  std::shared_ptr<Ledger> ledger_;
};

const std::vector<Header> kRetry = {{"Idempotency-Key", "0123456789abcdef"}};

TEST_F(Counted, WordsOfASubjectAndReleasesOfADocument) {
  const auto served = service();
  const Response response = post(
      *served, {{"texts", {"w1 w2", "w3"}}, {"documents", {"a", "b"}}, {"subject", "s"}, {"epsilon", 0.1}});
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(
      Json::parse(response.body)["spent"],
      Json::parse(
          R"([{"account": "document", "amount": "0.200000"}, {"account": "subject", "amount": "0.300000"}])"));
  EXPECT_EQ(spent(AccountRole::document, "a"), "0.100000");
  EXPECT_EQ(spent(AccountRole::subject, "s"), "0.300000");
  const Response balance = post(*served, {{"subject", "s"}}, {}, "/v1/ledger");
  ASSERT_EQ(balance.status, 200) << balance.body;
  EXPECT_EQ(Json::parse(balance.body)["spent"], "0.300000");
  EXPECT_TRUE(Json::parse(balance.body)["remaining"].is_null());
}

TEST_F(Counted, LimitsRefuseAndNothingIsReleased) {
  const auto served = service({.subject_budget = Amount::of_micros(5'000'000)});
  EXPECT_EQ(post(*served, {{"text", "w1 w2"}, {"subject", "s"}, {"epsilon", 2}}).status, 200);
  const Response refused = post(*served, {{"text", "w1"}, {"subject", "s"}, {"epsilon", 2}});
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("urn:sotto:problem:budget"));
  EXPECT_TRUE(refused.headers.empty());  // no Retry-After: waiting does not help
  EXPECT_EQ(spent(AccountRole::subject, "s"), "4.000000");
  // Without a budget a document is released once; and of a request all texts are released or none is.
  EXPECT_EQ(post(*served, {{"text", "w1"}, {"document", "d"}, {"epsilon", 2}}).status, 200);
  EXPECT_EQ(post(*served, {{"texts", {"w1", "w2"}}, {"documents", {"e", "d"}}, {"epsilon", 2}}).status, 429);
  EXPECT_EQ(spent(AccountRole::document, "e"), "0.000000");
  EXPECT_EQ(post(*served, {{"texts", {"w1", "w2"}}, {"documents", {"f", "f"}}, {"epsilon", 2}}).status, 429);
}

TEST_F(Counted, ARetryGetsTheSameAnswerAndCostsNothing) {
  const auto served = service();
  const Json body = {{"text", "w1 w2 w3 w4 w5 w6 w7 w8 w9"}, {"subject", "s"}, {"epsilon", 0.1}};
  const Response first = post(*served, body, kRetry);
  ASSERT_EQ(first.status, 200) << first.body;
  const Response second = post(*served, body, kRetry);
  EXPECT_EQ(second.body, first.body);
  EXPECT_FALSE(is_replayed(first));
  EXPECT_TRUE(is_replayed(second));
  EXPECT_EQ(spent(AccountRole::subject, "s"), "0.900000");
  // A restart keeps it.
  EXPECT_EQ(post(*service(), body, kRetry).body, first.body);
  Json other = body;
  other["text"] = "w2";
  const Response refused = post(*served, other, kRetry);
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("urn:sotto:problem:idempotency"));
  EXPECT_EQ(spent(AccountRole::subject, "s"), "0.900000");
}

TEST_F(Counted, ErrorsAreNotKept) {
  const auto served = service();
  EXPECT_EQ(post(*served, {{"text", "w1"}, {"epsilon", 0}}, kRetry).status, 422);
  EXPECT_EQ(post(*served, {{"text", "w1"}, {"epsilon", 1}}, kRetry).status, 200);
}

TEST_F(Counted, TheSameRequestManyTimesAtOnceIsOneRelease) {
  const auto served = service();
  const Json body = {{"text", "w1 w2 w3 w4 w5 w6 w7 w8 w9"}, {"subject", "s"}, {"epsilon", 0.1}};
  std::latch start(8);
  std::mutex mutex;
  std::set<std::string> bodies;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        const Response response = post(*served, body, kRetry);
        EXPECT_TRUE(response.status == 200 || response.status == 409) << response.body;
        const std::scoped_lock lock(mutex);
        if (response.status == 200) bodies.insert(response.body);
      });
    }
  }
  EXPECT_EQ(bodies.size(), 1U);
  EXPECT_EQ(spent(AccountRole::subject, "s"), "0.900000");
}

TEST_F(Counted, BadRetryKeysAndMissingNamesAreRefused) {
  const auto served = service({.requires_document = true, .requires_subject = true});
  const Json good = {{"text", "w1"}, {"document", "d"}, {"subject", "s"}, {"epsilon", 1}};
  for (const std::string& key : {std::string("short"), std::string(129, 'a'),
                                 std::string("0123456789abcde\xe9"), std::string("0123456789 abcdef")}) {
    EXPECT_EQ(post(*served, good, {{"Idempotency-Key", key}}).status, 422) << key;
  }
  for (const char* const name : {"document", "subject"}) {
    Json body = good;
    body.erase(name);
    const Response refused = post(*served, body);
    EXPECT_EQ(refused.status, 422);
    EXPECT_THAT(refused.body, HasSubstr(name));
  }
  EXPECT_EQ(post(*served, good).status, 200);
  Json mixed = good;
  mixed["documents"] = {"d"};
  EXPECT_EQ(post(*served, mixed).status, 422);
  EXPECT_EQ(post(*served, {{"texts", {"w1"}}, {"documents", {""}}, {"subject", "s"}, {"epsilon", 1}}).status,
            422);
  EXPECT_EQ(
      post(*served,
           {{"text", "w1"}, {"document", "x"}, {"subject", "s"}, {"epsilon", 1e13}, {"allow_weak", true}})
          .status,
      422);
}

// Nothing that a request brings is in the ledger's files in clear.
TEST_F(Counted, ARowOfVectorsCostsAsAWordInAnAccountOfItsOwn) {
  const auto served = service({.subject_budget = Amount::of_micros(5'000'000)});
  const auto vectors = [&](const Json& rows, const Json& more, std::vector<Header> headers = {}) {
    Json body = {{"vectors", rows}, {"epsilon", 2}, {"parameters", {{"dimension", 2}}}};
    body.update(more);
    return post(*served, body, std::move(headers), "/v1/vectors");
  };
  const Json two = {{1, 2, 3}, {4, 5.5, 6}};
  const Response first = vectors(two, {{"subject", "s"}, {"documents", {"a", "b"}}}, kRetry);
  ASSERT_EQ(first.status, 200) << first.body;
  const Json answer = Json::parse(first.body);
  ASSERT_EQ(answer["vectors"].size(), 2U);
  EXPECT_EQ(answer["vectors"][0].size(), 2U);
  EXPECT_NE(answer["vectors"][0], answer["vectors"][1]);
  EXPECT_EQ(answer["status"], "proven");
  EXPECT_EQ(
      answer["spent"],
      Json::parse(
          R"([{"account": "document", "amount": "4.000000"}, {"account": "subject", "amount": "4.000000"}])"));
  // A retry is the same release; a second one exceeds the budget.
  const Response again = vectors(two, {{"subject", "s"}, {"documents", {"a", "b"}}}, kRetry);
  EXPECT_EQ(again.body, first.body);
  EXPECT_TRUE(is_replayed(again));
  EXPECT_EQ(vectors({{1, 2, 3}}, {{"subject", "s"}}).status, 429);
  EXPECT_EQ(vectors({{1, 2, 3}}, {{"subject", "t"}, {"documents", {"a"}}}).status, 429);
  EXPECT_EQ(spent(AccountRole::subject, "s"), "4.000000");
  // Vectors of another length, and words, are counted apart.
  EXPECT_EQ(vectors({{1, 2, 3, 4}}, {{"subject", "s"}}).status, 200);
  EXPECT_EQ(post(*served, {{"text", "w1"}, {"subject", "s"}, {"epsilon", 2}}).status, 200);
  const auto balance = [&](const Json& more) {
    Json body = {{"subject", "s"}};
    body.update(more);
    return Json::parse(post(*served, body, {}, "/v1/ledger").body)["spent"];
  };
  EXPECT_EQ(balance({{"dimension", 3}}), "4.000000");
  EXPECT_EQ(balance({{"dimension", 4}}), "2.000000");
  EXPECT_EQ(balance(Json::object()), "2.000000");
  EXPECT_EQ(
      post(*served, {{"subject", "s"}, {"dimension", 3}, {"metric", "euclidean"}}, {}, "/v1/ledger").status,
      422);
}

TEST_F(Counted, VectorsAreCheckedBeforeAnythingIsSpent) {
  const auto served = service();
  const auto status = [&](const Json& body) { return post(*served, body, {}, "/v1/vectors").status; };
  const Json good = {{"vectors", {{1, 2, 3}}}, {"epsilon", 1}, {"parameters", {{"dimension", 2}}}};
  const auto with = [&](const char* key, const Json& value) {
    Json body = good;
    body[key] = value;
    return body;
  };
  EXPECT_EQ(status(good), 200);
  for (const Json& rows : {Json::array(), Json({{1, 2}, {1}}), Json({{1, "2"}}), Json::array({Json::array()}),
                           Json({1, 2}), Json({{1, nullptr}})}) {
    EXPECT_EQ(status(with("vectors", rows)), 422) << rows.dump();
  }
  EXPECT_EQ(status(with("parameters", {{"dimension", 9}})), 422);  // more than the vectors have
  EXPECT_EQ(status(with("mechanism", "tem")), 422);
  EXPECT_EQ(status(with("documents", {"a", "b"})), 422);
  EXPECT_EQ(status(with("documents", {""})), 422);
  EXPECT_EQ(status(with("epsilon", 0)), 422);
  // Nothing is proven of the paper's own bound.
  EXPECT_EQ(
      status(with("parameters", {{"dimension", 2}, {"projection", "gaussian"}, {"sensitivity", "paper"}})),
      422);
  EXPECT_EQ(spent(AccountRole::anonymous, ""), "1.000000");
}

TEST_F(Counted, TheLedgerHoldsNoTextAndNoIds) {
  const auto served = service();
  EXPECT_EQ(post(*served,
                 {{"text", "zebrafish"},
                  {"subject", "zebrafish-subject"},
                  {"document", "zebrafish-document"},
                  {"epsilon", 1}},
                 {{"Idempotency-Key", "zebrafish-zebrafish"}})
                .status,
            200);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(bytes, Not(HasSubstr("zebrafish"))) << entry.path();
  }
}

TEST_F(Counted, KeysOpenWhatTheirScopeAllows) {
  const std::filesystem::path file = folder_.path / "keys.json";
  const std::string writer = create_key(file, {.name = "writer", .scopes = {Scope::privatize}});
  const std::string reader = create_key(file, {.name = "reader", .scopes = {Scope::read}});
  const std::string admin = create_key(file, {.name = "admin", .scopes = {Scope::admin}});
  EXPECT_THROW((void)create_key(file, {.name = "writer", .scopes = {Scope::read}}), Error);
  std::ifstream in(file);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(in), {}), Not(HasSubstr(writer.substr(6))));
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  const auto served = service({}, Keys::read(file));
  const auto status = [&](const char* path, const std::string& authorization) {
    const Json body =
        path == std::string("/v1/ledger") ? Json{{"subject", "s"}} : Json{{"text", "w1"}, {"epsilon", 1}};
    return post(*served, body,
                authorization.empty() ? std::vector<Header>()
                                      : std::vector<Header>{{"Authorization", authorization}},
                path)
        .status;
  };
  EXPECT_EQ(status("/v1/privatize", "Bearer " + writer), 200);
  EXPECT_EQ(status("/v1/privatize", "bearer " + admin), 200);
  EXPECT_EQ(status("/v1/privatize", "Bearer " + reader), 403);
  EXPECT_EQ(status("/v1/ledger", "Bearer " + reader), 200);
  EXPECT_EQ(status("/v1/ledger", "Bearer " + writer), 403);
  for (const std::string& bad : {std::string(), writer, "Basic " + writer, "Bearer " + writer + "0",
                                 std::string("Bearer "), "Bearer " + writer.substr(0, writer.size() - 1)}) {
    EXPECT_EQ(status("/v1/privatize", bad), 401) << bad;
  }
  EXPECT_EQ(served->answer({.method = "GET", .target = "/healthz"}).status, 200);
  EXPECT_EQ(served->answer({.method = "GET", .target = "/v1/mechanisms"}).status, 401);

  // An Idempotency-Key belongs to the key that sent it, and so does what is not named.
  const Json body = {{"text", "w1 w2 w3 w4 w5 w6 w7 w8 w9"}, {"epsilon", 0.01}};
  const auto from = [&](const std::string& key) {
    return post(*served, body, {{"Authorization", "Bearer " + key}, kRetry.front()});
  };
  EXPECT_FALSE(is_replayed(from(writer)));
  EXPECT_FALSE(is_replayed(from(admin)));
  EXPECT_TRUE(is_replayed(from(writer)));
  EXPECT_EQ(ledger_->accounts({.role = AccountRole::key}).size(), 2U);
}

}  // namespace
}  // namespace sotto::server
