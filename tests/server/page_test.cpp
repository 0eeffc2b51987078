// The playground's files: their routes, headers and what they refer to. tests/web opens the page in a
// browser.
#include "server/page.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "server/running.h"

namespace sotto::server {
namespace {

using testing::HasSubstr;
using testing::Not;

Response get(Service& service, std::string_view path) {
  return service.answer({.method = "GET", .target = std::string(path)});
}

std::map<std::string, std::string> headers_of(const Response& response) {
  return {response.headers.begin(), response.headers.end()};
}

// No key and no model: whoever reaches the server may read what is the same for everybody.
TEST(Page, IsOpenAndNeedsNoModel) {
  ServiceOptions options = test::small_service();
  options.keys = Keys(std::vector<ClientKey>{});
  Service service(std::move(options));
  for (const PageFile& file : page_files()) {
    const Response response = get(service, file.path);
    EXPECT_EQ(response.status, 200) << file.path;
    EXPECT_EQ(response.type, file.type);
    EXPECT_EQ(response.body, file.content);
  }
  EXPECT_EQ(get(service, "/v1/mechanisms").status, 401);
}

TEST(Page, PolicyAllowsOwnFilesOnly) {
  Service service(test::small_service());
  for (const PageFile& file : page_files()) {
    const auto headers = headers_of(get(service, file.path));
    const std::string& policy = headers.at("Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    for (const char* const loose : {"unsafe", "*", "data:", "http"})
      EXPECT_THAT(policy, Not(HasSubstr(loose)));
    EXPECT_EQ(headers.at("Referrer-Policy"), "no-referrer");
  }
}

// Every address in quotes is a route of this server, and every file but the page itself is referred to.
TEST(Page, RefersToItsOwnFilesOnly) {
  std::set<std::string> referred = {"/"};
  const std::regex address(R"x(["'`](/[\w./-]*|[a-z]+://[^"'`]*)["'`])x");
  for (const PageFile& file : page_files()) {
    const std::string text(file.content);
    for (std::sregex_iterator found(text.begin(), text.end(), address); found != std::sregex_iterator();
         ++found) {
      const std::string target = (*found)[1];
      if (target == "http://www.w3.org/2000/svg") continue;  // the name of a language
      EXPECT_NE(std::ranges::find(routes(), std::string_view(target), &Route::path), routes().end())
          << file.path << " " << target;
      referred.insert(target);
    }
  }
  for (const PageFile& file : page_files())
    EXPECT_TRUE(referred.contains(std::string(file.path))) << file.path;
}

// What the policy would block, or what would keep text behind the user's back.
TEST(Page, HasNothingInlineAndStoresNothing) {
  for (const PageFile& file : page_files()) {
    for (const char* const bad :
         {"style=\"", "onclick=\"", "<style", "javascript:", "innerHTML", "outerHTML", "insertAdjacentHTML",
          "document.write", "eval(", "localStorage", "sessionStorage", "indexedDB", "document.cookie",
          "history.", "location.hash", "location.search", "sendBeacon"}) {
      EXPECT_THAT(std::string(file.content), Not(HasSubstr(bad))) << file.path;
    }
  }
}

}  // namespace
}  // namespace sotto::server
