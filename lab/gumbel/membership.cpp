#include "lab/gumbel/membership.h"

#include <algorithm>
#include <cmath>

#include "lab/statistics.h"

namespace sotto::lab::gumbel {

MembershipInference membership_inference(const TextModel& model, const Examples& members,
                                         const Examples& others) {
  std::vector<float> in = losses(model, members);
  std::vector<float> out = losses(model, others);
  for (std::vector<float>* scores : {&in, &out}) {
    for (float& score : *scores) score = -score;
  }
  const double area = area_under_curve({.positive = in, .negative = out});
  const double positives = static_cast<double>(in.size());
  const double negatives = static_cast<double>(out.size());
  const double both_in = area / (2 - area);
  const double both_out = 2 * area * area / (1 + area);
  const double variance = (area * (1 - area) + (positives - 1) * (both_in - area * area) +
                           (negatives - 1) * (both_out - area * area)) /
                          (positives * negatives);
  const double half = 1.959964 * std::sqrt(std::max(0.0, variance));
  return {.area = area, .low = std::max(0.0, area - half), .high = std::min(1.0, area + half)};
}

}  // namespace sotto::lab::gumbel
