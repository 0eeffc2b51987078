// Random bits and what is made of them: nanoseconds each, one thread.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/samplers.h"
#include "core/uniform.h"

namespace {

using namespace sotto;

template <typename Draw>
void draws(benchmark::State& state, const Draw& draw) {
  Rng rng = Rng::fresh();
  while (state.KeepRunning()) benchmark::DoNotOptimize(draw(rng));
}

std::vector<double> running_sums(std::size_t items) {
  std::vector<double> sums(items);
  for (std::size_t i = 0; i < items; ++i) sums[i] = std::exp(-0.05 * static_cast<double>(items - i));
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  return sums;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto add = [](const char* name, const auto& draw) {
    benchmark::RegisterBenchmark(name, [draw](benchmark::State& state) { draws(state, draw); });
  };
  add("bits (AES-256-CTR, 64 of them)", [](Rng& rng) { return rng.bits(); });
  add("bernoulli", [](Rng& rng) { return bernoulli(rng, 0.3); });
  add("uniform_below 321,255", [](Rng& rng) { return uniform_below(rng, 321255); });
  add("choose_by_sums, 384 items",
      [sums = running_sums(384)](Rng& rng) { return choose_by_sums(rng, sums); });
  add("uniform_open", [](Rng& rng) { return uniform_open(rng); });
  add("exponential", [](Rng& rng) { return exponential(rng); });
  add("gaussian", [](Rng& rng) { return gaussian(rng); });
  add("gamma, shape 100", [](Rng& rng) { return gamma(rng, 100); });
  add("unit_sphere, 100 dimensions", [](Rng& rng) {
    std::array<double, 100> out;
    unit_sphere(rng, out);
    return out[0];
  });
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
