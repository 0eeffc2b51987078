#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "server/message.h"
#include "sotto/answer.h"
#include "sotto/work.h"

namespace sotto::server {

// Answers that take long, computed one after the other by one thread. Jobs live in memory only: after a
// restart there are none. They are about public data (the model, a mechanism), so keeping results says
// nothing about anybody's text.
class Jobs {
 public:
  struct Limits {
    std::size_t most_waiting = 16;                      // jobs that wait for their turn; others are refused
    std::size_t most_waiting_each = 4;                  // of them, those of one key
    std::size_t most_kept = 64;                         // finished jobs
    std::chrono::seconds keep = std::chrono::hours(1);  // finished jobs are forgotten after this time
    unsigned threads = 0;  // of the computation of one job; 0: half of the cores, so that requests have room
  };
  // Computes the answer. Throws Problem for what the request can change.
  using Task = std::function<api::Json(const Work& work)>;

  explicit Jobs(Limits limits);
  ~Jobs();  // stop(), and waits for the thread
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Returns the id of the job: 128 random bits in hex. Throws Problem(503) if too many wait, or after stop();
  // Problem(429) if too many jobs of this owner wait. An empty owner is everybody, where no key is asked for:
  // only the first limit holds.
  std::string add(const std::string& owner, Task task);
  // {"schema", "sotto_version", "job", "state", "stage", "progress", "result"}. `state` is queued, running,
  // done, failed or cancelled. `progress` is from 0 to 1, within the stage. `result` is the answer of a job
  // that is done, and the problem document of one that failed. Empty: `owner` has no such job.
  std::optional<api::Json> find(const std::string& id, const std::string& owner);
  // A job that is not finished is cancelled, and kept; one that is finished is forgotten. Returns what find()
  // then says, or said before.
  std::optional<api::Json> remove(const std::string& id, const std::string& owner);
  // Cancels all jobs, and takes no more. Returns at once.
  void stop() noexcept;

 private:
  enum class State { queued, running, done, failed, cancelled };
  struct Job {
    std::string id;
    std::string owner;
    Task task;
    State state = State::queued;
    std::string stage = {};
    double progress = 0;
    api::Json result;
    std::atomic<bool> is_stopped = false;
    Clock::time_point finished = {};
    [[nodiscard]] bool is_finished() const { return state != State::queued && state != State::running; }
  };
  using SharedJob = std::shared_ptr<Job>;

  void run();
  void run_one(Job& job);
  // The rest needs mutex_.
  void finish(const SharedJob& job, State state);
  void forget_old();
  // The oldest finished job of the owner who has most of them: nobody can push out the results of others.
  [[nodiscard]] std::deque<SharedJob>::iterator least_missed();
  [[nodiscard]] SharedJob of(const std::string& id, const std::string& owner);
  static api::Json json_of(const Job& job);
  static std::string_view name_of(State state);

  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::unordered_map<std::string, SharedJob> jobs_;
  std::deque<SharedJob> waiting_;
  std::deque<SharedJob> finished_;  // in the order in which they finished
  SharedJob running_;
  std::jthread thread_;  // the last member: it uses the others
};

}  // namespace sotto::server
