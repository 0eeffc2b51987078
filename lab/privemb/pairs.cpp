#include "lab/privemb/pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/uniform.h"

namespace sotto::lab {

namespace {

constexpr std::size_t kSide = 100;

double inner(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double distance(std::span<const double> a, std::span<const double> b) {
  double squares = 0;
  for (std::size_t j = 0; j < a.size(); ++j) squares += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(squares);
}

struct Products {
  std::vector<double> distances;
  std::vector<double> inner_products;
};

Products products_of(const VectorPairs& pairs) {
  Products out;
  for (std::size_t i = 0; i < pairs.left.size(); i += pairs.dim) {
    for (std::size_t k = 0; k < pairs.right.size(); k += pairs.dim) {
      const auto a = pairs.left.subspan(i, pairs.dim);
      const auto b = pairs.right.subspan(k, pairs.dim);
      out.distances.push_back(distance(a, b));
      out.inner_products.push_back(inner(a, b));
    }
  }
  return out;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double correlation(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

PairFigures figures_of(std::vector<double> errors) {
  PairFigures out{.mean = mean_of(errors)};
  double squares = 0;
  for (const double error : errors) squares += (error - out.mean) * (error - out.mean);
  out.deviation = std::sqrt(squares / static_cast<double>(errors.size() - 1));
  std::ranges::sort(errors);
  out.low = errors[errors.size() / 20];
  out.high = errors[errors.size() - 1 - errors.size() / 20];
  return out;
}

// Both sides of the pairs, drawn without replacement from the whole vocabulary.
std::vector<WordId> pair_words(const PrivembLab& lab) {
  const Model& model = *lab.store.model();
  Rng rng = Rng::seeded_not_private(lab.run.seed_of({"pairs"}));
  std::vector<WordId> all(model.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = word_id(i);
  const std::size_t count = std::min(2 * kSide, all.size());
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + uniform_below(rng, all.size() - i)]);
  all.resize(count);
  return all;
}

Points::Row row_of(const std::vector<std::string>& keys, std::size_t dimension, const PairFigures& figures) {
  return {keys,
          {static_cast<double>(dimension), figures.mean, figures.deviation, figures.low, figures.high,
           figures.correlation}};
}

}  // namespace

PairComparison compare_pairs(const VectorPairs& original, const VectorPairs& released) {
  const Products truth = products_of(original);
  const Products seen = products_of(released);
  std::vector<double> distances;
  std::vector<double> inner_products;
  for (std::size_t i = 0; i < truth.distances.size(); ++i) {
    distances.push_back(seen.distances[i] - truth.distances[i]);
    inner_products.push_back(std::abs(seen.inner_products[i] - truth.inner_products[i]));
  }
  PairComparison out{.distance = figures_of(std::move(distances)),
                     .inner_product = figures_of(std::move(inner_products))};
  out.distance.correlation = correlation(seen.distances, truth.distances);
  out.inner_product.correlation = correlation(seen.inner_products, truth.inner_products);
  return out;
}

std::vector<VectorSeries> pair_series(const Model& model, const PrivembPlan& plan) {
  std::vector<VectorSeries> series = {laplace_series()};
  for (const std::string& beta : plan.betas) series.push_back(printed_series(beta));
  for (const std::string& beta : plan.betas) {
    if (const auto more = orthonormal_series(model, beta)) series.push_back(*more);
    if (const auto more = pca_series(model, beta)) series.push_back(*more);
  }
  series.push_back(no_noise_series());
  series.push_back(pure_noise_series());
  series.push_back(same_vector_series());
  return series;
}

PairPoints pair_points(const Run& run) {
  const Points::Layout layout{.keys = {"series", "epsilon", "run"},
                              .values = {"dimension", "mean", "deviation", "low", "high", "correlation"}};
  return {.distance = run.points("distance", layout), .inner_product = run.points("inner-product", layout)};
}

void measure_pairs(const PrivembLab& lab, PairPoints& points) {
  const std::vector<WordId> words = pair_words(lab);
  const std::vector<double> rows = word_rows(*lab.store.model(), words);
  std::vector<std::pair<VectorSeries, std::vector<std::string>>> jobs;
  for (const VectorSeries& series : pair_series(*lab.store.model(), lab.plan)) {
    for (const std::string& epsilon : lab.plan.pair_epsilons) {
      for (std::size_t run = 0; run < lab.plan.runs; ++run) {
        jobs.emplace_back(series, std::vector{series.name, epsilon, std::to_string(run)});
      }
    }
  }
  run_jobs(lab.run, "pairs", jobs.size(), [&](std::size_t i) {
    const auto& [series, keys] = jobs[i];
    const bool has_distance = points.distance.find(keys).has_value();
    const bool has_inner = points.inner_product.find(keys).has_value();
    if (has_distance && has_inner) return;
    const Releaser releaser = lab.store.get(
        series,
        {.epsilon = keys[1], .projection_seed = lab.run.seed_of({"pairs projection", keys[0], keys[2]})});
    const std::size_t m = releaser.output_dim();
    std::vector<double> out(words.size() * m);
    Rng rng = Rng::seeded_not_private(lab.run.seed_of({"pairs noise", keys[0], keys[1], keys[2]}));
    releaser.release(rows, out, rng);
    const std::size_t half = words.size() / 2;
    const auto halves = [half](std::span<const double> values, std::size_t dim) {
      return VectorPairs{.left = values.first(half * dim), .right = values.subspan(half * dim), .dim = dim};
    };
    const PairComparison result = compare_pairs(halves(rows, lab.store.model()->dim()), halves(out, m));
    if (!has_distance) points.distance.add(row_of(keys, m, result.distance));
    if (!has_inner) points.inner_product.add(row_of(keys, m, result.inner_product));
  });
}

}  // namespace sotto::lab
