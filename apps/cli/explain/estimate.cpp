#include "cli/explain/estimate.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/parallel.h"
#include "sotto/rng.h"

namespace sotto::cli {

namespace {

constexpr std::size_t kBlock = 64;

// A draw without a closed form costs about words * dimension operations.
std::size_t affordable_draws(const Model& model) {
  constexpr double kOperations = 1e10;
  const double row = static_cast<double>(model.size()) * static_cast<double>(model.dim());
  return static_cast<std::size_t>(std::clamp(kOperations / row, 1'000.0, 100'000.0));
}

std::vector<std::size_t> count_outputs(const Mechanism& mechanism, WordId word, std::size_t draws) {
  std::vector<std::atomic<std::size_t>> hits(mechanism.space->size());
  const RandomSource random = RandomSource::fresh();
  parallel_blocks(draws, kBlock, 0, [&](std::size_t begin, std::size_t end) {
    Rng rng = random.stream(begin / kBlock);
    const std::vector<WordId> in(end - begin, word);
    std::vector<WordId> out(in.size());
    mechanism.words->sample_batch(in, out, rng);
    for (const WordId id : out) ++hits[index_of(id)];
  });
  return {hits.begin(), hits.end()};
}

}  // namespace

Interval wilson(std::size_t hits, std::size_t draws) {
  constexpr double kZ = 1.959963984540054;  // the 97.5% point of the normal distribution
  const double n = static_cast<double>(draws);
  const double p = static_cast<double>(hits) / n;
  const double centre = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half = kZ / (1 + kZ * kZ / n) * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  // The ends at 0 and 1 are exact; rounding must not move them.
  return {hits == 0 ? 0.0 : std::max(0.0, centre - half), hits == draws ? 1.0 : std::min(1.0, centre + half)};
}

Law law_of(const Mechanism& mechanism, WordId word, std::size_t draws) {
  Law law;
  law.outputs.resize(mechanism.space->size());
  for (std::size_t i = 0; i < law.outputs.size(); ++i) law.outputs[i].word = word_id(i);
  if (const auto exact = mechanism.words->log_law(word)) {
    for (Output& output : law.outputs) {
      output.p = output.low = output.high = std::exp((*exact)[index_of(output.word)]);
    }
  } else {
    law.draws = draws > 0 ? draws : affordable_draws(mechanism.space->model());
    const std::vector<std::size_t> hits = count_outputs(mechanism, word, law.draws);
    for (Output& output : law.outputs) {
      const std::size_t count = hits[index_of(output.word)];
      const Interval interval = wilson(count, law.draws);
      output.p = static_cast<double>(count) / static_cast<double>(law.draws);
      output.low = interval.low;
      output.high = interval.high;
    }
  }
  std::ranges::stable_sort(law.outputs, std::greater<>(), &Output::p);
  return law;
}

}  // namespace sotto::cli
