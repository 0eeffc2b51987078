#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

// What the operator sees of requests: lines of a log, and counts. Neither holds text, words, keys or
// identifiers. Times and numbers of tokens appear as powers of ten: exact ones would tell about the text.
namespace sotto::server {

struct Answered {
  std::string_view route = {};  // of the table; "none" for requests that belong to no route
  int status = 0;
  std::chrono::nanoseconds duration = {};
  std::optional<std::uint64_t> tokens = {};  // empty: the request has none
};

// "1-9", "10-99", ...; "0"; "-" for none.
std::string token_bucket(std::optional<std::uint64_t> tokens);
// "<1ms", "<10ms", ... ">=10s".
std::string_view duration_bucket(std::chrono::nanoseconds duration);

// One JSON object: time, request (an id of 64 random bits), route, status, duration, tokens. No line end.
std::string log_line(const Answered& answered, std::string_view request_id);
std::string new_request_id();

// Counts of answers, for Prometheus.
class Counts {
 public:
  void add(const Answered& answered);
  // Text format 0.0.4.
  [[nodiscard]] std::string text(bool is_ready) const;

 private:
  using Key = std::tuple<std::string, int, std::string>;  // route, status, token bucket
  mutable std::mutex mutex_;
  std::map<Key, std::uint64_t> answers_;
};

// How many requests a sender may send: `per_second` on average, and as many at once.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  explicit RateLimit(double per_second) : per_second_(per_second) {}  // 0: no limit
  // False: too many; `sender` may try again in a second. Senders are those that have a key, so few.
  bool admits(const std::string& sender, Clock::time_point now);

 private:
  struct Bucket {
    double left = 0;
    Clock::time_point filled = {};
  };
  const double per_second_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace sotto::server
