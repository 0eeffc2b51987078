// From bytes to tokens, words and text again: nanoseconds a token, one thread. SOTTO_BENCH_TEXT=path.txt is
// the text, SOTTO_BENCH_MODEL the model; without them a line that repeats and a small model of its words.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "mechanisms/build.h"
#include "sotto/privatizer.h"
#include "text/icu_words.h"
#include "text/lookup.h"
#include "text/words.h"

namespace {

using namespace sotto;

constexpr std::size_t kLines = 2000;

struct Data {
  std::vector<std::string> lines;
  std::vector<std::string_view> views;
  std::vector<std::string> tokens;
  std::shared_ptr<const Model> model;

  Data() {
    if (const char* path = std::getenv("SOTTO_BENCH_TEXT")) {
      std::ifstream file(path);
      for (std::string line; lines.size() < kLines && std::getline(file, line);) lines.push_back(line);
    } else {
      lines.assign(kLines, "The soup was cold, but the waiter was kind; we won't come again.");
    }
    views.assign(lines.begin(), lines.end());
    WordBreaker breaker;
    std::vector<Token> found;
    for (const std::string& line : lines) {
      found.clear();
      breaker.split(line, found);
      for (const Token& token : found) tokens.push_back(line.substr(token.begin, token.end - token.begin));
    }
    const char* path = std::getenv("SOTTO_BENCH_MODEL");
    model = path != nullptr ? Model::open(path)
                            : Model::from_words({"the", "soup", "was", "cold"}, {0, 1, 2, 3}, 1);
  }
};

void report(benchmark::State& state, std::size_t tokens) {
  state.counters["ns_per_token"] =
      benchmark::Counter(static_cast<double>(tokens) / 1e9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// `split(line, tokens)` appends the tokens of a line.
template <class Split>
void time_split(benchmark::State& state, const Data& data, const Split& split) {
  std::vector<Token> found;
  while (state.KeepRunning()) {
    for (const std::string& line : data.lines) {
      found.clear();
      split(line, found);
      benchmark::DoNotOptimize(found.data());
    }
  }
  report(state, data.tokens.size());
}

void split(benchmark::State& state, const Data& data) {
  WordBreaker breaker;
  time_split(state, data, [&](const std::string& line, auto& found) { breaker.split(line, found); });
}

void split_by_icu(benchmark::State& state, const Data& data) {
  IcuWords icu;
  time_split(state, data, [&](const std::string& line, auto& found) { icu.split(line, 0, found); });
}

void find(benchmark::State& state, const Data& data) {
  const Lookup lookup(data.model);
  while (state.KeepRunning()) {
    for (const std::string& token : data.tokens) benchmark::DoNotOptimize(lookup.find(token));
  }
  report(state, data.tokens.size());
}

// With a mechanism that does nothing: what everything around it costs.
void whole(benchmark::State& state, const Data& data) {
  const Privatizer privatizer(build_uncertified("identity", data.model, {}), {});
  Rng rng = Rng::fresh();
  std::vector<std::string> out;
  while (state.KeepRunning()) {
    TextCounts counts;
    privatizer.privatize(data.views, rng, out, counts);
    benchmark::DoNotOptimize(out.data());
  }
  report(state, data.tokens.size());
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const Data data;
  const auto add = [&](const char* name, void (*run)(benchmark::State&, const Data&)) {
    benchmark::RegisterBenchmark(name, [run, &data](benchmark::State& state) { run(state, data); });
  };
  add("split into tokens", split);
  add("split into tokens, ICU alone", split_by_icu);
  add("fold and look up", find);
  add("privatize with `identity`", whole);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
