#include "server/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/utc_time.h"
#include "ledger/crypto.h"
#include "sotto/answer.h"

namespace sotto::server {

std::string token_bucket(std::optional<std::uint64_t> tokens) {
  if (!tokens) return "-";
  if (*tokens == 0) return "0";
  std::uint64_t least = 1;
  while (least <= *tokens / 10) least *= 10;
  return fmt::format("{}-{}", least, least * 10 - 1);
}

std::string_view duration_bucket(std::chrono::nanoseconds duration) {
  using namespace std::chrono_literals;
  if (duration < 1ms) return "<1ms";
  if (duration < 10ms) return "<10ms";
  if (duration < 100ms) return "<100ms";
  if (duration < 1s) return "<1s";
  return duration < 10s ? "<10s" : ">=10s";
}

std::string log_line(const Answered& answered, std::string_view request_id) {
  api::Json line;
  line["time"] = utc_now();
  line["request"] = request_id;
  line["route"] = answered.route;
  line["status"] = answered.status;
  line["duration"] = duration_bucket(answered.duration);
  line["tokens"] = token_bucket(answered.tokens);
  return line.dump();
}

std::string new_request_id() {
  return ledger::hex_of(ledger::random_array<8>());
}

void Counts::add(const Answered& answered) {
  Key key(answered.route, answered.status, token_bucket(answered.tokens));
  const std::scoped_lock lock(mutex_);
  ++answers_[std::move(key)];
}

std::string Counts::text(bool is_ready) const {
  std::string text = "# HELP sotto_ready Whether the server answers releases.\n# TYPE sotto_ready gauge\n" +
                     fmt::format("sotto_ready {}\n", is_ready ? 1 : 0) +
                     "# HELP sotto_answers_total Answers by route, status and number of tokens.\n"
                     "# TYPE sotto_answers_total counter\n";
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, count] : answers_) {
    const auto& [route, status, tokens] = key;
    text += fmt::format("sotto_answers_total{{route=\"{}\",status=\"{}\",tokens=\"{}\"}} {}\n", route, status,
                        tokens, count);
  }
  return text;
}

bool RateLimit::admits(const std::string& sender, Clock::time_point now) {
  if (per_second_ == 0) return true;
  const std::scoped_lock lock(mutex_);
  const auto [found, is_new] =
      buckets_.try_emplace(sender, Bucket{.left = std::max(1.0, per_second_), .filled = now});
  Bucket& bucket = found->second;
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.left = std::min(std::max(1.0, per_second_), bucket.left + seconds * per_second_);
  bucket.filled = now;
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

}  // namespace sotto::server
