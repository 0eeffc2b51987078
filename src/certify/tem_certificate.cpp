#include "certify/tem_certificate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/float_certificate.h"
#include "core/median.h"

namespace sotto {

std::vector<double> row_weights(const AllPairs& pairs, const ExponentialLaw& law) {
  if (law.base_weights.empty()) return {pairs.multiplicities().begin(), pairs.multiplicities().end()};
  std::vector<double> weights(pairs.rows(), 0.0);
  for (std::size_t y = 0; y < law.base_weights.size(); ++y) {
    weights[pairs.row(word_id(y))] += law.base_weights[y];
  }
  return weights;
}

namespace {

// Losses below it are left to the additive term: it keeps losses of the size of rounding from being divided
// by the tiny distances of near-duplicates.
constexpr double kLeastAdditive = 1e-9;
// From here on rounding is no longer small beside the losses (epsilon 10^12 and above, angular and chord):
// the certificate then is the theorem's, 2 * slope.
constexpr double kVisibleAdditive = 1e-3;

// z: bound on the error of ln Z as computed, against exact arithmetic with exact distances, and on the
// rounding of one evaluation of a loss. A weight has an error of 2 units of its exponent x = slope * min(d,
// gamma), and exp one of 2 units; row weights and their sum have n each; the logarithm and the loss have 8
// units of |ln Z| and of x.
double partition_error(const Space& space, const ExponentialLaw& law, double cut) {
  const auto n = static_cast<double>(space.size());
  double largest_log = std::log(n);
  if (!law.base_weights.empty()) {
    const auto& c = law.base_weights;
    largest_log = std::max(std::abs(std::log(std::accumulate(c.begin(), c.end(), 0.0))),
                           std::abs(std::log(*std::min_element(c.begin(), c.end()))));
  }
  return std::ldexp(2 * n + 32 + 16 * (law.slope * cut) + 16 * largest_log, -53) +
         law.slope * std::min(space.distance_error().at(cut), cut);
}

}  // namespace

// With h the error of a pair's distance, and L the loss of a law of that slope in exact arithmetic:
// - L = slope * min(d, gamma) + |ln Z - ln Z'| <= slope * (min(d~, gamma) + h) + |ln Z~ - ln Z~'| + 2 z, and
//   what is drawn loses 2 eta more at most: that is LossQuestion::loss with margin = 2 z + 2 eta.
// - As |ln Z - ln Z'| <= slope * d, a loss is at most 2 slope (d~ + h) + 4 z + 2 eta. With 6 slope times the
//   absolute part of h in the allowance, loss - allowance <= 2 slope (1 + 3 relative) (d~ - h): no pair,
//   however close, has an epsilon above twice the slope but for the last digits.
// - 2 slope bounds every epsilon by the theorem, as the allowance is at least 2 eta.
AllPairs::LossQuestion loss_question(const Space& space, const ExponentialLaw& law,
                                     std::span<const double> logs) {
  const double gamma = usable_gamma(law.gamma, law.slope);
  const double cut = std::min(space.diameter_bound(), gamma);
  const DistanceError error = space.distance_error();
  const double z = partition_error(space, law, cut);
  const double eta = Tem::rounding_bound(space, law);
  const double absolute = law.slope * (6 * std::min(error.absolute, cut));
  return {.kernel = {.slope = law.slope, .gamma = gamma},
          .logs = logs,
          .margin = 2 * z + 2 * eta,
          .allowance = std::max(kLeastAdditive, 4 * z + 2 * eta + absolute),
          .error = error,
          .most_epsilon = 2 * law.slope};
}

Work named(const Work& work, std::string unit) {
  if (!work.progress) return work;
  return {.threads = work.threads, .progress = [&work, unit = std::move(unit)](const Steps& steps) {
            work.progress({.done = steps.done, .total = steps.total, .unit = unit});
          }};
}

namespace {

double mean_unchanged(const AllPairs& pairs, const ExponentialLaw& law, std::span<const double> logs) {
  const std::size_t words = pairs.space().size();
  double unchanged = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const double weight = law.base_weights.empty() ? 1 : law.base_weights[w];
    unchanged += weight * std::exp(-logs[pairs.row(word_id(w))]);
  }
  return unchanged / static_cast<double>(words);
}

void fill_in(Certificate& certificate, const AllPairs::LossQuestion& question, AllPairs::LossAnswer losses) {
  certificate.additive_loss = std::max(question.allowance, losses.largest_unbounded_loss);
  if (!losses.worst.empty()) {
    certificate.realised_epsilon = losses.worst.front().epsilon;
    certificate.worst_first = losses.worst.front().first;
    certificate.worst_second = losses.worst.front().second;
  }
  if (certificate.additive_loss > kVisibleAdditive) certificate.realised_epsilon = question.most_epsilon;
  certificate.largest_loss = losses.largest_loss;
  certificate.largest_distance = losses.largest_distance;
  certificate.worst_pairs = std::move(losses.worst);
  certificate.bands = std::move(losses.bands);
}

TemCertificate certify_in_doubles(const AllPairs& pairs, const ExponentialLaw& law, const Work& work) {
  TemCertificate out;
  Certificate& certificate = out.certificate;
  const double gamma = usable_gamma(law.gamma, law.slope);
  out.log_partitions = pairs.kernel_sums({.slope = law.slope, .gamma = gamma}, row_weights(pairs, law),
                                         named(work, "tiles, pass 1 of 2"));
  for (double& value : out.log_partitions) value = std::log(value);
  certificate.mean_unchanged = mean_unchanged(pairs, law, out.log_partitions);
  if (pairs.rows() < 2) return out;

  const AllPairs::LossQuestion question = loss_question(pairs.space(), law, out.log_partitions);
  AllPairs::LossAnswer losses = pairs.largest_losses(question, named(work, "tiles, pass 2 of 2"));
  certificate.smallest_distance = *std::min_element(losses.nearest.begin(), losses.nearest.end());
  certificate.median_nearest = median(losses.nearest);
  fill_in(certificate, question, std::move(losses));
  return out;
}

}  // namespace

TemCertificate certify_tem(const AllPairs& pairs, const ExponentialLaw& law, const Work& work,
                           std::optional<FloatPairs::Sums> first_pass) {
  const auto floats = FloatPairs::make(pairs);
  std::optional<FloatAnswer> answer;
  if (floats) answer = float_answer(*floats, law, work, std::move(first_pass));
  if (!answer) return certify_in_doubles(pairs, law, work);
  TemCertificate out;
  out.log_partitions = std::move(answer->log_partitions);
  out.certificate.mean_unchanged = mean_unchanged(pairs, law, out.log_partitions);
  out.certificate.smallest_distance = answer->smallest_distance;
  out.certificate.median_nearest = answer->median_nearest;
  fill_in(out.certificate, loss_question(pairs.space(), law, {}), std::move(answer->losses));
  return out;
}

}  // namespace sotto
