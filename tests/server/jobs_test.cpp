// Jobs by themselves, and the questions that become jobs.
#include "server/jobs.h"
#include "server/canary.h"

#include <gmock/gmock.h>

#include <latch>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>

#include "core/stop.h"
#include "server/long_questions.h"
#include "server/problem.h"
#include "server/running.h"
#include "sotto/certify.h"
#include "sotto/error.h"
#include "sotto/measure.h"

namespace sotto::server {
namespace {

using api::Json;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

// Until the job is in another state than queued and running.
Json finished(Jobs& jobs, const std::string& id, const std::string& owner = "") {
  for (;;) {
    const Json job = jobs.find(id, owner).value();
    if (job["state"] != "queued" && job["state"] != "running") return job;
    std::this_thread::sleep_for(1ms);
  }
}

void run_until_stopped() {
  for (;;) {
    throw_if_stopped();
    std::this_thread::sleep_for(1ms);
  }
}

TEST(Jobs, AnswerInTheirOrder) {
  Jobs jobs({});
  std::vector<std::string> ids;
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(jobs.add("", [&order, i](const Work&) {
      order.push_back(i);
      return Json(i);
    }));
    EXPECT_TRUE(std::regex_match(ids.back(), std::regex("[0-9a-f]{32}")));
  }
  for (int i = 0; i < 5; ++i) {
    const Json job = finished(jobs, ids[static_cast<std::size_t>(i)]);
    EXPECT_EQ(job["state"], "done");
    EXPECT_EQ(job["progress"], 1);
    EXPECT_EQ(job["result"], i);
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Jobs, TellHowFarTheyAre) {
  Jobs jobs({});
  std::latch is_half(1);
  std::latch may_end(1);
  const std::string id = jobs.add("", [&](const Work& work) {
    work.at("measuring");
    work.progress({.done = 5, .total = 10, .unit = "words"});
    is_half.count_down();
    may_end.wait();
    return Json("ready");
  });
  const std::string next = jobs.add("", [](const Work&) { return Json(1); });
  is_half.wait();
  const Json job = jobs.find(id, "").value();
  EXPECT_EQ(job["state"], "running");
  EXPECT_EQ(job["stage"], "measuring");
  EXPECT_EQ(job["progress"], 0.5);
  EXPECT_TRUE(job["result"].is_null());
  EXPECT_EQ(jobs.find(next, "").value()["state"], "queued");
  may_end.count_down();
  EXPECT_EQ(finished(jobs, id)["result"], "ready");
  EXPECT_EQ(finished(jobs, next)["state"], "done");
}

TEST(Jobs, BelongToTheirOwner) {
  Jobs jobs({});
  const std::string id = jobs.add("alice", [](const Work&) { return Json(1); });
  EXPECT_FALSE(jobs.find(id, "bob"));
  EXPECT_FALSE(jobs.find(id, ""));
  EXPECT_FALSE(jobs.remove(id, "bob"));
  EXPECT_EQ(finished(jobs, id, "alice")["state"], "done");
  EXPECT_FALSE(jobs.find("0123456789abcdef0123456789abcdef", "alice"));
}

TEST(Jobs, AreCancelledWhileTheyRunAndWhileTheyWait) {
  Jobs jobs({});
  std::latch runs(1);
  std::atomic<bool> was_stopped = false;
  const std::string running = jobs.add("", [&](const Work&) -> Json {
    runs.count_down();
    try {
      run_until_stopped();
    } catch (const Stopped&) {
      was_stopped = true;
      throw;
    }
    return 1;
  });
  std::atomic<bool> has_run = false;
  const std::string waiting = jobs.add("", [&](const Work&) {
    has_run = true;
    return Json(1);
  });
  runs.wait();
  EXPECT_EQ(jobs.remove(waiting, "").value()["state"], "cancelled");
  EXPECT_EQ(jobs.remove(running, "").value()["state"], "cancelled");
  // The next one runs, so the cancelled one has ended.
  const std::string next = jobs.add("", [](const Work&) { return Json(1); });
  EXPECT_EQ(finished(jobs, next)["state"], "done");
  EXPECT_TRUE(was_stopped);
  EXPECT_FALSE(has_run);
  EXPECT_EQ(jobs.find(running, "").value()["state"], "cancelled");
  // A finished one is forgotten.
  EXPECT_EQ(jobs.remove(next, "").value()["state"], "done");
  EXPECT_FALSE(jobs.find(next, ""));
}

TEST(Jobs, FailWithAProblemThatQuotesNothing) {
  Jobs jobs({});
  const std::string refused = jobs.add(
      "", [](const Work&) -> Json { throw Problem{.kind = &kField, .detail = "`words` are wrong"}; });
  EXPECT_EQ(finished(jobs, refused)["state"], "failed");
  EXPECT_EQ(finished(jobs, refused)["result"]["status"], 422);
  const std::string broken = jobs.add("", [](const Work&) -> Json { throw std::runtime_error(kCanary); });
  const Json job = finished(jobs, broken);
  EXPECT_EQ(job["result"]["type"], "urn:sotto:problem:internal");
  EXPECT_THAT(job.dump(), Not(HasSubstr(kCanary)));
}

TEST(Jobs, AreRefusedWhenTooManyWait) {
  Jobs jobs({.most_waiting = 2});
  std::latch runs(1);
  (void)jobs.add("", [&](const Work&) -> Json {
    runs.count_down();
    run_until_stopped();
    return 1;
  });
  runs.wait();
  const auto add = [&] { return jobs.add("", [](const Work&) { return Json(1); }); };
  const std::string first = add();
  (void)add();
  try {
    (void)add();
    FAIL();
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.kind, &kUnavailable);
    EXPECT_EQ(problem.headers.front().first, "Retry-After");
  }
  (void)jobs.remove(first, "");  // makes room
  EXPECT_NO_THROW((void)add());
}  // the end stops the one that runs

// One key leaves room for others; where no key is asked for, everybody shares the queue.
TEST(Jobs, OfOneKeyDoNotFillTheQueue) {
  Jobs jobs({.most_waiting = 5, .most_waiting_each = 2});
  std::latch runs(1);
  (void)jobs.add("alice", [&](const Work&) -> Json {
    runs.count_down();
    run_until_stopped();
    return 1;
  });
  runs.wait();
  const auto add = [&](const char* owner) { return jobs.add(owner, [](const Work&) { return Json(1); }); };
  const auto kind_of_refusal = [&](const char* owner) -> const ProblemKind* {
    try {
      (void)add(owner);
      return nullptr;
    } catch (const Problem& problem) {
      EXPECT_EQ(problem.headers.front().first, "Retry-After");
      return problem.kind;
    }
  };
  const std::string first = add("alice");
  (void)add("alice");
  EXPECT_EQ(kind_of_refusal("alice"), &kTooManyJobs);
  EXPECT_EQ(kind_of_refusal("bob"), nullptr);
  (void)jobs.remove(first, "alice");  // makes room
  EXPECT_EQ(kind_of_refusal("alice"), nullptr);
  EXPECT_EQ(kind_of_refusal("alice"), &kTooManyJobs);
  EXPECT_EQ(kind_of_refusal(""), nullptr);
  EXPECT_EQ(kind_of_refusal(""), nullptr);
  EXPECT_EQ(kind_of_refusal("carol"), &kUnavailable);  // five wait
  EXPECT_EQ(kind_of_refusal("alice"), &kUnavailable);
}

TEST(Jobs, OfOneKeyDoNotPushOutTheResultsOfOthers) {
  Jobs jobs({.most_waiting_each = 4, .most_kept = 3});
  const auto done = [&](const char* owner) {
    const std::string id = jobs.add(owner, [](const Work&) { return Json(1); });
    while (true) {
      const auto job = jobs.find(id, owner);
      if (!job || job->at("state") == "done") return id;
      std::this_thread::sleep_for(1ms);
    }
  };
  const std::string of_bob = done("bob");
  std::vector<std::string> of_alice;
  for (int i = 0; i < 10; ++i) of_alice.push_back(done("alice"));
  EXPECT_TRUE(jobs.find(of_bob, "bob"));
  EXPECT_FALSE(jobs.find(of_alice[7], "alice"));
  EXPECT_TRUE(jobs.find(of_alice[8], "alice"));
  EXPECT_TRUE(jobs.find(of_alice[9], "alice"));
}

TEST(Jobs, AreForgottenByNumberAndByTime) {
  Jobs few({.most_kept = 2});
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(few.add("", [](const Work&) { return Json(1); }));
    if (i == 3) (void)finished(few, ids.back());
  }
  EXPECT_FALSE(few.find(ids[0], ""));
  EXPECT_FALSE(few.find(ids[1], ""));
  EXPECT_TRUE(few.find(ids[2], ""));
  Jobs brief({.keep = 0s});
  const std::string id = brief.add("", [](const Work&) { return Json(1); });
  while (brief.find(id, "")) std::this_thread::sleep_for(1ms);
}

TEST(Jobs, NoneIsTakenAfterTheStop) {
  Jobs jobs({});
  jobs.stop();
  EXPECT_THROW((void)jobs.add("", [](const Work&) { return Json(1); }), Problem);
}

class LongQuestions : public testing::Test {
 protected:
  static Response ask(Service& service, const char* method, const std::string& target, const Json& body,
                      const std::string& key = "") {
    Request request{.method = method, .target = target};
    if (std::string_view(method) == "POST") {
      request.headers.emplace_back("Content-Type", "application/json");
      request.body = body.dump();
    }
    if (!key.empty()) request.headers.emplace_back("Authorization", "Bearer " + key);
    return service.answer(request);
  }
  static std::string location(const Response& response) {
    EXPECT_EQ(response.status, 202) << response.body;
    EXPECT_EQ(response.headers.front().first, "Location");
    return response.headers.front().second;
  }
  static Json end_of(Service& service, const std::string& path) {
    for (;;) {
      const Response response = ask(service, "GET", path, {});
      EXPECT_EQ(response.status, 200);
      const Json job = Json::parse(response.body);
      if (job["state"] != "queued" && job["state"] != "running") return job;
      std::this_thread::sleep_for(1ms);
    }
  }
};

TEST_F(LongQuestions, AreAnsweredAtOnceOnASmallModel) {
  Service service(test::small_service());
  service.make_ready();
  const Setting setting = parse_setting("tem", {{"epsilon", "2"}});
  const Response certificate = ask(service, "POST", "/v1/certificate", {{"epsilon", 2}});
  ASSERT_EQ(certificate.status, 200) << certificate.body;
  EXPECT_EQ(Json::parse(certificate.body),
            api::to_json(api::certify({.model = test::served_model(), .setting = setting}, {})));
  const Response measured =
      ask(service, "POST", "/v1/measure", {{"epsilon", 2}, {"prior", "uniform"}, {"copies", 0}});
  ASSERT_EQ(measured.status, 200) << measured.body;
  api::MeasureRequest request{.model = test::served_model(), .setting = setting, .copies = 0};
  request.adversary.prior = "uniform";
  EXPECT_EQ(Json::parse(measured.body), api::to_json(api::measure(request, {})));
  EXPECT_EQ(ask(service, "POST", "/v1/certificate",
                {{"mechanism", "privemb"}, {"epsilon", 2}, {"parameters", {{"dimension", 2}}}})
                .status,
            200);
}

TEST_F(LongQuestions, BecomeJobsOnALargerOne) {
  const auto model = test::gaussian_model({.words = kQuickModel + 1, .dim = 2});
  Service service({.open_model = [&] { return model; }});
  service.make_ready();
  const std::string path = location(ask(service, "POST", "/v1/certificate", {{"epsilon", 2}}));
  const Json job = end_of(service, path);
  EXPECT_EQ(job["state"], "done");
  EXPECT_EQ(job["result"], api::to_json(api::certify(
                               {.model = model, .setting = parse_setting("tem", {{"epsilon", "2"}})}, {})));
  EXPECT_EQ(ask(service, "DELETE", path, {}).status, 200);
  EXPECT_EQ(ask(service, "GET", path, {}).status, 404);
  EXPECT_EQ(ask(service, "DELETE", path, {}).status, 404);
  EXPECT_EQ(ask(service, "GET", "/v1/jobs/zebrafish", {}).status, 404);
  EXPECT_EQ(ask(service, "GET", "/v1/jobs/", {}).status, 404);
  EXPECT_EQ(ask(service, "GET", "/v1/jobs", {}).status, 404);
  EXPECT_EQ(ask(service, "POST", path, Json::object()).status, 405);
}

TEST_F(LongQuestions, RefuseFilesAndRepeatNoWord) {
  Service service(test::small_service());
  service.make_ready();
  for (const char* const prior : {"counts:/etc/passwd", "corpus:zebrafish", "zebrafish"}) {
    const Response response = ask(service, "POST", "/v1/measure", {{"epsilon", 2}, {"prior", prior}});
    EXPECT_EQ(response.status, 422);
    EXPECT_THAT(response.body, HasSubstr("`prior` must be rank or uniform"));
  }
  const Response words = ask(service, "POST", "/v1/measure", {{"epsilon", 2}, {"words", {kCanary}}});
  EXPECT_EQ(words.status, 422);
  EXPECT_THAT(words.body, HasSubstr("`words`"));
  EXPECT_THAT(words.body, Not(HasSubstr(kCanary)));
  // The same as a job.
  const Json job = end_of(service, location(ask(service, "POST", "/v1/measure",
                                                {{"epsilon", 2}, {"words", {kCanary}}, {"by_draws", true}})));
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["result"]["status"], 422);
  EXPECT_THAT(job.dump(), Not(HasSubstr(kCanary)));
}

TEST_F(LongQuestions, AreSeenByTheirKeyOnly) {
  const auto client = [](const char* name, const char* key) {
    Sha256 hash;
    hash.add(key, std::string_view(key).size());
    return ClientKey{.name = name, .digest = hash.digest(), .scopes = {Scope::read}};
  };
  ServiceOptions options = test::small_service();
  options.keys = Keys({client("one", "key1"), client("two", "key2")});
  Service service(std::move(options));
  service.make_ready();
  const std::string path = location(
      ask(service, "POST", "/v1/measure", {{"epsilon", 1}, {"by_draws", true}, {"draws", 10}}, "key1"));
  EXPECT_EQ(ask(service, "GET", path, {}, "key1").status, 200);
  EXPECT_EQ(ask(service, "GET", path, {}, "key2").status, 404);
  EXPECT_EQ(ask(service, "DELETE", path, {}, "key2").status, 404);
  EXPECT_EQ(ask(service, "GET", path, {}).status, 401);
  EXPECT_EQ(ask(service, "DELETE", path, {}, "key1").status, 200);
}

// The fifth waiting job of a key is refused with a problem document.
TEST_F(LongQuestions, OfOneKeyAreLimited) {
  Sha256 hash;
  hash.add("key1", 4);
  ServiceOptions options = test::small_service();
  options.keys = Keys({ClientKey{.name = "one", .digest = hash.digest(), .scopes = {Scope::read}}});
  Service service(std::move(options));
  service.make_ready();
  const Json body = {{"epsilon", 1}, {"mechanism", "laplace"}, {"draws", 10'000'000}, {"by_draws", true}};
  const std::string running = location(ask(service, "POST", "/v1/measure", body, "key1"));
  while (Json::parse(ask(service, "GET", running, {}, "key1").body)["state"] != "running") {
    std::this_thread::sleep_for(1ms);
  }
  std::string waiting;
  for (int i = 0; i < 4; ++i) waiting = location(ask(service, "POST", "/v1/measure", body, "key1"));
  const Response refused = ask(service, "POST", "/v1/measure", body, "key1");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(Json::parse(refused.body)["type"], "urn:sotto:problem:jobs");
  EXPECT_EQ(refused.headers.front(), (Header{"Retry-After", "60"}));
  EXPECT_EQ(ask(service, "DELETE", waiting, {}, "key1").status, 200);
  EXPECT_EQ(ask(service, "POST", "/v1/measure", body, "key1").status, 202);
}

// Ten million draws take minutes; the end of the test does not wait for them.
TEST_F(LongQuestions, EndWithTheServer) {
  Service service(test::small_service());
  service.make_ready();
  const std::string path =
      location(ask(service, "POST", "/v1/measure",
                   {{"epsilon", 1}, {"mechanism", "laplace"}, {"draws", 10'000'000}, {"by_draws", true}}));
  while (Json::parse(ask(service, "GET", path, {}).body)["state"] != "running") {
    std::this_thread::sleep_for(1ms);
  }
  service.retire();
  EXPECT_EQ(ask(service, "POST", "/v1/measure", {{"epsilon", 1}, {"by_draws", true}}).status, 503);
}

}  // namespace
}  // namespace sotto::server
