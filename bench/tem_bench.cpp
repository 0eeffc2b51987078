// tem: one draw, one thread. The tokens of a text in their order, words drawn log-uniformly from the 20,000
// most frequent, and the O(n) row that a plain implementation builds for each token. Rows are built before
// the clock starts: their cost is `build`, a figure of its own.
//
// SOTTO_BENCH_MODEL=path.sotto: that model (with SOTTO_BENCH_CACHE, what `sotto model prepare` left for it).
// SOTTO_BENCH_TEXT=path.txt: the text. Without them, a synthetic model and Zipf-distributed words.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <string>

#include "bench_model.h"
#include "core/parallel.h"
#include "core/samplers.h"
#include "core/uniform.h"
#include "mechanisms/tem/tem.h"
#include "neighbours/neighbourhoods.h"
#include "text/lookup.h"
#include "text/words.h"

namespace {

using namespace sotto;

constexpr std::size_t kBatch = 4096;
constexpr std::size_t kTextTokens = 6'000'000;
constexpr std::size_t kDrawnWords = 1'000'000;
constexpr int kTenths[] = {5, 10, 20, 30, 40, 50, 80, 100};  // epsilon * 10

std::vector<WordId> text_tokens(const std::shared_ptr<const Model>& model) {
  std::vector<WordId> tokens;
  if (const char* path = std::getenv("SOTTO_BENCH_TEXT")) {
    const Lookup lookup(model);
    const WordId anchor = default_anchor(*model);
    WordBreaker breaker;
    std::ifstream file(path);
    std::vector<Token> found;
    for (std::string line; tokens.size() < kTextTokens && std::getline(file, line);) {
      found.clear();
      breaker.split(line, found);
      for (const Token& token : found) {
        tokens.push_back(lookup.find(std::string_view(line).substr(token.begin, token.end - token.begin))
                             .value_or(anchor));
      }
    }
    return tokens;
  }
  std::vector<double> sums = rank_prior(*model);
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  Rng rng = Rng::seeded_not_private(5);
  for (std::size_t i = 0; i < kTextTokens / 4; ++i) tokens.push_back(word_id(choose_by_sums(rng, sums)));
  return tokens;
}

std::vector<WordId> log_uniform_words(std::size_t words) {
  Rng rng = Rng::seeded_not_private(6);
  const double top = static_cast<double>(std::min<std::size_t>(words, 20000));
  std::vector<WordId> drawn(kDrawnWords);
  for (WordId& word : drawn) word = word_id(static_cast<std::size_t>(std::pow(top, uniform_open(rng))) - 1);
  return drawn;
}

struct Data {
  std::shared_ptr<const Space> space;
  std::vector<WordId> text;  // of the whole model only
  std::vector<WordId> words;

  explicit Data(const std::shared_ptr<const Model>& model)
      : space(Space::make(model, Metric::euclidean)), words(log_uniform_words(model->size())) {}
};

ExponentialLaw law_at(double epsilon, std::size_t words) {
  return {.slope = epsilon / 2,
          .gamma = 2 / epsilon * std::log(0.999 * static_cast<double>(words - 1) / 0.001),
          .base_weights = {}};
}

void warm(const Tem& tem, std::vector<WordId> words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  parallel_blocks(words.size(), 192, 0, [&](std::size_t begin, std::size_t end) {
    std::vector<WordId> out(end - begin);
    Rng rng = Rng::seeded_not_private(7, begin);
    tem.sample_batch(std::span(words).subspan(begin, end - begin), out, rng);
  });
  // And what is made only after many draws.
  const std::vector<WordId> in(100'000, words.front());
  std::vector<WordId> out(in.size());
  Rng rng = Rng::seeded_not_private(11);
  tem.sample_batch(in, out, rng);
}

// The mean over the whole list in each iteration: `real_time` per draw is the figure.
void draw(benchmark::State& state, const Data& data, const std::vector<WordId>& in) {
  const Tem tem(data.space, law_at(static_cast<double>(state.range(0)) / 10, data.space->size()));
  warm(tem, in);
  std::vector<WordId> out(kBatch);
  Rng rng = Rng::seeded_not_private(8);
  while (state.KeepRunning()) {
    for (std::size_t begin = 0; begin < in.size(); begin += kBatch) {
      const std::size_t count = std::min(kBatch, in.size() - begin);
      tem.sample_batch(std::span(in).subspan(begin, count), std::span(out).first(count), rng);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(in.size()));
  state.counters["us_per_draw"] =
      benchmark::Counter(static_cast<double>(in.size()) / 1e6,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// What a plain implementation does for each token: all distances, all weights, one choice.
void whole_row(benchmark::State& state, const Data& data) {
  const std::size_t n = data.space->size();
  const ExponentialLaw law = law_at(2, n);
  std::vector<double> row(n);
  Rng rng = Rng::seeded_not_private(9);
  std::size_t token = 0;
  while (state.KeepRunning()) {
    data.space->distances_from(data.text[token++ % data.text.size()], row);
    double sum = 0;
    for (double& value : row) value = sum += std::exp(-law.slope * std::min(value, law.gamma));
    benchmark::DoNotOptimize(choose_by_sums(rng, row));
  }
  state.counters["us_per_draw"] =
      benchmark::Counter(1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// What a word costs when it first occurs and was not prepared, in batches as the pipeline makes them.
void build_rows(benchmark::State& state, const Data& data) {
  std::size_t first = 0;
  const std::size_t count = 480;
  std::vector<WordId> in(count);
  std::vector<WordId> out(count);
  Rng rng = Rng::seeded_not_private(10);
  const auto unprepared = Space::make(data.space->shared_model(), Metric::euclidean);
  while (state.KeepRunning()) {
    state.PauseTiming();
    const Neighbourhoods neighbourhoods(unprepared, Clusters::make(unprepared->model(), 0));
    std::vector<std::uint64_t> records(count * neighbourhoods.layout().record_size());
    for (std::size_t i = 0; i < count; ++i) in[i] = word_id((first + i * 37) % data.space->size());
    neighbourhoods.build(std::span(in).first(1),
                         std::span(records).first(neighbourhoods.layout().record_size()));
    ++first;
    state.ResumeTiming();
    neighbourhoods.build(in, records);
  }
  state.counters["us_per_word"] =
      benchmark::Counter(static_cast<double>(count) / 1e6,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void register_draws(const std::string& name, const Data& data, const std::vector<WordId>& in, int tenths) {
  benchmark::RegisterBenchmark(name.c_str(), draw, data, in)
      ->Arg(tenths)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

void register_all(const Data& data) {
  for (const int tenths : kTenths) register_draws("tem/words", data, data.words, tenths);
  for (const int tenths : {20, 100}) register_draws("tem/text", data, data.text, tenths);
  benchmark::RegisterBenchmark("tem/whole_row", whole_row, data)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("tem/build", build_rows, data)->Unit(benchmark::kMillisecond)->Iterations(2);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto model = bench::open_model();
  Data whole(model);
  whole.text = text_tokens(model);
  register_all(whole);
  // Growth with the vocabulary and with the dimension, at epsilon 2.
  std::vector<std::unique_ptr<const Data>> grown;
  for (const std::size_t words :
       {model->size() / 100, model->size() / 30, model->size() / 10, model->size() / 3}) {
    grown.push_back(std::make_unique<const Data>(bench::part_of(*model, words, model->dim())));
    register_draws("tem/by_words/" + std::to_string(words), *grown.back(), grown.back()->words, 20);
  }
  for (const std::size_t dim : {model->dim() / 4, model->dim() / 2}) {
    grown.push_back(std::make_unique<const Data>(bench::part_of(*model, model->size() / 10, dim)));
    register_draws("tem/by_dimension/" + std::to_string(dim), *grown.back(), grown.back()->words, 20);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
