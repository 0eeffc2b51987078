#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/mechanism.h"

namespace sotto::test {

// A mechanism without noise, so that a test can say exactly what comes out.
class FakeWords final : public WordMechanism {
 public:
  explicit FakeWords(std::function<WordId(WordId)> rule) : rule_(std::move(rule)) {}
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& /*rng*/) const override {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = rule_(in[i]);
  }

 private:
  std::function<WordId(WordId)> rule_;
};

inline constexpr MechanismInfo kFakeInfo = {.name = "fake",
                                            .aliases = {},
                                            .title = {},
                                            .paper = {},
                                            .guarantee = {},
                                            .slope = {},
                                            .status = Status::proven,
                                            .caveat = {},
                                            .parameters = {},
                                            .build = nullptr};

// Word i lies at i on a line.
inline std::shared_ptr<const Model> words_model(const std::vector<std::string>& words) {
  std::vector<float> places;
  for (std::size_t i = 0; i < words.size(); ++i) places.push_back(static_cast<float>(i));
  return Model::from_words(words, places, 1);
}

inline Mechanism fake_mechanism(const std::shared_ptr<const Model>& model,
                                std::shared_ptr<const WordMechanism> words) {
  Mechanism mechanism;
  mechanism.info = &kFakeInfo;
  mechanism.space = Space::make(model, Metric::euclidean);
  mechanism.claim = {.status = Status::proven,
                     .epsilon = 2,
                     .guarantee = "2 * Euclidean distance for each word",
                     .caveat = "",
                     .arithmetic = "exact",
                     .largest_word_loss = {}};
  mechanism.words = std::move(words);
  return mechanism;
}

inline Mechanism identity_mechanism(const std::shared_ptr<const Model>& model) {
  return fake_mechanism(model, std::make_shared<FakeWords>([](WordId id) { return id; }));
}

}  // namespace sotto::test
