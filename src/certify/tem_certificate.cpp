#include "certify/tem_certificate.h"

#include <algorithm>
#include <cmath>

#include "core/median.h"
#include "sotto/error.h"

namespace sotto {

std::vector<double> row_weights(const AllPairs& pairs, const TemLaw& law) {
  if (law.base_weights.empty()) return {pairs.multiplicities().begin(), pairs.multiplicities().end()};
  std::vector<double> weights(pairs.rows(), 0.0);
  for (std::size_t y = 0; y < law.base_weights.size(); ++y) {
    weights[pairs.row(word_id(y))] += law.base_weights[y];
  }
  return weights;
}

TemMargins tem_margins(const Space& space, const TemLaw& law) {
  const double h = AllPairs::distance_error(space);
  const auto n = static_cast<double>(space.size());
  const double z = std::ldexp(n + 4 + 2 * law.slope * space.diameter_bound(), -53);
  return {.loss = 3 * law.slope * h + 2 * z, .distance = h};
}

Work named(const Work& work, std::string unit) {
  if (!work.progress) return work;
  return {.threads = work.threads, .progress = [&work, unit = std::move(unit)](const Steps& steps) {
            work.progress({.done = steps.done, .total = steps.total, .unit = unit});
          }};
}

TemCertificate certify_tem(const AllPairs& pairs, const TemLaw& law, std::vector<double> log_partitions,
                           const Work& work) {
  TemCertificate out;
  Certificate& certificate = out.certificate;
  out.log_partitions = std::move(log_partitions);
  const std::size_t words = pairs.space().size();
  double unchanged = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const double weight = law.base_weights.empty() ? 1 : law.base_weights[w];
    unchanged += weight * std::exp(-out.log_partitions[pairs.row(word_id(w))]);
  }
  certificate.mean_unchanged = unchanged / static_cast<double>(words);
  if (pairs.rows() < 2) return out;

  const TemMargins margins = tem_margins(pairs.space(), law);
  AllPairs::LossAnswer losses = pairs.largest_losses({.kernel = {.slope = law.slope, .gamma = law.gamma},
                                                      .logs = out.log_partitions,
                                                      .margin = margins.loss,
                                                      .distance_margin = margins.distance},
                                                     work);
  // No loss that is a number: slope times distance left the range of a double.
  if (losses.worst.empty()) {
    throw Error(ErrorCode::usage, "--epsilon is out of any reasonable range for the distances of this model");
  }
  certificate.realised_epsilon = losses.worst.front().epsilon;
  certificate.largest_loss = losses.largest_loss;
  certificate.worst_first = losses.worst.front().first;
  certificate.worst_second = losses.worst.front().second;
  certificate.worst_pairs = std::move(losses.worst);
  certificate.bands = std::move(losses.bands);
  certificate.smallest_distance = *std::min_element(losses.nearest.begin(), losses.nearest.end());
  certificate.largest_distance = losses.largest_distance;
  certificate.median_nearest = median(losses.nearest);
  return out;
}

TemCertificate certify_tem(const AllPairs& pairs, const TemLaw& law, const Work& work) {
  std::vector<double> logs = pairs.kernel_sums({.slope = law.slope, .gamma = law.gamma},
                                               row_weights(pairs, law), named(work, "tiles, pass 1 of 2"));
  for (double& value : logs) value = std::log(value);
  return certify_tem(pairs, law, std::move(logs), named(work, "tiles, pass 2 of 2"));
}

}  // namespace sotto
