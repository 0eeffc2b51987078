// The nearest words of 1,024 noisy vectors, on one thread: ours, a plain scan in double, FAISS's IndexFlatL2
// (if it was found), and the bare matrix product that FAISS cannot do without. The answers of FAISS are
// compared with ours first; the program stops if a distance differs by more than float rounding, or if the
// matrix product is not that of OpenBLAS: FAISS with the product of BLIS takes up to three times as long.
// HNSW of FAISS on the first 50,000 words shows why there is no approximate search: where it finds nearly all
// nearest words it takes longer than our exact search of those words (sotto_50k), and elsewhere it misses
// them.
//
// SOTTO_BENCH_MODEL=path.sotto: that model. Otherwise a synthetic mixture of Gaussians, 341,479 x 100.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <thread>

#include "bench_model.h"
#include "core/samplers.h"
#include "mechanisms/noise/noise.h"
#include "neighbours/nearest.h"
#ifdef SOTTO_HAS_FAISS
#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
extern "C" void omp_set_num_threads(int);  // clang-tidy has no omp.h
#endif

// The cblas.h that comes first may be the one of BLIS, which does not declare it.
extern "C" void openblas_set_num_threads(int count);
extern "C" void sgemm_();  // what FAISS calls; its arguments do not matter here

namespace {

using namespace sotto;

constexpr std::size_t kBatch = 1024;
constexpr std::size_t kPlainBatch = 32;  // the plain scan is slow enough to be timed on fewer
constexpr int kEpsilons[] = {5, 10, 20};

struct Data {
  std::shared_ptr<const Model> model;
  std::unique_ptr<NearestWords> nearest;
  std::map<int, std::vector<double>> noisy;  // by epsilon
  std::vector<float> packed;                 // the vectors without padding, as FAISS wants them

  Data() {
    model = bench::open_model();
    nearest = std::make_unique<NearestWords>(*model);
    const NoiseShape shape = NoiseShape::sphere(model->dim());
    Rng rng = Rng::seeded_not_private(2);
    for (const int epsilon : kEpsilons) {
      std::vector<double>& vectors = noisy[epsilon];
      vectors.assign(kBatch * model->stride(), 0.0);
      for (std::size_t q = 0; q < kBatch; ++q) {
        shape.add(model->vector(word_id(q * 7919 % model->size())), epsilon,
                  {vectors.data() + q * model->stride(), model->dim()}, rng);
      }
    }
    for (std::size_t w = 0; w < model->size(); ++w) {
      const auto vector = model->vector(word_id(w));
      packed.insert(packed.end(), vector.begin(), vector.end());
    }
  }
  [[nodiscard]] std::vector<float> packed_queries(int epsilon) const {
    std::vector<float> queries;
    for (std::size_t q = 0; q < kBatch; ++q) {
      for (std::size_t j = 0; j < model->dim(); ++j) {
        queries.push_back(static_cast<float>(noisy.at(epsilon)[q * model->stride() + j]));
      }
    }
    return queries;
  }
};
const Data& data() {
  static const Data value;
  return value;
}

void report(benchmark::State& state, std::size_t vectors) {
  state.counters["us_per_vector"] =
      benchmark::Counter(static_cast<double>(vectors) / 1e6,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void sotto_nearest(benchmark::State& state) {
  const auto& noisy = data().noisy.at(static_cast<int>(state.range(0)));
  const auto k = static_cast<std::size_t>(state.range(1));
  std::vector<Neighbour> found(kBatch * k);
  std::size_t computed = 0;
  while (state.KeepRunning()) computed = data().nearest->find_counting(noisy, k, found);
  report(state, kBatch);
  state.counters["candidates"] = static_cast<double>(computed) / static_cast<double>(kBatch);
}

// What HNSW searches: the words that come first, as many as the default model has.
std::size_t first_words() {
  return std::min<std::size_t>(50000, data().model->size());
}

void sotto_first_words(benchmark::State& state) {
  static const std::shared_ptr<const Model> model =
      bench::part_of(*data().model, first_words(), data().model->dim());
  static const NearestWords nearest(*model);
  const auto& noisy = data().noisy.at(static_cast<int>(state.range(0)));
  const auto k = static_cast<std::size_t>(state.range(1));
  std::vector<Neighbour> found(kBatch * k);
  while (state.KeepRunning()) nearest.find(noisy, k, found);
  report(state, kBatch);
}

// Growth at epsilon 10: on some of the words, on some of the coordinates of a tenth of the words, and on
// several threads at once. 256 vectors for each thread.
constexpr std::size_t kGrowthBatch = 256;
void search_part(benchmark::State& state, std::size_t words, std::size_t dim, std::size_t threads) {
  const std::shared_ptr<const Model> model = bench::part_of(*data().model, words, dim);
  const NearestWords nearest(*model);
  const NoiseShape shape = NoiseShape::sphere(dim);
  Rng rng = Rng::seeded_not_private(3);
  std::vector<double> noisy(kGrowthBatch * model->stride(), 0.0);
  for (std::size_t q = 0; q < kGrowthBatch; ++q) {
    shape.add(model->vector(word_id(q * 7919 % words)), 10, {noisy.data() + q * model->stride(), dim}, rng);
  }
  while (state.KeepRunning()) {
    std::vector<std::jthread> running;
    for (std::size_t t = 1; t < threads; ++t) {
      running.emplace_back([&] {
        std::vector<Neighbour> found(kGrowthBatch);
        nearest.find(noisy, 1, found);
      });
    }
    std::vector<Neighbour> found(kGrowthBatch);
    nearest.find(noisy, 1, found);
  }
  report(state, kGrowthBatch * threads);
}

void plain_scan(benchmark::State& state) {
  const auto& noisy = data().noisy.at(static_cast<int>(state.range(0)));
  const auto k = static_cast<std::size_t>(state.range(1));
  std::vector<Neighbour> found(kPlainBatch * k);
  while (state.KeepRunning()) scan_nearest(*data().model, noisy, k, found);
  report(state, kPlainBatch);
}

void build(benchmark::State& state) {
  while (state.KeepRunning()) benchmark::DoNotOptimize(NearestWords(*data().model));
}

// In blocks of 1,024 words, as FAISS does it: the whole product would be 1.4 GB.
void bare_sgemm(benchmark::State& state) {
  constexpr std::size_t kBlock = 1024;
  const std::vector<float> queries = data().packed_queries(static_cast<int>(state.range(0)));
  const std::size_t dim = data().model->dim();
  std::vector<float> products(kBatch * kBlock);
  while (state.KeepRunning()) {
    for (std::size_t w = 0; w < data().model->size(); w += kBlock) {
      const std::size_t count = std::min(kBlock, data().model->size() - w);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kBatch, static_cast<int>(count),
                  static_cast<int>(dim), 1, queries.data(), static_cast<int>(dim),
                  data().packed.data() + w * dim, static_cast<int>(dim), 0, products.data(), kBlock);
      benchmark::ClobberMemory();
    }
  }
  report(state, kBatch);
}

#ifdef SOTTO_HAS_FAISS
constexpr std::size_t kFaissCount = 2;
struct FaissAnswers {
  std::vector<float> squared = std::vector<float>(kBatch * kFaissCount);
  std::vector<faiss::Index::idx_t> words = std::vector<faiss::Index::idx_t>(kBatch * kFaissCount);
};
const faiss::IndexFlatL2& faiss_index() {
  static const faiss::IndexFlatL2 index = [] {
    faiss::IndexFlatL2 made(static_cast<faiss::Index::idx_t>(data().model->dim()));
    made.add(static_cast<faiss::Index::idx_t>(data().model->size()), data().packed.data());
    return made;
  }();
  return index;
}

void faiss_flat(benchmark::State& state) {
  const std::vector<float> queries = data().packed_queries(static_cast<int>(state.range(0)));
  FaissAnswers found;
  while (state.KeepRunning()) {
    faiss_index().search(kBatch, queries.data(), kFaissCount, found.squared.data(), found.words.data());
  }
  report(state, kBatch);
}

// FAISS adds |q|^2 and |x|^2 and takes away 2 q.x, in floats: its error is some 2^-20 of their sum.
void compare_with_faiss(int epsilon) {
  const std::vector<float> queries = data().packed_queries(epsilon);
  FaissAnswers theirs;
  std::vector<Neighbour> ours(kBatch * kFaissCount);
  faiss_index().search(kBatch, queries.data(), kFaissCount, theirs.squared.data(), theirs.words.data());
  data().nearest->find(data().noisy.at(epsilon), kFaissCount, ours);
  std::size_t other_words = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    double size = 0;
    for (std::size_t j = 0; j < data().model->dim(); ++j) {
      const double value = queries[i / kFaissCount * data().model->dim() + j];
      size += value * value;
    }
    for (const float value : data().model->vector(ours[i].word)) size += static_cast<double>(value) * value;
    if (std::abs(ours[i].squared - static_cast<double>(theirs.squared[i])) > 0x1p-20 * size) {
      fmt::print(stderr, "epsilon {}, vector {}, place {}: our squared distance is {}, that of FAISS {}\n",
                 epsilon, i / kFaissCount, i % kFaissCount, ours[i].squared, theirs.squared[i]);
      std::abort();
    }
    if (index_of(ours[i].word) != static_cast<std::size_t>(theirs.words[i])) ++other_words;
  }
  fmt::print("epsilon {}: {} of {} words differ from those of FAISS (all within float rounding)\n", epsilon,
             other_words, ours.size());
}

// M 16, efConstruction 100.
faiss::IndexHNSWFlat& hnsw_index() {
  static faiss::IndexHNSWFlat index = [] {
    faiss::IndexHNSWFlat made(static_cast<int>(data().model->dim()), 16);
    made.hnsw.efConstruction = 100;
    made.add(static_cast<faiss::Index::idx_t>(first_words()), data().packed.data());
    return made;
  }();
  return index;
}

// The second argument is ef, the width of the search.
void hnsw(benchmark::State& state) {
  faiss::IndexHNSWFlat& index = hnsw_index();
  index.hnsw.efSearch = static_cast<int>(state.range(1));
  const std::vector<float> queries = data().packed_queries(static_cast<int>(state.range(0)));
  const std::size_t dim = data().model->dim();
  std::vector<faiss::Index::idx_t> found(kBatch);
  std::vector<float> distances(kBatch);
  while (state.KeepRunning()) {
    index.search(kBatch, queries.data(), 1, distances.data(), found.data());
  }
  const auto squared = [&](std::size_t q, std::size_t w) {
    double sum = 0;
    for (std::size_t j = 0; j < dim; ++j) {
      const double difference = static_cast<double>(queries[q * dim + j]) - data().packed[w * dim + j];
      sum += difference * difference;
    }
    return sum;
  };
  constexpr std::size_t kChecked = 128;
  double right = 0;
  for (std::size_t q = 0; q < kChecked; ++q) {
    const double ours = squared(q, static_cast<std::size_t>(found[q]));
    bool nearest = true;
    for (std::size_t w = 0; nearest && w < first_words(); ++w) nearest = squared(q, w) >= ours;
    if (nearest) ++right;
  }
  report(state, kBatch);
  state.counters["recall"] = right / kChecked;
}
#endif

void add(const char* name, void (*function)(benchmark::State&), const char* argument,
         std::initializer_list<int> counts) {
  auto* made = benchmark::RegisterBenchmark(name, function);
  made->ArgNames({"epsilon", argument})->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5);
  made->ComputeStatistics(
      "best", [](const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); });
  made->ReportAggregatesOnly();
  for (const int epsilon : kEpsilons) {
    for (const int k : counts) made->Args({epsilon, k});
  }
}

void add_growth() {
  const std::size_t words = data().model->size();
  const std::size_t dim = data().model->dim();
  const auto one = [](const std::string& name, std::size_t n, std::size_t d, std::size_t threads) {
    auto* made = benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State& state) { search_part(state, n, d, threads); });
    made->Unit(benchmark::kMillisecond);
    if (name.starts_with("by_threads")) made->UseRealTime();
  };
  for (const std::size_t share : {100, 30, 10, 3, 1}) {
    one(fmt::format("by_words/{}", words / share), words / share, dim, 1);
  }
  for (const std::size_t share : {4, 2, 1}) {
    one(fmt::format("by_dimension/{}", dim / share), words / 10, dim / share, 1);
  }
  for (std::size_t threads = 1; threads <= std::thread::hardware_concurrency(); ++threads) {
    one(fmt::format("by_threads/{}", threads), words / 10, dim, threads);
  }
}

void check_product_is_of_openblas() {
  for (void* function : {reinterpret_cast<void*>(&sgemm_), reinterpret_cast<void*>(&cblas_sgemm)}) {
    Dl_info found{};
    if (dladdr(function, &found) == 0 ||
        std::string_view(found.dli_fname).find("openblas") == std::string::npos) {
      fmt::print(stderr, "the matrix product is not that of OpenBLAS: the comparison would be unfair\n");
      std::exit(1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  check_product_is_of_openblas();
  openblas_set_num_threads(1);
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("words", fmt::format("{} x {}", data().model->size(), data().model->dim()));
  benchmark::RegisterBenchmark("build", build)->Unit(benchmark::kMillisecond);
#ifdef SOTTO_HAS_FAISS
  omp_set_num_threads(1);
  for (const int epsilon : kEpsilons) compare_with_faiss(epsilon);
  add("faiss_flat", faiss_flat, "k", {2});
#endif
  add("sotto", sotto_nearest, "k", {1, 2});
  add("bare_sgemm", bare_sgemm, "k", {2});
  add("plain_scan", plain_scan, "k", {2});
  add("sotto_50k", sotto_first_words, "k", {1});
#ifdef SOTTO_HAS_FAISS
  add("hnsw_50k", hnsw, "ef", {16, 64, 256});
#endif
  add_growth();
  benchmark::RunSpecifiedBenchmarks();
}
