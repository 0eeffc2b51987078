#include "certify/law_certificate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "certify/worst_pairs.h"
#include "core/infinity.h"
#include "core/median.h"
#include "core/parallel.h"

namespace sotto {
namespace {

// Stands for ln 0: the difference of two is 0, that to any other log is above kImpossible / 2.
constexpr double kImpossible = 1e300;

// All rows, or empty if one has no closed form.
std::vector<std::vector<double>> laws_of(const Mechanism& mechanism, const Work& work) {
  const std::size_t n = mechanism.space->size();
  std::vector<std::vector<double>> laws(n);
  std::atomic<bool> closed = true;
  std::mutex mutex;
  Steps steps{.done = 0, .total = n, .unit = "words"};
  parallel_blocks(n, 4, work.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end && closed; ++w) {
      std::optional<std::vector<double>> row = mechanism.words->log_law(word_id(w));
      if (!row) {
        closed = false;
        return;
      }
      for (double& value : *row) value = std::isinf(value) ? -kImpossible : value;
      laws[w] = std::move(*row);
    }
    const std::lock_guard lock(mutex);
    steps.done += end - begin;
    if (work.progress) work.progress(steps);
  });
  if (!closed) laws.clear();
  return laws;
}

double loss_between(const std::vector<double>& one, const std::vector<double>& other) {
  double loss = 0;
  for (std::size_t y = 0; y < one.size(); ++y) loss = std::max(loss, std::abs(one[y] - other[y]));
  return loss > kImpossible / 2 ? kInfinity : loss;
}

struct Found {
  WorstPairs worst;
  double largest_loss = 0;
  double unbounded_loss = 0;  // of a pair whose distance may be 0 as far as its rounding tells
  double smallest = kInfinity;
  double largest = 0;
};

// How losses become a certificate (certificate.h): each value of a law may be off by `error`.
class Margins {
 public:
  Margins(const WordMechanism& mechanism, const Space& space)
      : error_(mechanism.log_law_error()), distance_error_(space.distance_error()) {}

  [[nodiscard]] double additive() const { return error_ > 0 ? std::max(1e-9, 4 * error_) : 0; }
  // Of words of different rows.
  void add(PairLoss pair, Found& found) const {
    if (pair.distance > 0) found.smallest = std::min(found.smallest, pair.distance);
    found.largest = std::max(found.largest, pair.distance);
    pair.loss += 2 * error_;
    found.largest_loss = std::max(found.largest_loss, pair.loss);
    if (pair.loss <= additive()) return;
    const double least = pair.distance - distance_error_.at(pair.distance);
    if (!(least > 0) && std::isfinite(pair.loss)) {
      found.unbounded_loss = std::max(found.unbounded_loss, pair.loss);
      return;
    }
    pair.epsilon = std::isinf(pair.loss) ? kInfinity : (pair.loss - additive()) / least * (1 + 0x1p-50);
    found.worst.add(pair);
  }
  // Words that share a row must have one law: if they do not, no epsilon holds.
  static void add_same_row(PairLoss pair, Found& found) {
    if (pair.loss == 0) return;
    pair.loss = pair.epsilon = found.largest_loss = kInfinity;
    found.worst.add(pair);
  }

 private:
  double error_;
  DistanceError distance_error_;
};

}  // namespace

std::optional<Certificate> certify_law(const Mechanism& mechanism, const Work& work) {
  const auto laws = laws_of(mechanism, work);
  const std::size_t n = laws.size();
  if (n == 0) return std::nullopt;
  const Space& space = *mechanism.space;
  const Margins margins(*mechanism.words, space);
  Found all;
  std::vector<double> nearest(n, kInfinity);
  std::mutex mutex;
  parallel_blocks(n, 4, work.threads, [&](std::size_t begin, std::size_t end) {
    Found block;
    std::vector<double> distances(n);
    for (std::size_t first = begin; first < end; ++first) {
      space.distances_from(word_id(first), distances);
      for (std::size_t second = 0; second < n; ++second) {
        const double d = distances[second];
        if (d > 0) nearest[first] = std::min(nearest[first], d);
        if (second <= first) continue;
        const double loss = loss_between(laws[first], laws[second]);
        const PairLoss pair{.first = word_id(first), .second = word_id(second), .distance = d, .loss = loss};
        const bool is_one_row = space.representative(pair.first) == space.representative(pair.second);
        is_one_row ? Margins::add_same_row(pair, block) : margins.add(pair, block);
      }
    }
    const std::lock_guard lock(mutex);
    all.worst.add(block.worst);
    all.largest_loss = std::max(all.largest_loss, block.largest_loss);
    all.unbounded_loss = std::max(all.unbounded_loss, block.unbounded_loss);
    all.smallest = std::min(all.smallest, block.smallest);
    all.largest = std::max(all.largest, block.largest);
  });

  Certificate certificate;
  certificate.largest_loss = all.largest_loss;
  if (!space.has_one_row()) certificate.additive_loss = std::max(margins.additive(), all.unbounded_loss);
  certificate.smallest_distance = std::isinf(all.smallest) ? 0 : all.smallest;
  certificate.largest_distance = all.largest;
  certificate.worst_pairs = all.worst.take();
  if (!certificate.worst_pairs.empty()) {
    const PairLoss& worst = certificate.worst_pairs.front();
    certificate.realised_epsilon = worst.epsilon;
    certificate.worst_first = worst.first;
    certificate.worst_second = worst.second;
  }
  double unchanged = 0;
  for (std::size_t w = 0; w < n; ++w) unchanged += std::exp(laws[w][w]);
  certificate.mean_unchanged = unchanged / static_cast<double>(n);
  std::erase_if(nearest, [](double d) { return std::isinf(d); });
  certificate.median_nearest = median(nearest);
  return certificate;
}

}  // namespace sotto
