#include "measure/distance_adversary.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "certify/all_pairs.h"
#include "core/parallel.h"
#include "measure/law_kernels.h"

namespace sotto {
namespace {

constexpr std::size_t kGuesses = 32;  // that share one read of the columns

// What a block of guesses contributes to each column.
struct Part {
  std::vector<double> best;
  std::vector<double> posterior;
};

Part part_of(const AllPairs& pairs, const PosteriorColumns& columns, std::size_t begin, std::size_t end) {
  const std::size_t words = columns.words.size();
  std::vector<std::size_t> rows;
  for (std::size_t g = begin; g < end; ++g) rows.push_back(pairs.row(columns.words[g]));
  // Guesses that fill up the block have distance 0 to all words, and are not looked at.
  std::vector<double> distances(kGuesses * words, 0.0);
  pairs.visit_rows(rows, {.threads = 1}, [&](std::size_t g, std::span<const double> row) {
    for (std::size_t w = 0; w < words; ++w) distances[g * words + w] = row[pairs.row(columns.words[w])];
  });
  std::vector<double> losses(kGuesses * columns.stride, 0.0);
  add_products({.guesses = kGuesses,
                .words = words,
                .columns = columns.stride,
                .distances = distances.data(),
                .values = columns.values.data(),
                .losses = losses.data()});
  Part part{.best = std::vector<double>(columns.count, std::numeric_limits<double>::infinity()),
            .posterior = std::vector<double>(columns.count, 0.0)};
  for (std::size_t g = begin; g < end; ++g) {
    const double* const own = columns.values.data() + g * columns.stride;
    const double* const loss = losses.data() + (g - begin) * columns.stride;
    for (std::size_t c = 0; c < columns.count; ++c) {
      part.best[c] = std::min(part.best[c], loss[c]);
      part.posterior[c] += own[c] * loss[c];
    }
  }
  return part;
}

}  // namespace

std::vector<DistanceErrors> distance_errors(const std::shared_ptr<const Space>& space,
                                            const PosteriorColumns& columns, const Work& work) {
  const AllPairs pairs(space);
  const std::size_t words = columns.words.size();
  std::vector<Part> parts((words + kGuesses - 1) / kGuesses);
  std::mutex mutex;
  std::size_t done = 0;
  parallel_blocks(words, kGuesses, work.threads, [&](std::size_t begin, std::size_t end) {
    parts[begin / kGuesses] = part_of(pairs, columns, begin, end);
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
