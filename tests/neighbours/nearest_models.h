#pragma once
// Models and queries that are hard on the bounds of the nearest-word search, and its slow definition.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "neighbours/nearest.h"
#include "support/models.h"

namespace sotto::test {

// The fixed order of model/distance_kernels.h, written again.
inline double slow_squared_distance(std::span<const double> query, std::span<const float> word) {
  std::array<double, 16> sums{};
  for (std::size_t j = 0; j < word.size(); ++j) {
    const double difference = query[j] - static_cast<double>(word[j]);
    const double square = difference * difference;
    sums[j % 16] += square;
  }
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

// All words by (distance, index).
inline std::vector<std::pair<double, std::size_t>> slow_row(const Model& model,
                                                            std::span<const double> query) {
  std::vector<std::pair<double, std::size_t>> row;
  for (std::size_t i = 0; i < model.size(); ++i) {
    row.emplace_back(slow_squared_distance(query, model.vector(word_id(i))), i);
  }
  std::sort(row.begin(), row.end());
  return row;
}

using Coordinate = std::function<double(std::size_t word, Rng&)>;
struct HardModel {
  const char* name;
  Coordinate value;
};
inline const std::vector<HardModel>& hard_models() {
  static const std::vector<HardModel> models = {
      {"gaussian", [](std::size_t, Rng& rng) { return gaussian(rng); }},
      {"clustered",
       [](std::size_t word, Rng& rng) { return static_cast<double>(word % 7) + 1e-3 * gaussian(rng); }},
      {"duplicates", [](std::size_t word, Rng&) { return std::sin(static_cast<double>(word % 3)); }},
      {"lattice, symmetric", [](std::size_t, Rng& rng) { return std::round(40 * gaussian(rng)); }},
      {"all words equal", [](std::size_t, Rng&) { return 0.7; }},
      {"all words zero", [](std::size_t, Rng&) { return 0.0; }},
      {"one word not zero", [](std::size_t word, Rng&) { return word == 5 ? 1.0 : 0.0; }},
      {"huge", [](std::size_t, Rng& rng) { return 1e37 * gaussian(rng); }},
      {"denormal", [](std::size_t, Rng& rng) { return 1e-43 * gaussian(rng); }},
      {"far from the origin", [](std::size_t, Rng& rng) { return 1e4 + gaussian(rng); }},
      {"one outlier", [](std::size_t word, Rng& rng) { return (word == 9 ? 1e5 : 1) * gaussian(rng); }},
      {"scales 1 to 1e-6",
       [](std::size_t word, Rng& rng) { return std::pow(10.0, -double(word % 7)) * gaussian(rng); }},
      {"one word huge", [](std::size_t word, Rng& rng) { return (word == 1 ? 1e30 : 1e-3) * gaussian(rng); }},
  };
  return models;
}
inline std::shared_ptr<const Model> make_model(const HardModel& kind, std::size_t words, std::size_t dim) {
  Rng rng = Rng::seeded_not_private(words * 1000 + dim);
  std::vector<std::string> names;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < words; ++i) {
    names.push_back("w" + std::to_string(i));
    for (std::size_t j = 0; j < dim; ++j) vectors.push_back(static_cast<float>(kind.value(i, rng)));
  }
  return Model::from_words(names, vectors, dim);
}

// Queries of a model: at words, between words, at the origin, near, far, and farther than bytes go.
inline std::vector<double> hard_queries(const Model& model, std::size_t count) {
  constexpr std::array<double, 10> kFar = {0, 1e-12, 0.1, 1, 10, 1e3, 1e6, 1e14, 1e17, 1e45};
  Rng rng = Rng::seeded_not_private(count + model.dim());
  double largest = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const float value : model.vector(word_id(i))) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
  }
  std::vector<double> queries(count * model.stride(), 0.0);
  for (std::size_t q = 0; q < count; ++q) {
    if (q % 9 == 5) continue;  // the origin
    const std::size_t words = std::max<std::size_t>(model.size(), 1);
    const auto word = model.vector(word_id(q * 31 % words));
    const auto other = model.vector(word_id(q * 17 % words));
    for (std::size_t j = 0; j < model.dim(); ++j) {
      const double start = q % 3 == 0 ? word[j] : 0.5 * word[j] + 0.5 * other[j];
      queries[q * model.stride() + j] = start + kFar[q % kFar.size()] * largest * gaussian(rng);
    }
  }
  return queries;
}

}  // namespace sotto::test
