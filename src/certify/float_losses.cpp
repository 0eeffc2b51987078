#include "certify/float_losses.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "certify/found_losses.h"
#include "certify/loss_limits.h"
#include "core/infinity.h"
#include "core/parallel.h"
#include "core/stop.h"

namespace sotto {
namespace {

constexpr std::size_t kStrips = kFloatPanel / kFloatStrip;

// Rows in the order of their ln Z. So the gap of ln Z hardly varies within a tile, and the tiles with the
// largest gaps, which come first, set limits that the others cannot reach but at few distances.
class LossSearch {
 public:
  LossSearch(const FloatPairs& floats, const CandidateRequest& request)
      : floats_(floats),
        pairs_(floats.pairs()),
        request_(request),
        tolerance_(floats.tolerance()),
        bands_per_unit_(static_cast<double>(kBands) / pairs_.space().diameter_bound()),
        order_(sorted_rows()),
        panels_(floats, order_, std::numeric_limits<float>::quiet_NaN()),
        most_checks_(pairs_.rows() * pairs_.rows() / 64 + 1'000'000) {
    for (std::size_t p = 0; p < panels_.count(); ++p) {
      Panel panel{.nearest = kInfinity};
      for (std::size_t at = p * kFloatPanel; at < end_of(p); ++at) {
        panel.nearest = std::min(panel.nearest, request.nearest[order_[at]]);
        panel.farthest = std::max(panel.farthest, request.farthest[order_[at]]);
        panel.reach = std::max(panel.reach, floats.reach(order_[at]));
      }
      facts_.push_back(panel);
    }
  }

  std::optional<std::vector<CandidatePair>> run(const Work& work) {
    const std::size_t count = panels_.count();
    Steps steps{.done = 0, .total = count * (count + 1) / 2, .unit = "tiles"};
    for (std::size_t apart = count; apart-- > 0 && !given_up_;) {
      parallel_blocks(count - apart, 1, work.threads, [&](std::size_t i, std::size_t /*end*/) {
        if (given_up_) return;
        throw_if_stopped();
        do_tile(i, i + apart);
        const std::lock_guard lock(mutex_);
        ++steps.done;
        if (work.progress) work.progress(steps);
      });
    }
    if (given_up_) return std::nullopt;
    prune();
    return std::move(found_);
  }

 private:
  struct Panel {
    double nearest = 0;
    double farthest = 0;
    double reach = 0;  // the largest
  };

  [[nodiscard]] std::vector<std::size_t> sorted_rows() const {
    std::vector<std::size_t> order(pairs_.rows());
    std::iota(order.begin(), order.end(), 0U);
    const auto logs = request_.question.logs;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return logs[a] != logs[b] ? logs[a] < logs[b] : a < b; });
    return order;
  }
  [[nodiscard]] std::size_t end_of(std::size_t panel) const {
    return std::min((panel + 1) * kFloatPanel, order_.size());
  }
  [[nodiscard]] double log_at(std::size_t place) const { return request_.question.logs[order_[place]]; }
  // The largest gap of exact ln Z between places [first, last] and those of a panel that does not precede.
  [[nodiscard]] double largest_gap(std::size_t first, std::size_t last, std::size_t panel) const {
    const double up = log_at(end_of(panel) - 1) - log_at(first);
    const double down = log_at(last) - log_at(panel * kFloatPanel);
    return std::max(up, down) + 2 * request_.log_error;
  }

  // All distances of the tile are such that nothing of it can reach the limits.
  [[nodiscard]] bool is_dead(const DeadDistances& dead, std::size_t i, std::size_t j) const {
    const double low = std::max(facts_[i].nearest, facts_[j].nearest) - tolerance_;
    const double high = std::min(facts_[i].farthest, facts_[j].farthest) + tolerance_;
    return dead.low <= low && high <= dead.high;
  }

  void do_tile(std::size_t i, std::size_t j) {
    LossLimits limits;
    {
      const std::lock_guard lock(mutex_);
      limits = limits_;
    }
    const GapLimits gaps(limits, request_.question, bands_per_unit_);
    const std::size_t begin = i * kFloatPanel;
    const std::size_t end = end_of(i);
    if (is_dead(gaps.dead(largest_gap(begin, end - 1, j)), i, j)) return;

    std::array<float, kStrips> low{};
    std::array<float, kStrips> high{};
    for (std::size_t s = 0; s < kStrips; ++s) {
      const std::size_t first = begin + s * kFloatStrip;
      if (first >= end) break;  // padding, which is never found
      const std::size_t last = std::min(first + kFloatStrip, end) - 1;
      const DeadDistances dead = gaps.dead(largest_gap(first, last, j));
      // Of near pairs the float32 distance says nothing: they are all looked at.
      const double least = std::max(dead.low + tolerance_, facts_[i].reach + facts_[j].reach);
      const double most = dead.high - tolerance_;
      if (most > least) {
        low[s] = std::nextafter(static_cast<float>(least * least), std::numeric_limits<float>::infinity());
        high[s] = std::isinf(most) ? std::numeric_limits<float>::infinity()
                                   : std::nextafter(static_cast<float>(most * most), 0.0F);
      } else {
        low[s] = std::numeric_limits<float>::infinity();
      }
    }
    thread_local std::vector<FloatHit> hits(kFloatPanel * kFloatPanel);
    const std::size_t count =
        find_float_pairs({.tile = panels_.tile(i, j), .low = low.data(), .high = high.data()}, hits.data());
    std::vector<CandidatePair> own;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t a = begin + hits[k].place / kFloatPanel;
      const std::size_t b = j * kFloatPanel + hits[k].place % kFloatPanel;
      if (i == j && a >= b) continue;
      consider(order_[a], order_[b], std::sqrt(std::max(0.0, static_cast<double>(hits[k].square))), limits,
               own);
    }
    if (own.empty()) return;
    const std::lock_guard lock(mutex_);
    for (const CandidatePair& pair : own) raise(limits_, pair);
    found_.insert(found_.end(), own.begin(), own.end());
    constexpr std::size_t kMany = std::size_t{1} << 20U;
    if (found_.size() < kMany) return;
    prune();
    if (found_.size() >= kMany / 2) given_up_ = true;
  }

  // `distance` is the float32 one.
  void consider(std::size_t row, std::size_t other, double distance, LossLimits& limits,
                std::vector<CandidatePair>& out) {
    const AllPairs::LossQuestion& question = request_.question;
    const double gap = std::abs(question.logs[row] - question.logs[other]) + 2 * request_.log_error;
    const double least = distance - tolerance_;
    const bool is_near = distance < floats_.reach(row) + floats_.reach(other);
    if (!is_near && least > 0) {
      const double most_loss = question.loss(distance + tolerance_, gap);
      const std::optional<double> epsilon = question.epsilon(least, most_loss);
      const double limit = std::min(limits.epsilon(band_of(least, bands_per_unit_)),
                                    limits.epsilon(band_of(distance + tolerance_, bands_per_unit_)));
      if (epsilon && *epsilon < limit * kEarly && most_loss < limits.loss * kEarly) return;
    }
    if (++checks_ > most_checks_) given_up_ = true;
    CandidatePair pair{.first = std::min(row, other), .second = std::max(row, other)};
    pair.distance = pairs_.space().distance(pairs_.word(pair.first), pairs_.word(pair.second));
    pair.band = band_of(pair.distance, bands_per_unit_);
    pair.most_loss = question.loss(pair.distance, gap);
    pair.most_epsilon = question.epsilon(pair.distance, pair.most_loss).value_or(kInfinity);
    if (!matters(pair, limits)) return;
    raise(limits, pair);
    out.push_back(pair);
  }
  [[nodiscard]] static bool matters(const CandidatePair& pair, const LossLimits& limits) {
    return (pair.most_epsilon > 0 && pair.most_epsilon >= limits.epsilon(pair.band) * kEarly) ||
           pair.most_loss >= limits.loss * kEarly;
  }
  void raise(LossLimits& limits, const CandidatePair& pair) const {
    const AllPairs::LossQuestion& question = request_.question;
    const double gap = std::abs(question.logs[pair.first] - question.logs[pair.second]);
    const double least_loss = question.loss(pair.distance, std::max(0.0, gap - 2 * request_.log_error));
    limits.raise(pair.band, question.epsilon(pair.distance, least_loss).value_or(0), least_loss);
  }
  void prune() {
    std::erase_if(found_, [&](const CandidatePair& pair) { return !matters(pair, limits_); });
  }

  const FloatPairs& floats_;
  const AllPairs& pairs_;
  const CandidateRequest& request_;
  double tolerance_;
  double bands_per_unit_;
  std::vector<std::size_t> order_;  // the row of each place
  FloatPairs::Panels panels_;
  std::vector<Panel> facts_;
  std::size_t most_checks_;
  std::atomic<std::size_t> checks_ = 0;
  std::atomic<bool> given_up_ = false;
  std::mutex mutex_;  // of what follows
  LossLimits limits_;
  std::vector<CandidatePair> found_;
};

}  // namespace

std::optional<std::vector<CandidatePair>> candidate_pairs(const FloatPairs& floats,
                                                          const CandidateRequest& request, const Work& work) {
  return LossSearch(floats, request).run(work);
}

}  // namespace sotto
