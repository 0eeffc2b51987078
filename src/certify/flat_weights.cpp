#include "certify/flat_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certify/tem_certificate.h"

namespace sotto {
namespace {

// Kernels of metrics that do not embed into a Hilbert space, or cut at gamma, need not be positive definite:
// then the gradients may fail, and the multiplicative iteration takes over.
constexpr std::size_t kMostIterations = 60;
constexpr std::size_t kMultiplicativeRounds = 50;
constexpr std::size_t kMostSolves = 12;
constexpr std::size_t kCheckpointEvery = 5;

class Solver {
 public:
  Solver(const AllPairs& pairs, const FlatRequest& request, const Work& work)
      : pairs_(pairs), request_(request), work_(work), held_(pairs.rows(), false) {
    x_ = request.start;
    if (x_.empty()) {
      x_.assign(pairs.multiplicities().begin(), pairs.multiplicities().end());
      sums_ = apply(x_);
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] /= sums_[i];
    }
    // Where an earlier solution was held, hold at first too.
    const double least = request.start.empty() ? 0 : floor_share();
    for (std::size_t i = 0; i < x_.size(); ++i) held_[i] = share(i) <= least * (1 + 1e-9);
    sums_ = apply(x_);
  }

  FlatWeights solve() {
    bool converged = true;
    std::size_t changes = 1;
    for (std::size_t i = 0; i < kMostSolves; ++i) {
      // Which weights to hold shows long before the others are exact.
      converged = descend(changes > 0 ? std::max(1e-3, request_.tolerance) : request_.tolerance);
      if (!converged) break;
      changes = hold_and_release();
      // Once the held rows have settled, the residuals are made free of what rough passes did to them.
      is_sharp_ = is_sharp_ || (changes == 0 && request_.rough != nullptr && request_.floats != nullptr);
      sums_ = is_sharp_ && FloatPairs::can_weigh(x_) ? sharp_sums() : apply(x_);
      if (changes == 0 && largest_residual() <= request_.tolerance) break;
    }
    if (!converged) multiply();
    if (request_.rough == nullptr) sums_ = apply(x_);
    return {.weights = x_, .sums = sums_, .held = held_count(), .float_sums = std::move(float_sums_)};
  }

 private:
  std::vector<double> apply(const std::vector<double>& weights) {
    ++passes_;
    const Work work = named(work_, fmt::format("tiles, flattening, pass {}", passes_));
    return request_.rough == nullptr
               ? pairs_.kernel_sums(request_.kernel, weights, work)
               : pairs_.rough_kernel_sums(*request_.rough, request_.kernel, weights, work);
  }
  [[nodiscard]] std::vector<double> sharp_sums() {
    ++passes_;
    const Work work = named(work_, fmt::format("tiles, flattening, pass {}", passes_));
    float_sums_ = request_.floats->log_sums(request_.kernel, x_, work);
    std::vector<double> sums = float_sums_->logs;
    for (double& value : sums) value = std::exp(value);
    return sums;
  }
  [[nodiscard]] double share(std::size_t row) const { return x_[row] / pairs_.multiplicities()[row]; }
  [[nodiscard]] double residual(std::size_t row) const { return held_[row] ? 0.0 : 1 - sums_[row]; }
  [[nodiscard]] double largest_residual() const {
    double largest = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) largest = std::max(largest, std::abs(residual(i)));
    return largest;
  }
  [[nodiscard]] std::size_t held_count() const {
    return static_cast<std::size_t>(std::count(held_.begin(), held_.end(), true));
  }

  // Conjugate gradients over the free rows, until |1 - Z| is below `tolerance` there. False: it failed.
  bool descend(double tolerance) {
    std::vector<double> direction(x_.size());
    double square = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      direction[i] = residual(i);
      square += direction[i] * direction[i];
    }
    for (std::size_t iteration = 0; largest_residual() > tolerance; ++iteration) {
      if (iteration == kMostIterations) return false;
      const std::vector<double> image = apply(direction);
      double curvature = 0;
      for (std::size_t i = 0; i < x_.size(); ++i) curvature += direction[i] * image[i];
      if (!(curvature > 0)) return false;
      const double step = square / curvature;
      float_sums_.reset();
      double next = 0;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        x_[i] += step * direction[i];
        sums_[i] += step * image[i];
        next += residual(i) * residual(i);
      }
      for (std::size_t i = 0; i < x_.size(); ++i) {
        direction[i] = residual(i) + next / square * direction[i];
        if (held_[i]) direction[i] = 0;
      }
      square = next;
      if (request_.checkpoint && iteration % kCheckpointEvery == kCheckpointEvery - 1) {
        request_.checkpoint(clipped());
      }
    }
    return true;
  }

  [[nodiscard]] double floor_share() const {
    double largest = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) largest = std::max(largest, share(i));
    return request_.floor * largest;
  }
  [[nodiscard]] std::vector<double> clipped() const {
    std::vector<double> weights = x_;
    const double least = floor_share();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = std::max(weights[i], least * pairs_.multiplicities()[i]);
    }
    return weights;
  }

  // Rows that fell below the floor are put there; those held whose Z is below 1 want weight again. Returns
  // the number of changes, after which the sums are to be computed anew: that also takes away the rounding
  // that the steps have gathered.
  std::size_t hold_and_release() {
    const double least = floor_share();
    std::size_t changes = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (held_[i] && sums_[i] < 1 - request_.tolerance) {
        held_[i] = false;
        ++changes;
      } else if (!held_[i] && share(i) < least) {
        held_[i] = true;
        x_[i] = least * pairs_.multiplicities()[i];
        float_sums_.reset();
        ++changes;
      }
    }
    return changes;
  }

  // c <- c/(Kc), which keeps weights positive whatever the kernel.
  void multiply() {
    held_.assign(x_.size(), false);
    float_sums_.reset();
    x_.assign(pairs_.multiplicities().begin(), pairs_.multiplicities().end());
    sums_ = apply(x_);
    for (std::size_t round = 0; round < kMultiplicativeRounds; ++round) {
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] /= sums_[i];
      sums_ = apply(x_);
    }
    x_ = clipped();
    sums_ = apply(x_);
  }

  const AllPairs& pairs_;
  const FlatRequest& request_;
  const Work& work_;
  std::vector<double> x_;
  std::vector<double> sums_;
  std::vector<bool> held_;
  std::optional<FloatPairs::Sums> float_sums_;  // empty: x_ has changed since
  std::size_t passes_ = 0;
  bool is_sharp_ = false;
};

}  // namespace

FlatWeights flat_weights(const AllPairs& pairs, const FlatRequest& request, const Work& work) {
  return Solver(pairs, request, work).solve();
}

}  // namespace sotto
