#include "server/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/stop.h"
#include "ledger/crypto.h"
#include "server/problem.h"

namespace sotto::server {

namespace {

// Half of the cores: requests are answered while a job runs.
unsigned default_threads() {
  return std::max(1U, std::thread::hardware_concurrency() / 2);
}

}  // namespace

std::string_view Jobs::name_of(State state) {
  constexpr std::string_view kNames[] = {"queued", "running", "done", "failed", "cancelled"};
  return kNames[static_cast<std::size_t>(state)];
}

Jobs::Jobs(Limits limits) : limits_(limits), thread_([this] { run(); }) {}

Jobs::~Jobs() {
  stop();
}

void Jobs::stop() noexcept {
  const std::scoped_lock lock(mutex_);
  is_stopping_ = true;
  if (running_) running_->is_stopped = true;
  changed_.notify_all();
}

std::string Jobs::add(const std::string& owner, Task task) {
  auto job = std::make_shared<Job>();
  job->id = ledger::hex_of(ledger::random_array<16>());
  job->owner = owner;
  job->task = std::move(task);
  const std::scoped_lock lock(mutex_);
  if (is_stopping_ || waiting_.size() >= limits_.most_waiting) {
    throw Problem{.kind = &kUnavailable,
                  .detail = is_stopping_ ? "the server is stopping" : "too many jobs wait; try again later",
                  .headers = {{"Retry-After", "60"}}};
  }
  const auto is_own = [&](const SharedJob& other) { return other->owner == owner; };
  if (!owner.empty() &&
      std::ranges::count_if(waiting_, is_own) >= static_cast<std::ptrdiff_t>(limits_.most_waiting_each)) {
    throw Problem{
        .kind = &kTooManyJobs,
        .detail = fmt::format("a key may have {} waiting jobs at most; cancel one, or wait until one has run",
                              limits_.most_waiting_each),
        .headers = {{"Retry-After", "60"}}};
  }
  forget_old();
  jobs_.emplace(job->id, job);
  waiting_.push_back(job);
  changed_.notify_all();
  return job->id;
}

Jobs::SharedJob Jobs::of(const std::string& id, const std::string& owner) {
  forget_old();
  const auto found = jobs_.find(id);
  return found == jobs_.end() || found->second->owner != owner ? nullptr : found->second;
}

std::optional<api::Json> Jobs::find(const std::string& id, const std::string& owner) {
  const std::scoped_lock lock(mutex_);
  const SharedJob job = of(id, owner);
  return job ? std::optional(json_of(*job)) : std::nullopt;
}

std::optional<api::Json> Jobs::remove(const std::string& id, const std::string& owner) {
  const std::scoped_lock lock(mutex_);
  const SharedJob job = of(id, owner);
  if (!job) return std::nullopt;
  if (job->is_finished()) {
    std::erase(finished_, job);
    jobs_.erase(id);
  } else {
    job->is_stopped = true;  // the computation looks at it
    if (std::erase(waiting_, job) > 0) job->task = {};
    finish(job, State::cancelled);
  }
  return json_of(*job);
}

void Jobs::finish(const SharedJob& job, State state) {
  job->state = state;
  job->finished = Clock::now();
  finished_.push_back(job);
  forget_old();
}

std::deque<Jobs::SharedJob>::iterator Jobs::least_missed() {
  std::unordered_map<std::string_view, std::size_t> kept;
  for (const SharedJob& job : finished_) ++kept[job->owner];
  return std::ranges::max_element(finished_, {}, [&](const SharedJob& job) { return kept[job->owner]; });
}

void Jobs::forget_old() {
  const auto forget = [&](const std::deque<SharedJob>::iterator& job) {
    jobs_.erase((*job)->id);
    finished_.erase(job);
  };
  while (!finished_.empty() && Clock::now() - finished_.front()->finished > limits_.keep) {
    forget(finished_.begin());
  }
  while (finished_.size() > limits_.most_kept) forget(least_missed());
}

api::Json Jobs::json_of(const Job& job) {
  api::Json json = api::start_answer("sotto.job/1");
  json["job"] = job.id;
  json["state"] = name_of(job.state);
  json["stage"] = job.stage.empty() ? api::Json(nullptr) : api::Json(job.stage);
  json["progress"] = job.state == State::done ? 1.0 : job.progress;
  json["result"] = job.result;
  return json;
}

void Jobs::run() {
  for (;;) {
    SharedJob job;
    {
      std::unique_lock lock(mutex_);
      running_ = nullptr;
      changed_.wait(lock, [&] { return is_stopping_ || !waiting_.empty(); });
      if (is_stopping_) return;
      job = waiting_.front();
      waiting_.pop_front();
      job->state = State::running;
      running_ = job;
    }
    run_one(*job);
  }
}

void Jobs::run_one(Job& job) {
  const Work work{.threads = limits_.threads == 0 ? default_threads() : limits_.threads,
                  .progress =
                      [&](const Steps& steps) {
                        throw_if_stopped();
                        const std::scoped_lock lock(mutex_);
                        job.progress = static_cast<double>(steps.done) /
                                       static_cast<double>(std::max<std::size_t>(1, steps.total));
                      },
                  .on_stage =
                      [&](std::string_view stage) {
                        throw_if_stopped();
                        const std::scoped_lock lock(mutex_);
                        job.stage = stage;
                        job.progress = 0;
                      }};
  State state = State::cancelled;
  api::Json result;
  try {
    const StopScope scope(&job.is_stopped);
    result = job.task(work);
    state = State::done;
  } catch (const Stopped&) {
    // cancelled
  } catch (const Problem& problem) {
    result = api::Json::parse(problem_response(problem).body);
    state = State::failed;
  } catch (...) {
    // No what(): a library may quote what it was given.
    result = api::Json::parse(problem_response({.kind = &kInternal, .detail = "the job failed"}).body);
    state = State::failed;
  }
  const Task done = std::exchange(job.task, {});  // what it holds is not needed any more
  const std::scoped_lock lock(mutex_);
  if (job.is_finished()) return;  // cancelled meanwhile
  job.result = std::move(result);
  finish(running_, state);
}

}  // namespace sotto::server
