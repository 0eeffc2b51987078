#include "server/cross_origin.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "server/running.h"
#include "sotto/error.h"

namespace sotto::server {
namespace {

constexpr char kOrigin[] = "https://example.org";

std::string header_of(const Response& response, std::string_view name) {
  const auto found = std::ranges::find(response.headers, name, &Header::first);
  return found == response.headers.end() ? "" : found->second;
}

Service& service(const std::string& allow_origin) {
  static Service none(test::small_service());
  static Service one([] {
    ServiceOptions options = test::small_service();
    options.allow_origin = kOrigin;
    return options;
  }());
  return allow_origin.empty() ? none : one;
}

Response ask(const std::string& allow_origin, const char* method, const char* path,
             const std::string& origin) {
  Request request{.method = method, .target = path, .headers = {{"Host", "localhost"}}};
  if (!origin.empty()) request.headers.emplace_back("Origin", origin);
  if (request.method == "OPTIONS") request.headers.emplace_back("Access-Control-Request-Method", "POST");
  return service(allow_origin).answer(request);
}

TEST(CrossOrigin, NothingIsSaidWithoutTheOption) {
  const Response answer = ask("", "GET", "/healthz", kOrigin);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.headers.empty());
  const Response preflight = ask("", "OPTIONS", "/v1/privatize", kOrigin);
  EXPECT_EQ(preflight.status, 405);
  EXPECT_EQ(header_of(preflight, "Access-Control-Allow-Origin"), "");
}

TEST(CrossOrigin, OnlyTheExactOriginMayRead) {
  const Response answer = ask(kOrigin, "GET", "/healthz", kOrigin);
  EXPECT_EQ(header_of(answer, "Access-Control-Allow-Origin"), kOrigin);
  EXPECT_EQ(header_of(answer, "Vary"), "Origin");
  EXPECT_EQ(header_of(answer, "Access-Control-Allow-Credentials"), "");
  for (const char* const other : {"", "null", "https://example.org.evil.org", "http://example.org",
                                  "https://example.org:444", "https://EXAMPLE.org", "*"}) {
    const Response foreign = ask(kOrigin, "GET", "/healthz", other);
    EXPECT_EQ(foreign.status, 200);
    EXPECT_EQ(header_of(foreign, "Access-Control-Allow-Origin"), "") << other;
    EXPECT_EQ(header_of(foreign, "Vary"), "Origin");
    const Response preflight = ask(kOrigin, "OPTIONS", "/v1/privatize", other);
    EXPECT_EQ(preflight.status, 405) << other;
    EXPECT_EQ(header_of(preflight, "Access-Control-Allow-Methods"), "") << other;
  }
}

TEST(CrossOrigin, AProblemCanBeReadToo) {
  const Response answer = ask(kOrigin, "GET", "/v1/nothing", kOrigin);
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(header_of(answer, "Access-Control-Allow-Origin"), kOrigin);
}

TEST(CrossOrigin, ThePreflightTellsMethodsAndHeaders) {
  const Response preflight = ask(kOrigin, "OPTIONS", "/v1/privatize", kOrigin);
  EXPECT_EQ(preflight.status, 200);
  EXPECT_EQ(header_of(preflight, "Access-Control-Allow-Origin"), kOrigin);
  EXPECT_EQ(header_of(preflight, "Access-Control-Allow-Methods"), "POST");
  EXPECT_EQ(header_of(preflight, "Access-Control-Allow-Headers"),
            "Authorization, Content-Type, Idempotency-Key");
  EXPECT_EQ(header_of(ask(kOrigin, "OPTIONS", "/v1/jobs/x", kOrigin), "Access-Control-Allow-Methods"),
            "GET, HEAD, DELETE");
  EXPECT_EQ(ask(kOrigin, "OPTIONS", "/v1/nothing", kOrigin).status, 404);
}

TEST(CrossOrigin, TheOptionTakesOneOrigin) {
  for (const char* const good : {"", "https://example.org", "http://localhost:8000", "http://[::1]:80"}) {
    EXPECT_EQ(checked_origin(good), good);
  }
  for (const char* const bad : {"*", "null", "example.org", "https://", "https://example.org/", "ftp://a.org",
                                "https://a.org https://b.org", "https://a.org\r\nX: y", "https://A.org"}) {
    EXPECT_THROW((void)checked_origin(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace sotto::server
