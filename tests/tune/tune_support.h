#pragma once
// The small question that the tests of tune ask.
#include <functional>

#include "sotto/error.h"
#include "support/models.h"
#include "tune/tune.h"

namespace sotto::test {

inline std::shared_ptr<const Model> tuned_model() {
  return gaussian_model({.words = 40, .dim = 3});
}

inline TuneBench bench_of(const std::shared_ptr<const Model>& model,
                          UtilityLoss loss = UtilityLoss::changed) {
  return {model, {.prior = frequency_rank_prior(*model), .loss = loss, .draws = 4096, .seed = 3}};
}

inline ErrorCode error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

}  // namespace sotto::test
