#include "sotto/space.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/parallel.h"
#include "model/metrics.h"

namespace sotto {
namespace {

// What two vectors must have in common to share a row (space.h), as doubles to compare.
void row_key(std::span<const float> vector, bool is_directional, std::vector<double>& key) {
  double length = 1;
  if (is_directional) {
    const auto pivot = std::ranges::find_if(vector, [](float x) { return x != 0; });
    length = std::abs(static_cast<double>(*pivot));
  }
  key.resize(vector.size());
  // The 0 that is added makes 0 of -0.
  std::ranges::transform(vector, key.begin(), [&](float x) { return static_cast<double>(x) / length + 0.0; });
}

// `factors` is empty or has one for each word.
Vectors vectors_from(const Model& model, const std::vector<double>& factors, std::size_t word) {
  return {.values = model.rows() + word * model.stride(),
          .factors = factors.empty() ? nullptr : factors.data() + word};
}

}  // namespace

Space::Space(std::shared_ptr<const Model> model, Metric metric)
    : model_(std::move(model)),
      metric_(metric),
      info_(metric_info(metric)),
      kernels_(sum_kernels(info_.sum)) {}

std::shared_ptr<const Space> Space::make(std::shared_ptr<const Model> model, Metric metric) {
  std::shared_ptr<Space> space(new Space(std::move(model), metric));
  space->find_scales();
  space->find_groups();
  space->find_reach();
  return space;
}

bool Space::is_euclidean() const noexcept {
  return sotto::is_euclidean(info_);
}

bool Space::is_directional() const noexcept {
  return info_.scaling == Scaling::unit_length;
}

void Space::find_scales() {
  if (info_.scaling == Scaling::none) return;
  std::vector<double>& scales = info_.scaling == Scaling::unit_length ? factors_ : rooms_;
  scales.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    scales[i] = scale_of(info_.scaling, model_->vector(word_id(i)), i + 1);
  }
}

double Space::raw_distance(std::size_t a, std::size_t b) const {
  const PairSum sum =
      kernels_.pair(vectors_from(*model_, factors_, a), vectors_from(*model_, factors_, b), model_->stride());
  return info_.finish.pair(sum, rooms_.empty() ? 1 : rooms_[a] * rooms_[b]);
}

DistanceError Space::distance_error() const noexcept {
  const auto dim = static_cast<double>(model_->dim());
  return {.relative = std::ldexp(dim + info_.error_units, -53), .absolute = info_.absolute_error};
}

double Space::distance(WordId a, WordId b) const {
  return raw_distance(index_of(representative(a)), index_of(representative(b)));
}

void Space::distances_from(WordId from, std::span<double> out) const {
  constexpr std::size_t kBlock = 256;  // whose sums stay in the first-level cache
  std::array<double, kBlock> totals{};
  const std::size_t source = index_of(representative(from));
  for (std::size_t first = 0; first < size(); first += kBlock) {
    const auto block = out.subspan(first, std::min(kBlock, size() - first));
    kernels_.row(vectors_from(*model_, factors_, source), vectors_from(*model_, factors_, first),
                 model_->stride(), block, totals.data());
    info_.finish.row({.values = block,
                      .totals = totals.data(),
                      .own_room = room(word_id(source)),
                      .rooms = rooms_.empty() ? nullptr : rooms_.data() + first});
  }
  // A representative precedes its group, so its entry is final when it is copied.
  for (std::size_t y = 0; y < representatives_.size(); ++y) out[y] = out[index_of(representatives_[y])];
}

void Space::find_groups() {
  const std::size_t n = size();
  std::vector<std::uint64_t> hashes(n);
  parallel_blocks(n, 4096, 0, [&](std::size_t begin, std::size_t end) {
    std::vector<double> key;
    for (std::size_t i = begin; i < end; ++i) {
      row_key(model_->vector(word_id(i)), is_directional(), key);
      hashes[i] = XXH3_64bits(key.data(), key.size() * sizeof(double));
    }
  });
  // Words by their hashes, at least half of the slots empty. A word that finds its key is not put in.
  constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> slots(std::bit_ceil(2 * n + 1), kEmpty);
  std::vector<double> key;
  std::vector<double> other;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint64_t at = hashes[i];; ++at) {
      std::uint32_t& slot = slots[at & (slots.size() - 1)];
      if (slot == kEmpty) {
        slot = static_cast<std::uint32_t>(i);
        break;
      }
      if (hashes[slot] != hashes[i]) continue;
      row_key(model_->vector(word_id(i)), is_directional(), key);
      row_key(model_->vector(word_id(slot)), is_directional(), other);
      if (key != other) continue;
      if (representatives_.empty()) {
        representatives_.resize(n);
        for (std::size_t w = 0; w < n; ++w) representatives_[w] = word_id(w);
      }
      representatives_[i] = word_id(slot);
      ++merged_words_;
      break;
    }
  }
}

// Twice the largest distance from word 0, by the triangle inequality, and the errors of three distances: of
// the two that are added, and of the one that the bound is compared with.
void Space::find_reach() {
  if (has_one_row()) return;
  double reach = 0;
  for (std::size_t i = 1; i < size(); ++i) reach = std::max(reach, raw_distance(0, i));
  const DistanceError error = distance_error();
  diameter_bound_ = std::min((2 * reach + 4 * error.absolute) * (1 + 3 * error.relative),
                             info_.largest * (1 + error.relative));
}

}  // namespace sotto
