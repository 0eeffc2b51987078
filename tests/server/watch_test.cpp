#include "server/watch.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "server/running.h"

namespace sotto::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

TEST(Watch, NumbersAppearAsPowersOfTen) {
  EXPECT_EQ(token_bucket({}), "-");
  EXPECT_EQ(token_bucket(0), "0");
  EXPECT_EQ(token_bucket(1), "1-9");
  EXPECT_EQ(token_bucket(9), "1-9");
  EXPECT_EQ(token_bucket(10), "10-99");
  EXPECT_EQ(token_bucket(99'999), "10000-99999");
  EXPECT_EQ(duration_bucket(999us), "<1ms");
  EXPECT_EQ(duration_bucket(1ms), "<10ms");
  EXPECT_EQ(duration_bucket(10s), ">=10s");
}

TEST(Watch, ARateIsRefilledAndBelongsToOneSender) {
  RateLimit limit(2);
  const RateLimit::Clock::time_point start{};
  EXPECT_TRUE(limit.admits("a", start));
  EXPECT_TRUE(limit.admits("a", start));
  EXPECT_FALSE(limit.admits("a", start));
  EXPECT_TRUE(limit.admits("b", start));
  EXPECT_FALSE(limit.admits("a", start + 400ms));
  EXPECT_TRUE(limit.admits("a", start + 600ms));
  EXPECT_FALSE(limit.admits("a", start + 600ms));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(limit.admits("a", start + 1h));
  EXPECT_FALSE(limit.admits("a", start + 1h));
  RateLimit none(0);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(none.admits("a", start));
}

TEST(Watch, LogAndCountsHoldNothingOfTheRequest) {
  ServiceOptions options = test::small_service();
  std::vector<std::string> lines;
  options.log = [&](const std::string& line) { lines.push_back(line); };
  Service service(options);
  service.make_ready();
  const auto post = [&](const std::string& target, const std::string& body) {
    (void)service.answer({.method = "POST",
                          .target = target,
                          .headers = {{"Content-Type", "application/json"}, {"zebrafish", "zebrafish"}},
                          .body = body});
  };
  post("/v1/privatize", R"({"text": "w1 w2 zebrafish", "epsilon": 1})");
  post("/v1/privatize", R"({"text": "zebrafish", "zebrafish": 1})");
  post("/v1/privatize", R"({"text": "zebrafish)");
  post("/zebrafish?zebrafish", "zebrafish");
  service.note_refused(408);
  ASSERT_EQ(lines.size(), 5U);
  for (const std::string& line : lines) EXPECT_THAT(line, Not(HasSubstr("zebrafish")));
  const api::Json first = api::Json::parse(lines[0]);
  EXPECT_EQ(first["route"], "/v1/privatize");
  EXPECT_EQ(first["tokens"], "1-9");
  EXPECT_EQ(first["request"].get<std::string>().size(), 16U);
  const std::string counts = service.counts().text(true);
  EXPECT_THAT(counts, Not(HasSubstr("zebrafish")));
  EXPECT_THAT(counts,
              HasSubstr("sotto_answers_total{route=\"/v1/privatize\",status=\"200\",tokens=\"1-9\"} 1\n"));
  EXPECT_THAT(counts, HasSubstr("sotto_answers_total{route=\"none\",status=\"404\",tokens=\"-\"} 1\n"));
  EXPECT_THAT(counts, HasSubstr("sotto_ready 1\n"));
}

}  // namespace
}  // namespace sotto::server
