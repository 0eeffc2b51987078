// Column o of the posterior is g(v|o) = pi(v) exp(-slope min(d(v,o), gamma)) / Z(v), divided by its sum: the
// weight c(o) of the output cancels.
//
// If every ln Z is within h of the exact one, each g is within a factor of exp(2 h) of the exact one, and its
// square within exp(4 h). As neither the largest g nor the sum of squares exceeds 1, both errors are within
// exp(4 h) - 1.
#include "measure/column_adversary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/exponential_row.h"
#include "certify/float_pairs.h"
#include "certify/tem_certificate.h"
#include "measure/law_rows.h"
#include "mechanisms/tem/tem.h"
#include "sotto/error.h"

namespace sotto {
namespace {

struct LogNormalisers {
  std::vector<double> by_row;
  double error = 0;  // proven
};
LogNormalisers log_normalisers(const AllPairs& pairs, const ExponentialLaw& law, const Work& work) {
  const AllPairs::Kernel kernel{.slope = law.slope, .gamma = usable_gamma(law.gamma, law.slope)};
  const std::vector<double> weights = row_weights(pairs, law);
  if (const auto floats = FloatPairs::make(pairs); floats && FloatPairs::can_weigh(weights)) {
    return {.by_row = floats->log_sums(kernel, weights, work).logs, .error = floats->log_error(kernel)};
  }
  LogNormalisers out{.by_row = pairs.kernel_sums(kernel, weights, work)};
  for (double& value : out.by_row) value = std::log(value);
  return out;
}

// pi(v) / Z(v) for every word, times a constant that makes the largest 1.
std::vector<double> guess_weights(const Prior& prior, const AllPairs& pairs, const LogNormalisers& logs) {
  const double least = *std::ranges::min_element(logs.by_row);
  std::vector<double> out(prior.weights.size(), 0.0);
  for (const WordId word : prior.support) {
    out[index_of(word)] = prior.weights[index_of(word)] * std::exp(least - logs.by_row[pairs.row(word)]);
  }
  const double largest = *std::ranges::max_element(out);
  for (double& value : out) value /= largest;
  return out;
}

}  // namespace

ColumnErrors column_errors(const Mechanism& mechanism, const Prior& prior, std::span<const WordId> outputs,
                           const Work& work) {
  constexpr std::size_t kBlock = 32;  // rows of distances that are held
  const ExponentialLaw* law = mechanism.words->exponential_law();
  if (law == nullptr) throw Error(ErrorCode::internal, "columns were asked of a law that is not exponential");
  ColumnErrors out{.best = std::vector<double>(outputs.size()),
                   .posterior = std::vector<double>(outputs.size())};
  std::vector<double> weights;
  {
    const AllPairs pairs(mechanism.space);
    const LogNormalisers logs = log_normalisers(pairs, *law, work.at("normalisers"));
    weights = guess_weights(prior, pairs, logs);
    out.error = std::expm1(4 * logs.error);
  }
  work.at("posteriors");
  const std::size_t n = mechanism.space->size();
  const DistanceRows distances_of(mechanism.space, outputs.size());
  std::vector<double> distances(std::min(kBlock, outputs.size()) * n);
  for (std::size_t begin = 0; begin < outputs.size(); begin += kBlock) {
    const auto own = outputs.subspan(begin, std::min(kBlock, outputs.size() - begin));
    distances_of.visit(own, distances, work.threads, [&](std::size_t i) {
      thread_local std::vector<double> column;
      column.resize(n);
      const double sum = exponential_weights({.distances = std::span(distances).subspan(i * n, n),
                                              .base = weights,
                                              .slope = law->slope,
                                              .gamma = usable_gamma(law->gamma, law->slope)},
                                             column);
      const double squares = std::inner_product(column.begin(), column.end(), column.begin(), 0.0);
      out.best[begin + i] = std::max(0.0, 1 - *std::ranges::max_element(column) / sum);
      out.posterior[begin + i] = std::max(0.0, 1 - squares / (sum * sum));
    });
    if (work.progress) {
      work.progress({.done = begin + own.size(), .total = outputs.size(), .unit = "outputs"});
    }
  }
  return out;
}

}  // namespace sotto
