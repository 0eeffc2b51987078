#include "measure/vector_adversary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "core/uniform.h"
#include "mechanisms/noise/noise.h"
#include "model/distance_kernels.h"

namespace sotto {
namespace {

constexpr double kMostProducts = 2'147'483'648.0;  // 2^31: a second or two of one core
constexpr double kFewestDraws = 256;
constexpr double kMostDraws = 4096;
constexpr std::size_t kBlock = 32;
constexpr std::uint64_t kFirstStream = std::uint64_t{5} << 32;

}  // namespace

std::size_t vector_adversary_draws(const Model& model, const Prior& prior) {
  const double products = static_cast<double>(prior.support.size()) * static_cast<double>(model.dim());
  return static_cast<std::size_t>(std::clamp(kMostProducts / products, kFewestDraws, kMostDraws));
}

Quantity vector_adversary(const Model& model, const Prior& prior, double epsilon, const RandomSource& random,
                          const Work& work) {
  const std::size_t dim = model.dim();
  const std::size_t draws = vector_adversary_draws(model, prior);
  std::vector<double> sums;
  std::vector<double> logs;
  for (const WordId word : prior.support) {
    sums.push_back((sums.empty() ? 0 : sums.back()) + prior.weights[index_of(word)]);
    logs.push_back(std::log(prior.weights[index_of(word)]));
  }
  const NoiseShape shape = NoiseShape::sphere(dim);
  std::vector<double> errors(draws);
  parallel_blocks(draws, kBlock, work.threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = random.stream(kFirstStream + begin / kBlock);
    std::vector<double> noisy(model.stride(), 0.0);
    std::vector<double> scores(prior.support.size());
    for (std::size_t i = begin; i < end; ++i) {
      shape.add(model.vector(prior.support[choose_by_sums(rng, sums)]), epsilon, std::span(noisy).first(dim),
                rng);
      for (std::size_t w = 0; w < scores.size(); ++w) {
        double squared = 0;
        squared_distances(noisy.data(), model.rows() + index_of(prior.support[w]) * model.stride(), 1,
                          model.stride(), &squared);
        scores[w] = logs[w] - epsilon * std::sqrt(squared);
      }
      const double largest = std::ranges::max(scores);
      double total = 0;
      for (const double score : scores) total += std::exp(score - largest);
      errors[i] = 1 - 1 / total;
    }
  });
  return sampled_quantity("e_opt_vector", {.values = errors, .range = 1},
                          "E_opt of an adversary who sees the noisy vector: a lower bound on E_opt");
}

}  // namespace sotto
