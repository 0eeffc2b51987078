#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "server/jobs.h"
#include "server/keys.h"
#include "server/message.h"
#include "server/settings_cache.h"
#include "server/spending.h"
#include "server/watch.h"

// The service without sockets: a request in, an answer out.
namespace sotto::server {

struct ServiceLimits {
  std::size_t most_texts = 1'000;     // of one request
  std::size_t most_tokens = 100'000;  // of one request
};

struct ServiceOptions {
  // Opens the model. Called by make_ready().
  std::function<std::shared_ptr<const Model>()> open_model = {};
  ServiceLimits limits = {};
  SpendingOptions spending = {};
  std::optional<Keys> keys = {};  // empty: everybody may ask everything
  // No key is asked for, so that any web page could send requests through the user's browser under a name
  // that leads to this machine: only requests for this machine's own name are answered (421).
  bool only_local_names = true;
  double requests_per_second = 0;  // of each key; 0: no limit
  // Answers to releases leave at multiples of a quantum, which hides most of what their time tells about the
  // words (padding.h).
  bool pads_answers = false;
  // The only foreign origin whose pages may read answers (CORS): "https://example.org". Empty: none.
  std::string allow_origin = {};
  Jobs::Limits jobs = {};
  // Gets a line of JSON for each answer; empty: no log. Called by several threads.
  std::function<void(const std::string& line)> log = {};
  // Listening beyond loopback without keys or TLS was allowed: every answer says so.
  bool is_insecure = false;
};

class Service {
 public:
  explicit Service(ServiceOptions options);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Opens and prepares the model, which may take a minute. Until then requests that need it get 503.
  void make_ready();
  // Readiness off: load balancers send no more. Requests are still answered.
  // Jobs are cancelled.
  void retire() noexcept {
    is_retired_ = true;
    jobs_.stop();
  }
  [[nodiscard]] bool is_ready() const noexcept { return is_ready_ && !is_retired_; }

  // Never throws: whatever goes wrong is an answer too. Any number of threads may call these.
  [[nodiscard]] Response answer(const Request& request) noexcept;
  // The answer, if the route computes nothing; else nothing.
  [[nodiscard]] std::optional<Response> answer_quickly(const Request& request) noexcept;
  // An answer that was given without this: the request was not whole, or there was no room for it.
  void note_refused(int status) noexcept { note({.route = "none", .status = status}); }
  // Answers that still run are given up, as soon as they look.
  void give_up() noexcept { is_given_up_ = true; }

  // For the functions of routes.
  [[nodiscard]] const ServiceOptions& options() const noexcept { return options_; }
  [[nodiscard]] const std::shared_ptr<const Model>& model() const noexcept { return model_; }
  [[nodiscard]] SettingsCache& settings() noexcept { return *settings_; }
  [[nodiscard]] Spending& spending() noexcept { return spending_; }
  [[nodiscard]] Jobs& jobs() noexcept { return jobs_; }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 private:
  Response dispatch(const Request& request, std::optional<Clock::duration>& quantum);
  void note(const Answered& answered) noexcept;
  void check_host(const Request& request) const;
  [[nodiscard]] std::string check_key(const Request& request, Scope scope) const;

  const ServiceOptions options_;
  Spending spending_;
  Counts counts_;
  RateLimit rate_;
  std::shared_ptr<const Model> model_;  // set before is_ready_
  std::unique_ptr<SettingsCache> settings_;
  std::atomic<bool> is_ready_ = false;
  std::atomic<bool> is_retired_ = false;
  std::atomic<bool> is_given_up_ = false;
  Jobs jobs_;  // the last member: its thread ends before the others
};

}  // namespace sotto::server
