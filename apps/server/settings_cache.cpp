#include "server/settings_cache.h"

#include <utility>
#include <vector>

#include "server/problem.h"
#include "server/vectors.h"
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

// Draws and releases words of the public model; nothing of it is kept.
ReleaseCost cost_of(const Privatizer& privatizer) {
  const Mechanism& mechanism = privatizer.mechanism();
  const Model& model = mechanism.space->model();
  Rng rng = Rng::fresh();
  std::vector<WordId> in;
  std::vector<WordId> out;
  return measure_cost({.words = model.size(),
                       .draw =
                           [&](WordId word, std::size_t draws) {
                             in.assign(draws, word);
                             out.resize(draws);
                             mechanism.words->sample_batch(in, out, rng);
                           },
                       .release =
                           [&](WordId word, PublicSize size) {
                             std::string text;
                             for (std::size_t i = 0; i < size.tokens / size.texts; ++i)
                               text += std::string(model.word(word)) + ' ';
                             (void)privatizer.privatize(std::vector<std::string>(size.texts, text));
                           },
                       .used = thread_time});
}

}  // namespace

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
    if (cost_ == Cost::measured) ready->time.cost = cost_of(promise.privatizer);
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
  return ready_.find(key_of(setting, texts), [&] { return build(setting, texts); });
}

std::shared_ptr<ReadyVectors> SettingsCache::find_vectors(const Setting& setting, std::size_t columns) {
  return vectors_.find(std::to_string(columns) + key_of(setting, {}), [&] {
    try {
      VectorInput input{.dim = columns};
      if (columns == model_->dim()) input.model = model_;
      auto ready = std::make_shared<ReadyVectors>();
      ready->release = std::make_unique<api::VectorRelease>(
          api::VectorsRequest{.mechanism = build_vector_mechanism(setting, input), .model = input.model});
      if (cost_ == Cost::measured) ready->time.cost = vectors_cost(*ready->release, columns);
      return ready;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage && error.code() != ErrorCode::bad_data) throw;
      throw Problem{.kind = &kField, .detail = "the `parameters` do not fit vectors of this length"};
    }
  });
}

std::shared_ptr<api::Guesser> SettingsCache::find_guesser(const Setting& setting) {
  const std::shared_ptr<ReadySetting> ready = find(setting, {});
  return guessers_.find(key_of(setting, {}), [&] {
    try {
      return std::make_shared<api::Guesser>(ready->built.mechanism, Work{});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage) throw;
      throw Problem{.kind = &kField,
                    .detail = "`mechanism` must be one whose law has a closed form; tem has one"};
    }
  });
}

}  // namespace sotto::server
