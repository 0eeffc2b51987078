#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A request and its answer as the rest of the server sees them: whole, in memory, without a connection.
namespace sotto::server {

using Clock = std::chrono::steady_clock;
using Header = std::pair<std::string, std::string>;

struct Request {
  std::string method = {};  // "POST"
  std::string target = {};  // "/v1/privatize", perhaps with a query
  std::vector<Header> headers = {};
  std::string body = {};
  Clock::time_point received = {};  // when its last byte came

  // The part of the target before the first question mark.
  [[nodiscard]] std::string_view path() const;
  [[nodiscard]] bool has_query() const { return target.find('?') != std::string::npos; }
  // The value of a header, whose name is compared without regard to case. Empty: it is not there. Throws
  // Problem(400) if it is there twice: the server and a proxy could take different ones.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<Header> headers = {};
  // Words of the texts, for the log and the counts, which show only their power of ten.
  std::optional<std::uint64_t> tokens = {};
  // The answer leaves a whole number of these after the last byte of the request came (padding.h); no thread
  // waits for it. Empty: at once.
  std::optional<Clock::duration> quantum = {};
};

// ASCII letters without regard to case, as names of headers are compared.
bool same_name(std::string_view a, std::string_view b);

}  // namespace sotto::server
