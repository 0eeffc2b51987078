// The plane of the first two principal components of a few words.
//
// 1. The words' vectors, scaled as the metric scales them, minus their mean, are the rows of A.
// 2. With A A' = sum of l_k u_k u_k', the coordinate of row i along component k is sqrt(l_k) u_k[i]. A A' has
//    one row for each word, which is less than the dimension would cost.
// 3. All points are moved so that the word lies at (0, 0).
#include "api/explain_map.h"

#include <algorithm>
#include <cmath>

#include "mechanisms/privemb/eigenvectors.h"
#include "sotto/adversary.h"

namespace sotto::api {

namespace {

// The word, then its nearest words; of equally near ones the more frequent first.
std::vector<WordId> neighbourhood(const Space& space, WordId word, std::size_t neighbours) {
  std::vector<double> distances(space.size());
  space.distances_from(word, distances);
  std::vector<WordId> others;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (word_id(i) != word) others.push_back(word_id(i));
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(neighbours, others.size()));
  std::ranges::partial_sort(others, others.begin() + kept, {}, [&](WordId other) {
    return std::pair(distances[index_of(other)], index_of(other));
  });
  std::vector<WordId> out = {word};
  out.insert(out.end(), others.begin(), others.begin() + kept);
  return out;
}

// Row after row, each minus the mean of all.
std::vector<double> centred_vectors(const Space& space, const std::vector<WordId>& words) {
  const std::size_t dim = space.model().dim();
  std::vector<double> rows;
  std::vector<double> mean(dim, 0.0);
  for (const WordId word : words) {
    const std::span<const float> vector = space.model().vector(word);
    for (std::size_t j = 0; j < dim; ++j) {
      rows.push_back(space.factor(word) * double{vector[j]});
      mean[j] += rows.back() / static_cast<double>(words.size());
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] -= mean[i % dim];
  return rows;
}

}  // namespace

std::vector<MapPoint> map_around(const Space& space, WordId word, std::size_t neighbours) {
  refuse_above("map", neighbours, kMostOnMap);
  const std::vector<WordId> words = neighbourhood(space, word, neighbours);
  const std::size_t size = words.size();
  const std::size_t dim = space.model().dim();
  const std::vector<double> rows = centred_vectors(space, words);
  std::vector<double> products(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < dim; ++j) sum += rows[i * dim + j] * rows[k * dim + j];
      products[i * size + k] = sum;
    }
  }
  const Eigen eigen = symmetric_eigenvectors(std::move(products), size);
  // The place of word i along a component, seen from the word in the middle.
  const auto along = [&](std::size_t component, std::size_t i) {
    if (component >= size) return 0.0;
    const double* const own = eigen.vectors.data() + component * size;
    return std::sqrt(std::max(0.0, eigen.values[component])) * (own[i] - own[0]);
  };
  std::vector<MapPoint> points;
  for (std::size_t i = 0; i < size; ++i) {
    points.push_back({.word = words[i], .x = along(0, i), .y = along(1, i)});
  }
  return points;
}

}  // namespace sotto::api
