// The library in a loop on the texts that bench/serve.py sends to the service: processor time of one release
// of one text, with tem at epsilon 2. SOTTO_BENCH_TEXTS=path has a text in each line, SOTTO_BENCH_MODEL and
// SOTTO_BENCH_CACHE give the prepared model; without them a small one.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "sotto/certificate.h"
#include "sotto/release.h"

namespace {

using namespace sotto;

struct Data {
  std::vector<std::string> texts;
  std::shared_ptr<const Model> model;

  Data() {
    if (const char* path = std::getenv("SOTTO_BENCH_TEXTS")) {
      std::ifstream file(path);
      for (std::string line; std::getline(file, line);) texts.push_back(line);
    } else {
      texts.assign(10, "the soup was cold");
    }
    const char* path = std::getenv("SOTTO_BENCH_MODEL");
    const char* cache = std::getenv("SOTTO_BENCH_CACHE");
    model = path != nullptr ? Model::open(path, cache != nullptr ? cache : "")
                            : Model::from_words({"the", "soup", "was", "cold"}, {0, 1, 2, 3}, 1);
  }
};

// As the service does it: one built setting, one call for each text.
void release(benchmark::State& state, const Data& data) {
  api::Release one({.built = build_mechanism("tem", data.model, {{"epsilon", "2"}}), .allow_weak = true});
  std::size_t next = 0;
  for (int i = 0; i < 2'000; ++i) {  // rows of the words are built
    const std::string_view text = data.texts[next++ % data.texts.size()];
    benchmark::DoNotOptimize(one.texts({&text, 1}, {.threads = 1}));
  }
  while (state.KeepRunning()) {
    const std::string_view text = data.texts[next++ % data.texts.size()];
    benchmark::DoNotOptimize(one.texts({&text, 1}, {.threads = 1}));
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const Data data;
  benchmark::RegisterBenchmark("release", [&](benchmark::State& state) {
    release(state, data);
  })->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
