#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "sotto/release.h"

namespace sotto::server {

// A setting that is ready for use: built, with its forecast. What is promised is computed from public data
// alone, so keeping it says nothing about anybody's text.
struct ReadySetting {
  CertifiedMechanism built;
  std::unique_ptr<api::Release> release;
  api::Json promise;  // to_json() of the answer before any text
  Strength strength = Strength::ok;
  Status status = Status::not_private;
};

// The settings that were used last. Building one takes from milliseconds to, with a calibration, minutes, so
// one is built at a time, and other requests for new settings wait only for a short time: somebody who asks
// for a new epsilon each time cannot occupy all workers. Settings that are ready are not held up.
class SettingsCache {
 public:
  struct Limits {
    std::size_t most = 64;  // settings kept
    std::chrono::milliseconds patience = std::chrono::seconds(2);
  };
  SettingsCache(std::shared_ptr<const Model> model, Limits limits)
      : model_(std::move(model)), limits_(limits) {}

  // Throws Problem(422) if the model and the parameters do not fit, Problem(503) if another setting is being
  // built for longer than `patience`.
  std::shared_ptr<ReadySetting> find(const Setting& setting, const PrivatizerOptions& texts);

 private:
  using Entry = std::pair<std::string, std::shared_ptr<ReadySetting>>;
  std::shared_ptr<ReadySetting> known(const std::string& key);  // mutex_ is held
  [[nodiscard]] std::shared_ptr<ReadySetting> build(const Setting& setting,
                                                    const PrivatizerOptions& texts) const;

  const std::shared_ptr<const Model> model_;
  const Limits limits_;
  std::mutex mutex_;                   // of what is below
  std::condition_variable was_built_;  // is_building_ became false
  bool is_building_ = false;           // one request builds a setting, without the mutex
  std::list<Entry> recent_;            // the last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
};

}  // namespace sotto::server
