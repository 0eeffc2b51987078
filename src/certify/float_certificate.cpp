#include "certify/float_certificate.h"

#include <algorithm>
#include <cmath>

#include "certify/exponential_row.h"
#include "certify/float_losses.h"
#include "certify/found_losses.h"
#include "core/infinity.h"
#include "core/median.h"

namespace sotto {
namespace {

void sort_unique(std::vector<std::size_t>& rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

// ln Z of the chosen rows in doubles, into `logs`.
void make_exact(const AllPairs& pairs, const AllPairs::Kernel& kernel, std::span<const double> weights,
                std::span<const std::size_t> chosen, std::vector<double>& logs, const Work& work) {
  if (chosen.size() > pairs.rows() / 4) {
    logs = pairs.kernel_sums(kernel, weights, work);
    for (double& value : logs) value = std::log(value);
    return;
  }
  pairs.visit_rows(chosen, work, [&](std::size_t i, std::span<const double> distances) {
    thread_local std::vector<double> scratch;
    scratch.resize(distances.size());
    logs[chosen[i]] = std::log(exponential_weights(
        {.distances = distances, .base = weights, .slope = kernel.slope, .gamma = kernel.gamma}, scratch));
  });
}

// The smallest and the largest distance, and the median distance of the nearest word, in doubles: float32
// leaves few rows that can attain them. Order statistics of numbers that are within t of others are within t
// of the others'. So the row of the median is one whose own value is within 2 t of theirs.
void find_extremes(const FloatPairs& floats, const FloatPairs::Sums& sums, FloatAnswer& out,
                   const Work& work) {
  const AllPairs& pairs = floats.pairs();
  const double t = floats.tolerance() * (1 + 1e-9);
  std::vector<double> nearest = sums.nearest;
  const double middle = median(nearest);
  const double smallest = *std::min_element(sums.nearest.begin(), sums.nearest.end());
  const double largest = *std::max_element(sums.farthest.begin(), sums.farthest.end());
  std::vector<std::size_t> chosen;
  for (std::size_t r = 0; r < pairs.rows(); ++r) {
    const bool matters = sums.nearest[r] <= smallest + 2 * t || sums.farthest[r] >= largest - 2 * t ||
                         std::abs(sums.nearest[r] - middle) <= 2 * t;
    if (matters) chosen.push_back(r);
  }
  nearest = sums.nearest;
  std::vector<double> farthest(chosen.size());
  pairs.visit_rows(chosen, work, [&](std::size_t i, std::span<const double> distances) {
    double low = kInfinity;
    for (const double d : distances) low = d > 0 ? std::min(low, d) : low;
    nearest[chosen[i]] = low;
    farthest[i] = *std::max_element(distances.begin(), distances.end());
  });
  out.losses.largest_distance = *std::max_element(farthest.begin(), farthest.end());
  out.smallest_distance = kInfinity;
  for (const std::size_t r : chosen) out.smallest_distance = std::min(out.smallest_distance, nearest[r]);
  out.median_nearest = median(nearest);
}

}  // namespace

std::optional<FloatAnswer> float_answer(const FloatPairs& floats, const ExponentialLaw& law, const Work& work,
                                        std::optional<FloatPairs::Sums> first_pass) {
  const AllPairs& pairs = floats.pairs();
  const std::vector<double> weights = row_weights(pairs, law);
  if (!FloatPairs::can_weigh(weights)) return std::nullopt;
  const AllPairs::Kernel kernel{.slope = law.slope, .gamma = usable_gamma(law.gamma, law.slope)};
  FloatPairs::Sums sums = first_pass ? std::move(*first_pass)
                                     : floats.log_sums(kernel, weights, named(work, "tiles, pass 1 of 2"));

  AllPairs::LossQuestion question = loss_question(pairs.space(), law, sums.logs);
  // The exact ln Z are computed too, and z bounds their error: its two parts of the margin cover it.
  const double log_error = floats.log_error(kernel) + question.margin;
  const auto candidates = candidate_pairs(
      floats,
      {.question = question, .log_error = log_error, .nearest = sums.nearest, .farthest = sums.farthest},
      named(work, "tiles, pass 2 of 2"));
  if (!candidates) return std::nullopt;

  std::vector<std::size_t> chosen;
  for (const CandidatePair& pair : *candidates) {
    chosen.push_back(pair.first);
    chosen.push_back(pair.second);
  }
  sort_unique(chosen);
  const Work quiet{.threads = work.threads, .progress = {}};
  make_exact(pairs, kernel, weights, chosen, sums.logs, quiet);

  FoundLosses found;
  const double bands_per_unit = static_cast<double>(kBands) / pairs.space().diameter_bound();
  question.logs = sums.logs;
  for (const CandidatePair& pair : *candidates) {
    const double loss = question.loss(pair.distance, sums.logs[pair.first] - sums.logs[pair.second]);
    found.meet(question,
               {.first = pairs.word(pair.first),
                .second = pairs.word(pair.second),
                .distance = pair.distance,
                .loss = loss},
               bands_per_unit);
  }
  FloatAnswer out{.losses = found.take()};
  find_extremes(floats, sums, out, quiet);
  out.log_partitions = std::move(sums.logs);
  return out;
}

double stored_log_error(const AllPairs& pairs, const ExponentialLaw& law) {
  const auto floats = FloatPairs::make(pairs);
  if (!floats || !FloatPairs::can_weigh(row_weights(pairs, law))) return 0;
  return floats->log_error({.slope = law.slope, .gamma = usable_gamma(law.gamma, law.slope)});
}

}  // namespace sotto
