#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/large_memory.h"
#include "core/prefetch.h"
#include "core/uniform.h"
#include "neighbours/neighbourhoods.h"

namespace sotto {

// What tem draws from for one word (tem_sampler.cpp). One block of memory, in an arena: this header, then the
// items in ascending order of weight.
class alignas(64) TemRow {
 public:
  static constexpr std::size_t kMostItems = Neighbourhoods::kHead + Clusters::kMost;

  struct Item {
    double sum;        // of the weights up to this one
    std::uint32_t id;  // a word, or a cluster
    float nearest;     // of a cluster, its smallest distance outside the head; negative: a word
  };
  struct Weighted {
    double weight;
    std::uint32_t id;
    float nearest;
  };

  // Sorts clusters by weight, keeping the order of equal ones. `order` has every cluster; in it no weight is
  // above a later one. One pass, where a sort would need several.
  static void sort_clusters(std::span<Weighted> clusters, std::span<const std::uint16_t> order);

  struct ClusterWeights {
    std::span<Weighted> clusters;
    std::size_t sorted;  // so many of them, the first ones, are in ascending order of weight
  };
  // Sorts the clusters by weight, keeping the order of equal ones, and merges them with `words`, which are in
  // ascending order of weight. Of equal weights the clusters come first.
  static const TemRow* make(ClusterWeights given, std::span<const Weighted> words, const Neighbourhood& near,
                            Arena& arena);

  // Without a search: the order of a head is total, and distances are the same to the bit each time.
  [[nodiscard]] bool has_in_head(WordId word, double distance) const {
    return distance < farthest_ || (distance == farthest_ && word <= last_);
  }

  [[nodiscard]] bool may_have_in_head(double distance) const { return distance <= farthest_; }

  // choose_by_sums (core/uniform.h) in two steps, between which memory may come. The first draws 64 bits of
  // V, on [0, 2^exponent), below the total as far as they tell.
  [[nodiscard]] std::uint64_t draw(Rng& rng) const {
    for (;;) {
      const std::uint64_t leading = rng.bits();
      if (low(leading) < total_) {
        const std::span<const Item> range = items_near(leading);
        prefetch_bytes(range.data(), std::min<std::size_t>(range.size(), 16) * sizeof(Item));
        return leading;
      }
    }
  }
  // The item of V; null: V is not below the total after all.
  [[nodiscard]] const Item* find(std::uint64_t leading, Rng& rng) const {
    const double from = low(leading);
    const double high = static_cast<double>((leading >> 11) + 1) * step_;
    const std::span<const Item> range = items_near(leading);
    const Item* first = range.data();
    for (std::size_t length = range.size(); length > 1;) {
      const std::size_t half = length / 2;
      first += half & -static_cast<std::size_t>(first[half - 1].sum <= from);
      length -= half;
    }
    first += first->sum <= from ? 1 : 0;
    const Item* const end = items() + count_;
    if (first == end || first->sum >= high) return first == end ? nullptr : first;
    LazyUniform uniform(rng, leading);
    while (first != end && first->sum < high && !uniform.below(first->sum, {exponent_})) ++first;
    return first == end ? nullptr : first;
  }

 private:
  TemRow(std::span<const Weighted> weighted, const Neighbourhood& near);
  [[nodiscard]] const Item* items() const { return reinterpret_cast<const Item*>(this + 1); }
  [[nodiscard]] double low(std::uint64_t leading) const { return static_cast<double>(leading >> 11) * step_; }
  // Never empty. The item of V is among them, or follows their last one, which is then the row's last.
  [[nodiscard]] std::span<const Item> items_near(std::uint64_t leading) const {
    const std::size_t guide = leading >> kGuideShift;
    const std::size_t first = std::size_t{2} * guides_[guide];
    const std::size_t end = std::min<std::size_t>(std::size_t{2} * guides_[guide + 1] + 2, count_);
    return {items() + first, end - first};
  }

  static constexpr std::size_t kGuides = 128;
  static constexpr int kGuideShift = 57;

  double total_ = 0;
  double step_ = 0;   // 2^(exponent - 53)
  double farthest_;   // distance of the head's last word
  WordId last_;       // that word
  int exponent_ = 0;  // 2^exponent is the power of two at or above the total
  std::uint32_t count_;
  // For each 1/128 of [0, 2^exponent): half the index of the first item whose sum is above its lower end, or
  // of the last item. Halves fit a byte, so that all guides lie on three cache lines.
  std::array<std::uint8_t, kGuides + 1> guides_{};
  static_assert(kMostItems <= 512);
};

}  // namespace sotto
