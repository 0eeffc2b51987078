// Bytes on a socket against a server in this process.
#include "server/http.h"
#include "server/canary.h"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/client.h"
#include "server/running.h"
#include "sotto/error.h"

namespace sotto::server {
namespace {

using namespace std::chrono_literals;
using test::Answer;
using test::Client;
using test::get;
using test::post;
using test::Running;
using testing::HasSubstr;
using testing::Not;

constexpr char kGoodBody[] = R"({"text": "w1 zebrafish", "epsilon": 1})";

Answer answer_to(const Running& running, const std::string& bytes) {
  Client client(running.port());
  client.send(bytes);
  return client.receive();
}

TEST(Http, AnswersOnOneConnectionAgainAndAgain) {
  const Running running;
  Client client(running.port());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(client.send(post("/v1/privatize", kGoodBody)));
    const Answer answer = client.receive();
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_THAT(answer.json()["text"].get<std::string>(), Not(HasSubstr(kCanary)));
    EXPECT_THAT(answer.head, HasSubstr("Cache-Control: no-store"));
    EXPECT_THAT(answer.head, Not(HasSubstr("Server:")));
  }
}

TEST(Http, PipelinedRequestsAreAnsweredInTheirOrder) {
  const Running running;
  Client client(running.port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += i % 2 == 0 ? get("/healthz") : post("/v1/privatize", kGoodBody);
  client.send(all);
  for (int i = 0; i < 50; ++i) {
    const Answer answer = client.receive();
    ASSERT_EQ(answer.status, 200);
    EXPECT_EQ(answer.json()["schema"], i % 2 == 0 ? "sotto.health/1" : "sotto.privatized/1");
  }
}

TEST(Http, ReadsOneByteAtATime) {
  const Running running;
  Client client(running.port());
  for (const char byte : post("/v1/privatize", kGoodBody)) client.send(std::string_view(&byte, 1));
  EXPECT_EQ(client.receive().status, 200);
}

TEST(Http, ReadsChunkedBodies) {
  const Running running;
  const std::string head =
      "POST /v1/privatize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(
      answer_to(running, head + "c\r\n{\"text\": \"w1\r\n13\r\n w2\", \"epsilon\": 1}\r\n0\r\n\r\n").status,
      200);
  EXPECT_EQ(answer_to(running, head + "zz\r\n{}\r\n0\r\n\r\n").status, 400);
  // Endless chunks end at the limit of the body.
  std::string endless = head;
  for (int i = 0; i < 300; ++i) endless += "2000\r\n" + std::string(0x2000, ' ') + "\r\n";
  EXPECT_EQ(answer_to(running, endless).status, 413);
}

TEST(Http, AnswersAfterTheClientHasEndedItsSide) {
  const Running running;
  Client client(running.port());
  client.send(post("/v1/privatize", kGoodBody));
  client.end_sending();
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.is_closed());

  Client half(running.port());
  half.send("POST /v1/privatize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  half.end_sending();
  EXPECT_EQ(half.receive().status, 400);
  EXPECT_TRUE(half.is_closed());
}

TEST(Http, WhatIsNotHttpIsMalformedAndNotRepeated) {
  using namespace std::string_literals;
  const Running running;
  for (const std::string& bytes :
       {std::string("zebrafish\r\n\r\n"), std::string("GET /healthz\r\n\r\n"),
        std::string("GET /healthz HTTP/9.9\r\n\r\n"), std::string("GET  HTTP/1.1\r\n\r\n"),
        std::string("GET /healthz HTTP/1.1\r\nzebrafish\r\n\r\n"),
        std::string("GET /healthz HTTP/1.1\r\nA b: c\r\n\r\n"),
        std::string("POST /v1/privatize HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST /v1/privatize HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"),
        std::string("POST /v1/privatize HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello\r\n\r\n"s}) {
    Client client(running.port());
    client.send(bytes);
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 400) << bytes;
    EXPECT_THAT(answer.body, Not(HasSubstr(kCanary)));
    EXPECT_THAT(answer.head, HasSubstr("application/problem+json"));
    client.end_sending();
    EXPECT_TRUE(client.is_closed()) << bytes;
  }
}

TEST(Http, BadBodiesAreAnsweredAndTheConnectionStays) {
  const Running running;
  Client client(running.port());
  struct Case {
    std::string body;
    int status;
  };
  for (const Case& bad :
       std::vector<Case>{{"{\"text\": \"zebrafish", 400},
                         {R"({"text": "zebrafish", "text": "zebrafish", "epsilon": 1})", 400},
                         {R"({"text": "zebrafish", "epsilon": 1e400})", 400},
                         {"{\"text\": \"zebrafish\xff\", \"epsilon\": 1}", 400},
                         {std::string(200'000, '['), 400},
                         {R"({"text": "zebrafish", "epsilonn": 1})", 422},
                         {"", 400}}) {
    client.send(post("/v1/privatize", bad.body));
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, bad.status);
    EXPECT_THAT(answer.body, Not(HasSubstr(kCanary)));
  }
  client.send(post("/v1/privatize", kGoodBody));
  EXPECT_EQ(client.receive().status, 200);
}

TEST(Http, LargeBodiesAreRefusedBeforeTheyAreRead) {
  const Running running;
  Client client(running.port());
  client.send("POST /v1/privatize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n");
  EXPECT_EQ(client.receive().status, 413);
  // A client that sends everything first still sees the answer.
  EXPECT_EQ(answer_to(running, post("/v1/privatize", std::string(3'000'000, ' '))).status, 413);
  const std::string largest = R"({"text": "w1)" + std::string((1 << 20) - 40, ' ') + R"(", "epsilon": 1})";
  EXPECT_EQ(answer_to(running, post("/v1/privatize", largest)).status, 200);
}

TEST(Http, TenThousandHeadersAreRefused) {
  const Running running;
  std::string bytes = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 10'000; ++i) bytes += "X-Header-" + std::to_string(i) + ": zebrafish\r\n";
  EXPECT_EQ(answer_to(running, bytes + "\r\n").status, 431);
  EXPECT_EQ(answer_to(running, "GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n").status, 431);
}

TEST(Http, HeadHasTheLengthAndNoBody) {
  const Running running;
  Client client(running.port());
  client.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/healthz"));
  const Answer first = client.receive();  // reads the length's bytes, which are those of the second answer
  EXPECT_EQ(first.status, 200);
  EXPECT_THAT(first.body, testing::StartsWith("HTTP/1.1 200 OK"));
}

TEST(Http, ExpectContinueIsAnswered) {
  const Running running;
  Client client(running.port());
  const std::string body = kGoodBody;
  client.send(
      "POST /v1/privatize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Expect: 100-continue\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send(body);
  EXPECT_EQ(client.receive().status, 200);
}

TEST(Http, OldClientsGetOneAnswer) {
  const Running running;
  Client client(running.port());
  client.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.is_closed());
}

// What is slow is cut off; meanwhile others are answered, though there is one thread for all connections.
TEST(Http, SlowClientsAreCutOffAndHoldUpNobody) {
  const Running running(
      {.io_threads = 1, .workers = 1, .head_time = 300ms, .body_time = 300ms, .idle_time = 300ms});
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 50; ++i) {
    slow.push_back(std::make_unique<Client>(running.port()));
    slow.back()->send(i % 2 == 0 ? "GET /hea" : "POST /v1/privatize HTTP/1.1\r\nContent-Length: 9\r\n\r\n{");
  }
  Client idle(running.port());
  EXPECT_EQ(answer_to(running, post("/v1/privatize", kGoodBody)).status, 200);
  for (const auto& client : slow) {
    const Answer answer = client->receive();
    EXPECT_EQ(answer.status, 408);
    EXPECT_THAT(answer.head, HasSubstr("Retry-After"));
  }
  EXPECT_TRUE(idle.is_closed());
}

// A worker that is busy until the test lets it go.
struct Busy {
  std::latch started{1};
  std::latch may_end{1};
  HttpHandlers handlers = {.at_once = [](const Request& request) -> std::optional<Response> {
                             if (request.target == "/quick") return Response{.body = "quick"};
                             return std::nullopt;
                           },
                           .answer =
                               [this](const Request& request) {
                                 if (request.target == "/wait") {
                                   started.count_down();
                                   may_end.wait();
                                 }
                                 return Response{.body = "done"};
                               }};
};

TEST(Http, RequestsBeyondTheQueueGet503AndQuickOnesAreAnswered) {
  Busy busy;
  HttpServer server({.port = 0, .most_waiting = 1, .workers = 1}, busy.handlers);
  Client first(server.port());
  first.send(get("/wait"));
  busy.started.wait();
  Client quick(server.port());
  quick.send(get("/quick"));
  EXPECT_EQ(quick.receive().body, "quick");
  // One of the two waits for the worker, and the other is refused. Which one is not known.
  Client second(server.port());
  Client third(server.port());
  second.send(get("/"));
  third.send(get("/"));
  std::atomic<int> refused = 0;
  std::latch one_answered(1);
  const auto receive = [&](Client& client) {
    const Answer answer = client.receive();
    if (answer.status == 503) {
      ++refused;
      one_answered.count_down();
    } else {
      EXPECT_EQ(answer.body, "done");
    }
  };
  const std::jthread of_second([&] { receive(second); });
  const std::jthread of_third([&] { receive(third); });
  one_answered.wait();
  EXPECT_EQ(refused, 1);
  busy.may_end.count_down();
  EXPECT_EQ(first.receive().body, "done");
}

TEST(Http, StopLetsRequestsInFlightFinish) {
  Busy busy;
  HttpServer server({.port = 0}, busy.handlers);
  Client waiting(server.port());
  waiting.send(get("/wait"));
  Client idle(server.port());
  idle.send(get("/quick"));
  EXPECT_EQ(idle.receive().status, 200);
  busy.started.wait();
  std::jthread stopping([&] { server.stop(); });
  EXPECT_TRUE(idle.is_closed());
  busy.may_end.count_down();
  const Answer answer = waiting.receive();
  EXPECT_EQ(answer.body, "done");
  EXPECT_THAT(answer.head, HasSubstr("Connection: close"));
  stopping.join();
  EXPECT_FALSE(Client(server.port()).is_connected());
}

// A request that is read while its idle connection is being closed is not handed on: the debit would be made
// and the answer lost. Every request that reached the handler is answered, in each of many stops.
TEST(Http, StopLosesNoAnswerOfARequestThatWasHandedOn) {
  constexpr int kRounds = 300;
  std::atomic<int> asked = 0;
  std::atomic<int> answered = 0;
  for (int round = 0; round < kRounds; ++round) {
    HttpServer server({.port = 0},
                      {.at_once = [](const Request&) -> std::optional<Response> { return std::nullopt; },
                       .answer =
                           [&](const Request&) {
                             ++asked;
                             return Response{.body = "done"};
                           }});
    std::latch started(4);
    std::vector<std::jthread> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back([&] {
        Client client(server.port());
        bool is_first = true;
        while (client.send(get("/")) && client.receive().status == 200) {
          ++answered;
          if (std::exchange(is_first, false)) started.count_down();
        }
        if (is_first) started.count_down();
      });
    }
    started.wait();
    server.stop();
  }
  EXPECT_EQ(asked, answered);
}

TEST(Http, TellsWhyItCannotListen) {
  const Running running;
  HttpOptions taken;
  taken.port = running.port();
  EXPECT_THROW(HttpServer(taken, {}), Error);
  EXPECT_THROW(HttpServer({.host = "no address"}, {}), Error);
  EXPECT_TRUE(is_loopback("127.0.0.1") && is_loopback("::1") && is_loopback("localhost"));
  EXPECT_FALSE(is_loopback("0.0.0.0") || is_loopback("::") || is_loopback("192.0.2.1") || is_loopback("x"));
}

}  // namespace
}  // namespace sotto::server
