#include "certify/all_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>

#include "certify/found_losses.h"
#include "core/infinity.h"
#include "core/parallel.h"
#include "core/stop.h"
#include "model/metrics.h"

namespace sotto {
namespace {

std::vector<double> padded(std::span<const double> values, std::size_t size) {
  std::vector<double> out(size, 0.0);
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

}  // namespace

AllPairs::AllPairs(std::shared_ptr<const Space> space)
    : space_(std::move(space)), metric_(metric_info(space_->metric())), kernels_(sum_kernels(metric_.sum)) {
  const Model& model = space_->model();
  row_of_.resize(model.size());
  for (std::size_t i = 0; i < model.size(); ++i) {
    const std::size_t first = index_of(space_->representative(word_id(i)));
    if (first == i) {
      row_of_[i] = static_cast<std::uint32_t>(words_.size());
      words_.push_back(word_id(i));
      multiplicities_.push_back(0);
    } else {
      row_of_[i] = row_of_[first];
    }
    multiplicities_[row_of_[i]] += 1;
  }

  padded_ = (rows() + kPanel - 1) / kPanel * kPanel;
  packed_.assign(padded_ * model.dim(), 0.0);
  rooms_.assign(padded_, 1.0);
  for (std::size_t r = 0; r < rows(); ++r) {
    const auto vector = model.vector(words_[r]);
    rooms_[r] = space_->room(words_[r]);
    const double factor = space_->factor(words_[r]);
    double* place = packed_.data() + r / kPanel * kPanel * model.dim() + r % kPanel;
    for (std::size_t j = 0; j < vector.size(); ++j) place[j * kPanel] = vector[j] * factor;
  }
}

const double* AllPairs::distances_of(const StripRows& own, std::size_t panel) const {
  thread_local std::vector<double> scratch;
  const std::size_t dim = space_->model().dim();
  const std::size_t area = kStripRows * kPanel;
  scratch.resize(2 * area + dim * kStripRows);
  double* distances = scratch.data();
  double* totals = distances + area;
  double* strip = totals + area;
  for (std::size_t r = 0; r < kStripRows; ++r) {
    const double* vector = packed_.data() + own[r] / kPanel * kPanel * dim + own[r] % kPanel;
    for (std::size_t j = 0; j < dim; ++j) strip[j * kStripRows + r] = vector[j * kPanel];
  }
  const double* other = packed_.data() + panel * kPanel * dim;
  kernels_.strip({.dim = dim, .rows = strip, .panel = other}, distances, totals);
  const std::size_t width = std::min(kPanel, rows() - panel * kPanel);
  for (std::size_t r = 0; r < kStripRows; ++r) {
    double* values = distances + r * kPanel;
    metric_.finish.panel({.values = {values, kPanel},
                          .totals = totals + r * kPanel,
                          .own_room = rooms_[own[r]],
                          .rooms = rooms_.data() + panel * kPanel});
    std::fill(values + (own[r] < rows() ? width : 0), values + kPanel, -1.0);
  }
  return distances;
}

const double* AllPairs::distances_of(const Strip& at) const {
  StripRows own{};
  std::iota(own.begin(), own.end(), at.row);
  return distances_of(own, at.panel);
}

void AllPairs::visit_rows(std::span<const std::size_t> chosen, const Work& work, const RowBody& body) const {
  constexpr std::size_t kRows = 32;  // that share the reading of all panels
  parallel_blocks(chosen.size(), kRows, work.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> distances((end - begin) * rows());
    for (std::size_t panel = 0; panel < panels(); ++panel) {
      const std::size_t width = std::min(kPanel, rows() - panel * kPanel);
      for (std::size_t first = begin; first < end; first += kStripRows) {
        StripRows own{};
        for (std::size_t r = 0; r < kStripRows; ++r) own[r] = chosen[std::min(first + r, end - 1)];
        const double* strip = distances_of(own, panel);
        for (std::size_t r = 0; r < kStripRows && first + r < end; ++r) {
          std::copy_n(strip + r * kPanel, width,
                      distances.data() + (first + r - begin) * rows() + panel * kPanel);
        }
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      body(i, std::span(distances).subspan((i - begin) * rows(), rows()));
    }
  });
}

void AllPairs::visit(const Work& work, const Body& body) const {
  const std::size_t count = panels();
  std::mutex mutex;
  Steps steps{.done = 0, .total = count * (count + 1) / 2, .unit = "tiles"};
  parallel_blocks(kStripes, 1, work.threads, [&](std::size_t stripe, std::size_t) {
    for (std::size_t i = 0; i < count; ++i) {
      // The first j >= i with (i + j) mod kStripes == stripe.
      const std::size_t skip = (stripe + 2 * kStripes * count - 2 * i) % kStripes;
      for (std::size_t j = i + skip; j < count; j += kStripes) {
        const std::size_t end = std::min((i + 1) * kPanel, rows());
        for (std::size_t row = i * kPanel; row < end; row += kStripRows) {
          body(stripe, {.row = row, .panel = j});
        }
        throw_if_stopped();  // a stripe may take a minute
        const std::lock_guard lock(mutex);
        ++steps.done;
        if (work.progress) work.progress(steps);
      }
    }
  });
}

std::vector<double> AllPairs::sums_over_tiles(const Work& work, const Adder& add, std::size_t width) const {
  std::vector<std::vector<double>> partial(kStripes);
  visit(work, [&](std::size_t stripe, const Strip& strip) {
    if (partial[stripe].empty()) partial[stripe].assign(width * padded_, 0.0);
    add(strip, partial[stripe].data());
  });
  std::vector<double> sums(width * rows(), 0.0);
  for (const auto& part : partial) {
    if (part.empty()) continue;
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t r = 0; r < rows(); ++r) sums[k * rows() + r] += part[k * padded_ + r];
    }
  }
  return sums;
}

std::vector<double> AllPairs::kernel_sums(const Kernel& kernel, std::span<const double> weights,
                                          const Work& work) const {
  const WeightedKernel own{.kernel = kernel, .weights = weights};
  return kernel_sums(std::span(&own, 1), work).front();
}

std::vector<std::vector<double>> AllPairs::kernel_sums(std::span<const WeightedKernel> kernels,
                                                       const Work& work) const {
  constexpr std::size_t kSumBytes = std::size_t{256} << 20;
  const std::size_t most = std::max<std::size_t>(1, kSumBytes / (kStripes * padded_ * sizeof(double) + 1));
  std::vector<std::vector<double>> out;
  for (std::size_t first = 0; first < kernels.size(); first += most) {
    const auto own = kernels.subspan(first, std::min(most, kernels.size() - first));
    std::vector<std::vector<double>> weights;
    for (const WeightedKernel& kernel : own) weights.push_back(padded(kernel.weights, padded_));
    const std::vector<double> sums = sums_over_tiles(
        work,
        [&](const Strip& strip, double* all) {
          const std::size_t column = strip.panel * kPanel;
          const double* distances = distances_of(strip);
          for (std::size_t k = 0; k < own.size(); ++k) {
            double* const totals = all + k * padded_;
            add_kernel({.distances = distances,
                        .slope = own[k].kernel.slope,
                        .gamma = own[k].kernel.gamma,
                        .row_weights = weights[k].data() + strip.row,
                        .panel_weights = weights[k].data() + column,
                        .row_sums = totals + strip.row,
                        .panel_sums = strip.is_diagonal() ? nullptr : totals + column});
          }
        },
        own.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(k * rows());
      out.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(rows()));
    }
  }
  return out;
}

std::size_t AllPairs::place_of(const Strip& strip) const noexcept {
  const std::size_t panel = strip.row / kPanel;
  // Before the tiles of `panel` are those of the panels before it, each one shorter than the last.
  const std::size_t tile = panel * panels() - panel * (panel - 1) / 2 + (strip.panel - panel);
  return tile * kPanel * kPanel + strip.row % kPanel * kPanel;
}

std::size_t AllPairs::rough_bytes() const noexcept {
  return panels() * (panels() + 1) / 2 * kPanel * kPanel;
}

AllPairs::RoughDistances AllPairs::rough_distances(double reach, const Work& work) const {
  constexpr double kSteps = 255;
  // Pages come when a tile is first written: zeroing gigabytes here would take a second that cannot be
  // stopped.
  RoughDistances rough{.step = reach / kSteps, .memory = LargeMemory(rough_bytes())};
  visit(work, [&](std::size_t /*stripe*/, const Strip& strip) {
    const double* distances = distances_of(strip);
    std::uint8_t* out = rough.steps() + place_of(strip);
    for (std::size_t i = 0; i < kStripRows * kPanel; ++i) {
      out[i] = static_cast<std::uint8_t>(std::clamp(distances[i] / rough.step + 0.5, 0.0, kSteps));
    }
  });
  return rough;
}

std::vector<double> AllPairs::rough_kernel_sums(const RoughDistances& distances, const Kernel& kernel,
                                                std::span<const double> weights, const Work& work) const {
  std::vector<float> c(padded_, 0.0F);
  std::transform(weights.begin(), weights.end(), c.begin(), [](double w) { return static_cast<float>(w); });
  const StepTables tables(kernel.slope * distances.step, kernel.slope * kernel.gamma);
  return sums_over_tiles(work, [&](const Strip& strip, double* sums) {
    const std::size_t column = strip.panel * kPanel;
    add_rough_kernel({.steps = distances.steps() + place_of(strip),
                      .tables = &tables,
                      .row_weights = c.data() + strip.row,
                      .panel_weights = c.data() + column,
                      .row_sums = sums + strip.row,
                      .panel_sums = strip.is_diagonal() ? nullptr : sums + column});
  });
}

double AllPairs::LossQuestion::loss(double distance, double log_gap) const {
  const double cut = std::min(distance, kernel.gamma);
  // No error of a distance changes what is cut at gamma by more than gamma.
  return kernel.slope * (cut + std::min(error.at(cut), kernel.gamma)) + std::abs(log_gap) + margin;
}

std::optional<double> AllPairs::LossQuestion::epsilon(double distance, double loss) const {
  const double least = distance - error.at(distance);
  if (!(least > 0)) return std::nullopt;
  constexpr double kUp = 1 + 0x1p-50;  // more than these lines round
  return std::min(std::max(0.0, loss - allowance) / least * kUp, most_epsilon);
}

AllPairs::LossAnswer AllPairs::largest_losses(const LossQuestion& question, const Work& work) const {
  if (rows() < 2) return {};
  const std::vector<double> logs = padded(question.logs, padded_);
  const Kernel& kernel = question.kernel;
  const double bands_per_unit = static_cast<double>(kBands) / space_->diameter_bound();
  // The strips' distances differ from those of Space by two errors; the question's own makes three. What the
  // strips add up in another order is off by a few units of the largest loss.
  const DistanceError& error = question.error;
  const double largest_cut = std::min(space_->diameter_bound(), kernel.gamma);
  const auto [low, high] = std::minmax_element(question.logs.begin(), question.logs.end());
  const double rounding = std::ldexp(kernel.slope * largest_cut + (*high - *low) + question.margin, -49);
  const double absolute = kernel.slope * std::min(3 * error.absolute, kernel.gamma);
  std::vector<FoundLosses> found(kStripes);
  visit(work, [&](std::size_t stripe, const Strip& strip) {
    FoundLosses& own = found[stripe];
    if (own.nearest.empty()) own.nearest.assign(padded_, kInfinity);
    const std::size_t column = strip.panel * kPanel;
    std::array<std::uint16_t, kStripRows * kPanel> places;
    const std::size_t count = find_losses({.distances = distances_of(strip),
                                           .slope = kernel.slope * (1 + 4 * error.relative),
                                           .gamma = kernel.gamma,
                                           .row_logs = logs.data() + strip.row,
                                           .panel_logs = logs.data() + column,
                                           .margin = question.margin + absolute + rounding,
                                           .allowance = question.allowance,
                                           .distance_factor = 1 - 4 * error.relative,
                                           .distance_margin = 3 * error.absolute,
                                           .ratio = own.worst.threshold() * kEarly,
                                           .bands = own.band_ratios.data(),
                                           .bands_per_unit = bands_per_unit,
                                           .loss = own.loss * kEarly,
                                           .row_nearest = own.nearest.data() + strip.row,
                                           .panel_nearest = own.nearest.data() + column,
                                           .largest_distance = &own.largest_distance},
                                          places.data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = strip.row + places[i] / kPanel;
      const std::size_t second = column + places[i] % kPanel;
      if (first >= second) continue;
      const double d = space_->distance(words_[first], words_[second]);
      const double loss = question.loss(d, logs[first] - logs[second]);
      own.meet(question, {.first = words_[first], .second = words_[second], .distance = d, .loss = loss},
               bands_per_unit);
    }
  });

  FoundLosses all;
  all.nearest.assign(rows(), kInfinity);
  for (const FoundLosses& part : found) {
    if (!part.nearest.empty()) all.merge(part);
  }
  return all.take();
}

}  // namespace sotto
