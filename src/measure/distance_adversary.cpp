#include "measure/distance_adversary.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "core/parallel.h"

namespace sotto {
namespace {

constexpr std::size_t kGuesses = 32;  // that share one read of the columns
constexpr std::size_t kColumns = 64;  // whose sums stay in the first-level cache

// Expected losses of a few guesses for a few columns: losses[g][c] = sum_w distances[g][w] values[w][c].
// The inner loop runs over columns, so that it vectorises without changing the order of any sum.
void add_products(const PosteriorColumns& columns, std::size_t first, std::size_t width,
                  const std::vector<std::vector<double>>& distances, std::vector<double>& losses) {
  std::fill(losses.begin(), losses.end(), 0.0);
  for (std::size_t w = 0; w < columns.words.size(); ++w) {
    const double* value = columns.values.data() + w * columns.count + first;
    for (std::size_t g = 0; g < distances.size(); ++g) {
      const double distance = distances[g][w];
      double* loss = losses.data() + g * kColumns;
      for (std::size_t c = 0; c < width; ++c) loss[c] += distance * value[c];
    }
  }
}

// What a block of guesses contributes to each column.
struct Part {
  std::vector<double> best;
  std::vector<double> posterior;
};

Part part_of(const Space& space, const PosteriorColumns& columns, std::size_t begin, std::size_t end) {
  const std::size_t words = columns.words.size();
  std::vector<double> row(space.size());
  std::vector<std::vector<double>> distances(end - begin, std::vector<double>(words));
  for (std::size_t g = begin; g < end; ++g) {
    space.distances_from(columns.words[g], row);
    for (std::size_t w = 0; w < words; ++w) distances[g - begin][w] = row[index_of(columns.words[w])];
  }
  Part part{.best = std::vector<double>(columns.count, std::numeric_limits<double>::infinity()),
            .posterior = std::vector<double>(columns.count, 0.0)};
  std::vector<double> losses(kGuesses * kColumns);
  for (std::size_t first = 0; first < columns.count; first += kColumns) {
    const std::size_t width = std::min(kColumns, columns.count - first);
    add_products(columns, first, width, distances, losses);
    for (std::size_t g = begin; g < end; ++g) {
      const double* own = columns.values.data() + g * columns.count + first;
      for (std::size_t c = 0; c < width; ++c) {
        const double loss = losses[(g - begin) * kColumns + c];
        part.best[first + c] = std::min(part.best[first + c], loss);
        part.posterior[first + c] += own[c] * loss;
      }
    }
  }
  return part;
}

}  // namespace

std::vector<DistanceErrors> distance_errors(const Space& space, const PosteriorColumns& columns,
                                            const Work& work) {
  const std::size_t words = columns.words.size();
  std::vector<Part> parts((words + kGuesses - 1) / kGuesses);
  std::mutex mutex;
  std::size_t done = 0;
  parallel_blocks(words, kGuesses, work.threads, [&](std::size_t begin, std::size_t end) {
    parts[begin / kGuesses] = part_of(space, columns, begin, end);
    const std::scoped_lock lock(mutex);
    done += end - begin;
    if (work.progress) work.progress({.done = done, .total = words, .unit = "guesses"});
  });
  std::vector<DistanceErrors> errors(columns.count, {.best = std::numeric_limits<double>::infinity()});
  for (const Part& part : parts) {
    for (std::size_t c = 0; c < columns.count; ++c) {
      errors[c].best = std::min(errors[c].best, part.best[c]);
      errors[c].posterior += part.posterior[c];
    }
  }
  return errors;
}

}  // namespace sotto
