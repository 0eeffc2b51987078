#include "certify/float_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <numeric>

#include "core/median.h"
#include "core/parallel.h"
#include "core/stop.h"

namespace sotto {
namespace {

constexpr double kUnit = 0x1p-24;  // of float32

// Near pairs are those nearer than about a typical length divided by this. A larger number means fewer near
// pairs and a larger tolerance.
constexpr double kNearShare = 8;

std::span<const float> vector_of(const AllPairs& pairs, std::size_t row) {
  return pairs.space().model().vector(pairs.word(row));
}

// Bound on |float32 square - d^2|, as a share of |x|^2 + |y|^2 (docs/proofs/float-pairs.md, step 2).
double square_error(std::size_t dim) {
  const std::size_t chunks = (dim + kFloatChunk - 1) / kFloatChunk;
  const std::size_t size = (dim + chunks - 1) / chunks;
  return static_cast<double>(size + chunks + 16) * kUnit;
}

}  // namespace

std::optional<FloatPairs> FloatPairs::make(const AllPairs& pairs, const Options& options) {
  const std::size_t rows = pairs.rows();
  if (!pairs.space().is_euclidean() || rows < std::max<std::size_t>(options.least_rows, 2))
    return std::nullopt;
  FloatPairs out(pairs);
  out.squares_.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (const float x : vector_of(pairs, r)) sum += static_cast<double>(x) * static_cast<double>(x);
    out.squares_[r] = sum;
  }
  std::vector<double> sorted = out.squares_;
  const double typical = median(sorted);
  const double largest = *std::max_element(out.squares_.begin(), out.squares_.end());
  if (!(typical >= 1e-20 && largest <= 1e30)) return std::nullopt;

  const std::size_t dim = pairs.space().model().dim();
  out.tolerance_ = kNearShare * square_error(dim) * std::sqrt(typical);
  const double error = square_error(dim) * options.error_share;
  // The rounding of doubles is nothing beside the tolerance, even at the largest distance.
  const double diameter = pairs.space().diameter_bound();
  const double rounding = std::max(1e-12 * diameter, 16 * pairs.space().distance_error().at(diameter));
  if (!(out.tolerance_ >= rounding)) return std::nullopt;
  out.reaches_.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    // Products that leave the range of float32 lose 2^-149 each at most.
    const double own = error * out.squares_[r] + std::ldexp(static_cast<double>(dim), -140);
    constexpr double kUp = 1 + 0x1p-20;  // more than this line and the comparison round
    out.reaches_[r] = static_cast<float>((own / out.tolerance_ + out.tolerance_ / 2) / 2 * kUp);
  }
  if (out.share_of_near_pairs() > options.most_near) return std::nullopt;
  return out;
}

double FloatPairs::share_of_near_pairs() const {
  constexpr std::size_t kSample = 4096;
  const std::size_t rows = pairs_->rows();
  std::size_t near = 0;
  std::uint64_t state = 1;
  const auto next = [&] {  // Knuth's generator: only speed depends on the sample
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((state >> 33U) % rows);
  };
  for (std::size_t i = 0; i < kSample; ++i) {
    const std::size_t first = next();
    const std::size_t second = next();
    if (first == second) continue;
    const double d = pairs_->space().distance(pairs_->word(first), pairs_->word(second));
    if (d < reach(first) + reach(second)) ++near;
  }
  return static_cast<double>(near) / kSample;
}

FloatPairs::Panels::Panels(const FloatPairs& owner, std::span<const std::size_t> order, float padding)
    : dim_(owner.pairs().space().model().dim()) {
  const std::size_t padded = (order.size() + kFloatPanel - 1) / kFloatPanel * kFloatPanel;
  rows_.assign(padded * dim_, 0.0F);
  columns_.assign(padded * dim_, 0.0F);
  squares_.assign(padded, padding);
  for (std::size_t p = 0; p < order.size(); ++p) {
    const auto vector = vector_of(owner.pairs(), order[p]);
    squares_[p] = static_cast<float>(owner.squares_[order[p]]);
    float* const row = rows_.data() + p / kFloatStrip * kFloatStrip * dim_ + p % kFloatStrip;
    float* const column = columns_.data() + p / kFloatGroup * kFloatGroup * dim_ + p % kFloatGroup;
    for (std::size_t j = 0; j < dim_; ++j) {
      row[j * kFloatStrip] = -2 * vector[j];
      column[j * kFloatGroup] = vector[j];
    }
  }
}

FloatTile FloatPairs::Panels::tile(std::size_t row_panel, std::size_t column_panel) const {
  const std::size_t row = row_panel * kFloatPanel;
  const std::size_t column = column_panel * kFloatPanel;
  return {.dim = dim_,
          .rows = rows_.data() + row * dim_,
          .columns = columns_.data() + column * dim_,
          .row_squares = squares_.data() + row,
          .column_squares = squares_.data() + column};
}

bool FloatPairs::can_weigh(std::span<const double> weights) {
  const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
  return *low > 0 && *high <= 0x1p40 * *low && *high <= 0x1p900;
}

// docs/proofs/float-pairs.md, step 3.
double FloatPairs::log_error(const AllPairs::Kernel& kernel) const {
  const auto n = static_cast<double>(pairs_->rows());
  const double largest =
      std::min(kernel.slope * std::min(pairs_->space().diameter_bound(), kernel.gamma), 88.0);
  return kernel.slope * tolerance_ + (4 * largest + kExp2Units + 112) * kUnit + n * 0x1p-50;
}

FloatPairs::Sums FloatPairs::log_sums(const AllPairs::Kernel& kernel, std::span<const double> weights,
                                      const Work& work) const {
  const std::size_t rows = pairs_->rows();
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  const Panels panels(*this, order, 0.0F);
  const std::size_t padded = panels.count() * kFloatPanel;
  const double scale = *std::max_element(weights.begin(), weights.end());
  std::vector<float> scaled(padded, 0.0F);
  for (std::size_t r = 0; r < rows; ++r) scaled[r] = static_cast<float>(weights[r] / scale);
  std::vector<float> reaches(padded, std::numeric_limits<float>::infinity());
  std::copy(reaches_.begin(), reaches_.end(), reaches.begin());

  Sums out{.logs = std::vector<double>(rows, 0.0),
           .nearest = std::vector<double>(rows, std::numeric_limits<double>::infinity()),
           .farthest = std::vector<double>(rows, 0.0)};
  const auto meet = [&](std::size_t row, double low, double high) {
    out.nearest[row] = std::min(out.nearest[row], low);
    out.farthest[row] = std::max(out.farthest[row], high);
  };
  std::vector<std::vector<double>> partial(kStripes);
  std::mutex mutex;  // of `out` and of the steps
  Steps steps{.done = 0, .total = panels.count() * (panels.count() + 1) / 2, .unit = "tiles"};

  struct Half {  // of one tile: what its rows or its columns gather
    std::array<float, kFloatPanel> sums;
    std::array<float, kFloatPanel> nearest;
    std::array<float, kFloatPanel> farthest;
    void clear() {
      sums.fill(0.0F);
      nearest.fill(std::numeric_limits<float>::infinity());
      farthest.fill(0.0F);
    }
  };
  const double largest = kernel.slope * kernel.gamma;
  const auto do_tile = [&](std::size_t i, std::size_t j, std::vector<double>& sums) {
    thread_local Half own;
    thread_local Half other;
    thread_local std::vector<std::uint16_t> near(kFloatPanel * kFloatPanel);
    own.clear();
    other.clear();
    const std::size_t row = i * kFloatPanel;
    const std::size_t column = j * kFloatPanel;
    const std::size_t count =
        add_float_sums({.tile = panels.tile(i, j),
                        .row_reach = reaches.data() + row,
                        .column_reach = reaches.data() + column,
                        .row_weights = scaled.data() + row,
                        .column_weights = scaled.data() + column,
                        .slope = static_cast<float>(-kernel.slope * std::numbers::log2e),
                        .lowest = static_cast<float>(std::max(-largest * std::numbers::log2e, -125.0)),
                        .row_sums = own.sums.data(),
                        .column_sums = other.sums.data(),
                        .row_nearest = own.nearest.data(),
                        .column_nearest = other.nearest.data(),
                        .row_farthest = own.farthest.data(),
                        .column_farthest = other.farthest.data()},
                       near.data());
    const bool is_diagonal = i == j;
    struct Met {
      std::size_t row;
      double distance;
    };
    std::vector<Met> met;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t a = row + near[k] / kFloatPanel;
      const std::size_t b = column + near[k] % kFloatPanel;
      if (a >= rows || b >= rows) continue;
      if (a == b) {
        sums[a] += weights[a] / scale;
        continue;
      }
      const double d = pairs_->space().distance(pairs_->word(a), pairs_->word(b));
      const double value = std::exp(-kernel.slope * std::min(d, kernel.gamma)) / scale;
      sums[a] += weights[b] * value;
      met.push_back({.row = a, .distance = d});
      if (is_diagonal) continue;
      sums[b] += weights[a] * value;
      met.push_back({.row = b, .distance = d});
    }
    const std::lock_guard lock(mutex);
    for (const Met& each : met) meet(each.row, each.distance, each.distance);
    const auto gather = [&](const Half& half, std::size_t first) {
      for (std::size_t k = 0; k < kFloatPanel && first + k < rows; ++k) {
        sums[first + k] += static_cast<double>(half.sums[k]);
        // Without a distance the target EMU128 gives the largest float here, the others infinity.
        if (half.nearest[k] >= std::numeric_limits<float>::max()) continue;
        meet(first + k, static_cast<double>(half.nearest[k]), static_cast<double>(half.farthest[k]));
      }
    };
    gather(own, row);
    if (!is_diagonal) gather(other, column);
    ++steps.done;
    if (work.progress) work.progress(steps);
  };
  parallel_blocks(kStripes, 1, work.threads, [&](std::size_t stripe, std::size_t /*end*/) {
    std::vector<double> sums(rows, 0.0);
    for (std::size_t i = 0; i < panels.count(); ++i) {
      // The first j >= i with (i + j) mod kStripes == stripe.
      const std::size_t skip = (stripe + 2 * kStripes * panels.count() - 2 * i) % kStripes;
      for (std::size_t j = i + skip; j < panels.count(); j += kStripes) {
        throw_if_stopped();
        do_tile(i, j, sums);
      }
    }
    partial[stripe] = std::move(sums);
  });
  for (const auto& part : partial) {
    for (std::size_t r = 0; r < rows; ++r) out.logs[r] += part[r];
  }
  for (double& value : out.logs) value = std::log(value) + std::log(scale);
  return out;
}

}  // namespace sotto
