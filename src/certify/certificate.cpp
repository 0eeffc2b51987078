#include "sotto/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "core/parallel.h"
#include "mechanisms/tem.h"

namespace sotto {
namespace {

constexpr std::size_t kRowBlock = 16;
// A general law is compared output by output, O(n^3); this keeps it within a second or two.
constexpr std::size_t kGeneralLimit = 400;

// Larger realised epsilon wins; on a tie the earlier pair, so that threads do not change the answer.
void merge(Certificate& into, const Certificate& other) {
  const auto pair = [](const Certificate& c) { return std::pair(c.worst_first, c.worst_second); };
  if (other.realised_epsilon > into.realised_epsilon ||
      (other.realised_epsilon == into.realised_epsilon && pair(other) < pair(into))) {
    into.realised_epsilon = other.realised_epsilon;
    into.worst_first = other.worst_first;
    into.worst_second = other.worst_second;
  }
  into.largest_loss = std::max(into.largest_loss, other.largest_loss);
}

struct PairLoss {
  double loss;
  double distance;
};

// The maximum over all pairs first < second; those without a positive distance are left out.
// `losses(first, visit)` calls visit(second, PairLoss) for each second > first.
template <typename Losses>
Certificate over_all_pairs(std::size_t n, const Losses& losses) {
  Certificate worst;
  std::mutex mutex;
  parallel_blocks(n, kRowBlock, 0, [&](std::size_t begin, std::size_t end) {
    Certificate block;
    for (std::size_t first = begin; first < end; ++first) {
      losses(first, [&](std::size_t second, const PairLoss& pair) {
        if (!(pair.distance > 0)) return;
        merge(block, {.realised_epsilon = pair.loss / pair.distance,
                      .largest_loss = pair.loss,
                      .worst_first = word_id(first),
                      .worst_second = word_id(second)});
      });
    }
    const std::lock_guard lock(mutex);
    merge(worst, block);
  });
  return worst;
}

// mechanisms.md 4.1: with positive base weights the supremum over outputs is attained at whichever of the
// two words has the smaller normaliser, so loss = slope * min(d, gamma) + |ln Z - ln Z'| exactly. h and z
// bound the absolute errors of a distance and of ln Z; adding them makes the result an upper bound.
Certificate certify_tem(const Tem& tem) {
  const Space& space = tem.space();
  const std::size_t n = space.size();
  const double slope = tem.law().slope;
  const double diameter = space.diameter_bound();
  const double h = space.distance_error();
  const double z = std::ldexp(static_cast<double>(n) + 4 + 2 * slope * diameter, -53);

  std::vector<double> log_partitions(n);
  parallel_blocks(n, kRowBlock, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) log_partitions[w] = tem.log_partition(word_id(w));
  });
  return over_all_pairs(n, [&](std::size_t first, const auto& visit) {
    thread_local std::vector<double> distances;
    distances.resize(n);
    space.distances_from(word_id(first), distances);
    for (std::size_t second = first + 1; second < n; ++second) {
      const double d = distances[second];
      const double loss = slope * (std::min(d, tem.law().gamma) + 3 * h) +
                          std::abs(log_partitions[first] - log_partitions[second]) + 2 * z;
      visit(second, PairLoss{.loss = loss, .distance = d - h});
    }
  });
}

Certificate certify_law(const Mechanism& mechanism, const std::vector<std::vector<double>>& law) {
  const std::size_t n = law.size();
  return over_all_pairs(n, [&](std::size_t first, const auto& visit) {
    for (std::size_t second = first + 1; second < n; ++second) {
      double loss = 0;
      for (std::size_t y = 0; y < n; ++y) {
        // Two impossible outputs are equal; inf - inf would be NaN.
        if (law[first][y] != law[second][y]) loss = std::max(loss, std::abs(law[first][y] - law[second][y]));
      }
      const double d = mechanism.space->distance(word_id(first), word_id(second));
      // Words at distance 0 must have identical rows; if not, no epsilon holds.
      if (d == 0 && loss > 0) loss = std::numeric_limits<double>::infinity();
      visit(second, PairLoss{.loss = loss, .distance = d > 0 ? d : 1});
    }
  });
}

}  // namespace

std::optional<Certificate> certify(const Mechanism& mechanism, std::size_t word_limit) {
  const std::size_t n = mechanism.space->size();
  if (n > word_limit) return std::nullopt;
  if (const auto* tem = dynamic_cast<const Tem*>(mechanism.words.get())) return certify_tem(*tem);
  if (n > kGeneralLimit) return std::nullopt;
  std::vector<std::vector<double>> law;
  for (std::size_t w = 0; w < n; ++w) {
    std::optional<std::vector<double>> row = mechanism.words->log_law(word_id(w));
    if (!row) return std::nullopt;
    law.push_back(std::move(*row));
  }
  return certify_law(mechanism, law);
}

}  // namespace sotto
