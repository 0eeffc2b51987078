// When answers leave: the arithmetic, the search for the slowest word with a clock of the test's own, and
// that answers and errors after a draw are padded. Nothing here depends on how fast the machine is.
#include "server/padding.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "server/client.h"
#include "server/running.h"

namespace sotto::server {
namespace {

using api::Json;
using namespace std::chrono_literals;

TEST(LeavingTime, IsTheNextMultipleAndAtLeastOne) {
  const Clock::time_point received{1h};
  const auto after = [&](Clock::duration elapsed) {
    return leaving_time(received, 10ms, received + elapsed) - received;
  };
  EXPECT_EQ(after(0ns), 10ms);
  EXPECT_EQ(after(1ns), 10ms);
  EXPECT_EQ(after(9'999'999ns), 10ms);
  EXPECT_EQ(after(10ms), 10ms);  // not late
  EXPECT_EQ(after(10ms + 1ns), 20ms);
  EXPECT_EQ(after(25s), 25s);
  EXPECT_EQ(after(-5ms), 10ms);  // never before a whole quantum has passed
}

TEST(Quantum, GrowsWithTextsAndTokensOnly) {
  const ReleaseCost cost{.text = 3us, .token = 7us};
  EXPECT_EQ(quantum_of(cost, {}), 1ms);
  EXPECT_EQ(quantum_of(cost, {.texts = 1, .tokens = 100}), 1ms + 6us + 1400us);
  EXPECT_EQ(quantum_of(cost, {.texts = 10, .tokens = 100}), 1ms + 60us + 1400us);
}

// A mechanism whose times the test chooses: the first draw of a word takes 5 us more.
struct Probed {
  Clock::duration now = {};
  std::size_t slow = 0;
  Clock::duration each_draw = 1us;
  std::set<std::size_t> drawn = {};
  std::vector<std::size_t> released = {};

  CostProbe probe(std::size_t words) {
    return {.words = words,
            .draw =
                [this](WordId word, std::size_t draws) {
                  if (drawn.insert(index_of(word)).second) now += 5us;
                  now += static_cast<int>(draws) * time_of(word);
                },
            .release =
                [this](WordId word, PublicSize size) {
                  released.push_back(index_of(word));
                  now += static_cast<int>(size.tokens) * time_of(word) + static_cast<int>(size.texts) * 2us;
                },
            .used = [this] { return now; }};
  }
  [[nodiscard]] Clock::duration time_of(WordId word) const {
    return index_of(word) == slow ? 4 * each_draw : each_draw;
  }
};

TEST(MeasuredCost, IsThatOfTheSlowestWord) {
  for (const std::size_t slow : {0U, 17U, 99U}) {
    Probed probed{.slow = slow};
    const ReleaseCost cost = measure_cost(probed.probe(100));
    EXPECT_EQ(std::set(probed.released.begin(), probed.released.end()), std::set{slow});
    // The 99th percentile of the first draws, 6 us, and a token of the long text: 4 us and 2 us / 1,024.
    EXPECT_EQ(cost.token, 6us + 4us + 1ns) << slow;
    EXPECT_EQ(cost.text, 6us);
  }
}

TEST(MeasuredCost, OfOneWord) {
  Probed probed;
  EXPECT_GT(measure_cost(probed.probe(1)).token, 4us);
}

// Words that take 50 ms each: four of them use up the patience of a step.
TEST(MeasuredCost, GivesUpOnSlowMechanismsAfterAFewWords) {
  Probed probed{.slow = 3, .each_draw = 50ms};
  const ReleaseCost cost = measure_cost(probed.probe(50'000));
  EXPECT_LE(probed.drawn.size(), 5U);
  EXPECT_GE(cost.token, 50ms);
}

TEST(MeasuredCost, LooksAtWordsFromAllPartsOfTheVocabulary) {
  Probed probed;
  (void)measure_cost(probed.probe(50'000));
  EXPECT_EQ(probed.drawn.size(), 1'024U);
  EXPECT_EQ(*probed.drawn.begin(), 0U);
  EXPECT_GT(*probed.drawn.rbegin(), 49'900U);
}

class Padded : public testing::Test {
 protected:
  Padded() {
    std::string name = (std::filesystem::temp_directory_path() / "sotto-padding-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Padded() override { std::filesystem::remove_all(folder_); }

  ServiceOptions options() {
    ServiceOptions options = test::small_service();
    options.pads_answers = true;
    options.limits.most_tokens = 5;
    options.spending.ledger = std::make_shared<Ledger>(LedgerOptions{.location = folder_ / "ledger.db"});
    return options;
  }
  static Response post(Service& service, const Json& body) {
    return service.answer(
        {.method = "POST",
         .target = "/v1/privatize",
         .headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", "0123456789abcdef"}},
         .body = body.dump()});
  }

  std::filesystem::path folder_;
};

TEST_F(Padded, AnswersAndErrorsAfterTheDrawWaitAndOthersDoNot) {
  Service service(options());
  service.make_ready();
  const Json body = {{"text", "w1 w2"}, {"document", "d"}, {"epsilon", 1}};
  const Response released = post(service, body);
  ASSERT_EQ(released.status, 200) << released.body;
  ASSERT_TRUE(released.quantum);
  EXPECT_GE(*released.quantum, 1ms);
  // Other words and the same size: the same quantum.
  const Response other = service.answer({.method = "POST",
                                         .target = "/v1/privatize",
                                         .headers = {{"Content-Type", "application/json"}},
                                         .body = Json{{"text", "w49 unknown"}, {"epsilon", 1}}.dump()});
  EXPECT_EQ(other.quantum, released.quantum);
  // A retry draws nothing.
  EXPECT_FALSE(post(service, body).quantum);
  const auto again = [&](Json changed) {
    return service.answer({.method = "POST",
                           .target = "/v1/privatize",
                           .headers = {{"Content-Type", "application/json"}},
                           .body = changed.dump()});
  };
  const Response refused = again(body);  // a second release of the document
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.quantum, released.quantum);
  const Response too_long = again({{"text", "w1 w2 w3 w4 w5 w6"}, {"epsilon", 1}});
  EXPECT_EQ(too_long.status, 422);
  EXPECT_TRUE(too_long.quantum);
  EXPECT_FALSE(again({{"text", "w1"}, {"epsilon", 0}}).quantum);  // refused before any draw
  EXPECT_FALSE(service.answer({.method = "GET", .target = "/v1/mechanisms"}).quantum);
}

TEST_F(Padded, ReleasesOfVectorsWaitToo) {
  Service service(options());
  service.make_ready();
  const auto release = [&](const char* vectors, const char* document) {
    const Json body = {{"vectors", Json::parse(vectors)},
                       {"documents", {document}},
                       {"epsilon", 10},
                       {"parameters", {{"dimension", 2}}}};
    return service.answer({.method = "POST",
                           .target = "/v1/vectors",
                           .headers = {{"Content-Type", "application/json"}},
                           .body = body.dump()});
  };
  const Response released = release("[[0, 0, 0]]", "d");
  ASSERT_EQ(released.status, 200) << released.body;
  ASSERT_TRUE(released.quantum);
  EXPECT_GE(*released.quantum, 1ms);
  EXPECT_EQ(release("[[0.123456789, 1e6, -3]]", "e").quantum, released.quantum);
  const Response refused = release("[[0, 0, 0]]", "d");  // a second release of the document
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.quantum, released.quantum);
}

// Questions that release nothing: docs/service.md says why each does not wait.
TEST_F(Padded, QuestionsDoNotWait) {
  Service service(options());
  service.make_ready();
  for (const auto& [target, body] : {std::pair("/v1/explain", Json{{"word", "w1"}, {"epsilon", 1}}),
                                     std::pair("/v1/guess", Json{{"private", "w1 w2"}, {"epsilon", 1}}),
                                     std::pair("/v1/certificate", Json{{"epsilon", 1}})}) {
    const Response answer = service.answer({.method = "POST",
                                            .target = target,
                                            .headers = {{"Content-Type", "application/json"}},
                                            .body = body.dump()});
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_FALSE(answer.quantum) << target;
  }
}

TEST_F(Padded, NothingWaitsIfPaddingIsOff) {
  ServiceOptions off = options();
  off.pads_answers = false;
  Service service(off);
  service.make_ready();
  EXPECT_FALSE(post(service, {{"text", "w1 w2"}, {"epsilon", 1}}).quantum);
}

// On a socket: an answer with a quantum comes after it, and one that came later and does not wait overtakes
// it.
TEST(PaddedHttp, AnAnswerLeavesAfterItsQuantumAndHoldsUpNobody) {
  constexpr auto kQuantum = 300ms;
  const HttpHandlers handlers{
      .at_once = [](const Request&) -> std::optional<Response> { return std::nullopt; },
      .answer =
          [&](const Request& request) {
            Response response{.body = request.target};
            if (request.target == "/padded") response.quantum = kQuantum;
            return response;
          }};
  HttpServer server({.port = 0, .io_threads = 1, .workers = 1}, handlers);
  test::Client padded(server.port());
  test::Client plain(server.port());
  const Clock::time_point sent = Clock::now();
  padded.send(test::get("/padded"));
  plain.send(test::get("/plain"));
  EXPECT_EQ(plain.receive().body, "/plain");  // one worker and one I/O thread: neither waits
  EXPECT_EQ(padded.receive().body, "/padded");
  EXPECT_GE(Clock::now() - sent, kQuantum);  // never early; how late says nothing about the server
  // Pipelined requests keep their order, though the second does not wait.
  padded.send(test::get("/padded") + test::get("/plain"));
  EXPECT_EQ(padded.receive().body, "/padded");
  EXPECT_EQ(padded.receive().body, "/plain");
}

}  // namespace
}  // namespace sotto::server
