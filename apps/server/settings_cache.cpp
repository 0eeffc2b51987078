#include "server/settings_cache.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "server/problem.h"
#include "sotto/error.h"

namespace sotto::server {

namespace {

// Parts with their lengths, so that no two settings have one key.
std::string key_of(const Setting& setting, const PrivatizerOptions& texts) {
  std::string key;
  const auto add = [&](std::string_view part) {
    key += std::to_string(part.size());
    key += ':';
    key += part;
  };
  add(setting.info->name);
  for (const auto& [name, value] : setting.parameters.texts()) {
    add(name);
    add(value);
  }
  add(texts.strip_html ? "strip" : "keep");
  add(texts.anchor);
  return key;
}

}  // namespace

std::shared_ptr<ReadySetting> SettingsCache::known(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->second;
}

std::shared_ptr<ReadySetting> SettingsCache::build(const Setting& setting,
                                                   const PrivatizerOptions& texts) const {
  try {
    auto ready = std::make_shared<ReadySetting>();
    ready->built = build_mechanism(setting, model_);
    // The check of weak settings belongs to the request, which may allow them.
    ready->release = std::make_unique<api::Release>(
        api::ReleaseRequest{.built = ready->built, .texts = texts, .allow_weak = true});
    const api::ReleaseAnswer promise = ready->release->promise({});
    ready->promise = api::to_json(promise);
    ready->strength = promise.strength();
    ready->status = promise.status();
    return ready;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage && error.code() != ErrorCode::bad_data) throw;
    // The message may repeat a word of the request.
    throw Problem{.kind = &kField,
                  .detail = texts.anchor.empty()
                                ? "the mechanism and its `parameters` do not fit this model"
                                : "`options.unknown_word` must be a word of the model, and the mechanism's "
                                  "`parameters` must fit the model"};
  }
}

std::shared_ptr<ReadySetting> SettingsCache::find(const Setting& setting, const PrivatizerOptions& texts) {
  const std::string key = key_of(setting, texts);
  std::unique_lock lock(mutex_);
  if (auto ready = known(key)) return ready;
  if (!was_built_.wait_for(lock, limits_.patience, [&] { return !is_building_; })) {
    throw Problem{.kind = &kUnavailable, .detail = "another setting is being prepared; try again"};
  }
  if (auto ready = known(key)) return ready;  // built while this request waited
  is_building_ = true;
  lock.unlock();
  std::shared_ptr<ReadySetting> ready;
  std::exception_ptr fault;
  try {
    ready = build(setting, texts);
  } catch (...) {
    fault = std::current_exception();
  }
  lock.lock();
  is_building_ = false;
  was_built_.notify_all();
  if (fault) std::rethrow_exception(fault);
  recent_.emplace_front(key, ready);
  by_key_[key] = recent_.begin();
  if (recent_.size() > limits_.most) {
    by_key_.erase(recent_.back().first);
    recent_.pop_back();
  }
  return ready;
}

}  // namespace sotto::server
