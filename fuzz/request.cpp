// A request to the service: the first byte chooses the route, the second the headers, the rest is the body.
// Checks that every answer has a status of the contract, that an error never repeats the request, and that
// nothing is our bug.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "expect.h"
#include "server/problem.h"
#include "server/routes.h"
#include "server/service.h"
#include "sotto/model.h"

using sotto::fuzz::expect;
namespace server = sotto::server;

namespace {

constexpr char kCanary[] = "zebrafish";

server::Service& service() {
  static server::Service one({.open_model = [] {
    const std::vector<std::string> words = {"a", "b", "c", "d"};
    return sotto::Model::from_words(words, {0, 1, 2, 3}, 1);
  }});
  static const bool kReady = (one.make_ready(), true);
  (void)kReady;
  return one;
}

bool is_of_the_contract(int status) {
  constexpr int kStatuses[] = {200, 202, 400, 404, 405, 413, 415, 421, 422, 429, 503};
  return std::ranges::find(kStatuses, status) != std::end(kStatuses);
}

// The id of a job that may exist for the part in braces.
std::string target_of(const server::Route& route) {
  static const std::string kJob = service().jobs().add("", [](const sotto::Work&) -> sotto::api::Json {
    throw server::Problem{.kind = &server::kField, .detail = "for the fuzzer"};
  });
  const std::size_t brace = route.path.find('{');
  return std::string(route.path.substr(0, brace)) + (brace == std::string_view::npos ? "" : kJob);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto routes = server::routes();
  const server::Route& route = routes[data[0] % routes.size()];
  server::Request request{.method = std::string(route.method),
                          .target = target_of(route),
                          .body = std::string(sotto::fuzz::text_of(data + 2, size - 2))};
  if ((data[1] & 1U) == 0) request.headers.emplace_back("Content-Type", "application/json");
  if ((data[1] & 2U) != 0) request.headers.emplace_back("Host", request.body);
  if ((data[1] & 4U) != 0) request.headers.emplace_back("Idempotency-Key", request.body);
  if ((data[1] & 8U) != 0) request.target += request.body;
  const server::Response response = service().answer(request);
  expect(is_of_the_contract(response.status), "every status is one of the contract");
  if (!response.type.starts_with("application/")) {  // the counts, and the files of the page
    expect(response.status == 200, "an error is JSON");
    expect(response.body.find(kCanary) == std::string::npos, "these repeat nothing of the request");
    return 0;
  }
  const auto json = nlohmann::json::parse(response.body, nullptr, false);
  expect(json.is_object(), "every answer is a JSON object");
  if (response.status == 200 || response.status == 202) return 0;
  expect(json["status"] == response.status && json.contains("type"), "an error is a problem document");
  expect(response.body.find(kCanary) == std::string::npos, "an error repeats nothing of the request");
  return 0;
}
