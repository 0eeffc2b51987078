#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/guess.h"
#include "api/vectors.h"
#include "server/build_cache.h"
#include "server/padding.h"
#include "sotto/release.h"

namespace sotto::server {

// What releases with a setting wait for.
struct ReleaseTime {
  std::optional<ReleaseCost> cost = {};  // empty: answers are not padded

  // What a release of this size waits for a multiple of; empty: it does not wait.
  [[nodiscard]] std::optional<Clock::duration> quantum(PublicSize size) const {
    if (!cost) return std::nullopt;
    return quantum_of(*cost, size);
  }
};

// A setting that is ready for use: built, with its forecast. What is promised is computed from public data
// alone, so keeping it says nothing about anybody's text.
struct ReadySetting {
  CertifiedMechanism built;
  std::unique_ptr<api::Release> release;
  api::Json promise;  // to_json() of the answer before any text
  Strength strength = Strength::ok;
  Status status = Status::not_private;
  ReleaseTime time = {};
};

// The same for vectors of one length. A row is what a token is for texts.
struct ReadyVectors {
  std::unique_ptr<api::VectorRelease> release;
  ReleaseTime time = {};
};

// The settings that were used last. Building one takes from milliseconds to, with a calibration, minutes.
class SettingsCache {
 public:
  // Whether the time of releases is measured for padding when a setting is built.
  enum class Cost { ignored, measured };
  SettingsCache(std::shared_ptr<const Model> model, Cost cost) : model_(std::move(model)), cost_(cost) {}

  // Both throw Problem(422) if the model and the parameters do not fit, Problem(503) if another setting is
  // being built for longer than a request waits.
  std::shared_ptr<ReadySetting> find(const Setting& setting, const PrivatizerOptions& texts);
  // The best guesses of outputs. Problem(422) also if the law of the mechanism has no closed form.
  std::shared_ptr<api::Guesser> find_guesser(const Setting& setting);
  // A release of free vectors with `columns` values. The model's vectors are the public ones that a
  // projection may be made from, if they have as many.
  std::shared_ptr<ReadyVectors> find_vectors(const Setting& setting, std::size_t columns);

 private:
  [[nodiscard]] std::shared_ptr<ReadySetting> build(const Setting& setting,
                                                    const PrivatizerOptions& texts) const;

  const std::shared_ptr<const Model> model_;
  const Cost cost_;
  BuildCache<ReadySetting> ready_{{}};
  // Each holds a second copy of the model's vectors, in doubles.
  BuildCache<api::Guesser> guessers_{{.most = 4}};
  BuildCache<ReadyVectors> vectors_{{.most = 16}};
};

}  // namespace sotto::server
