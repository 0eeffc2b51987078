#include "mechanisms/tem/tem_row.h"

#include <cmath>
#include <new>
#include <utility>

namespace sotto {
namespace {

using Weighted = TemRow::Weighted;

// Of two sorted lists, without branches on weights, which would be mispredicted half of the time. Of equal
// weights those of `a` come first.
Weighted* merge(std::span<const Weighted> a, std::span<const Weighted> b, Weighted* out) {
  const Weighted* left = a.data();
  const Weighted* right = b.data();
  const Weighted* const left_end = left + a.size();
  const Weighted* const right_end = right + b.size();
  while (left != left_end && right != right_end) {
    const std::size_t from_right = right->weight < left->weight ? 1 : 0;
    const std::array<const Weighted*, 2> choices = {left, right};
    *out++ = *choices[from_right];
    right += from_right;
    left += 1 - from_right;
  }
  return std::copy(right, right_end, std::copy(left, left_end, out));
}

// Stable, and quick whatever the order is: where epsilon is large the masses of the clusters decide it, else
// their distances do. `items` may lie in `items` or in `scratch` afterwards: the result is returned.
std::span<Weighted> sorted_by_weight(std::span<Weighted> items, std::span<Weighted> scratch) {
  constexpr std::size_t kRun = 8;
  for (std::size_t begin = 0; begin < items.size(); begin += kRun) {
    const std::size_t end = std::min(begin + kRun, items.size());
    for (std::size_t i = begin + 1; i < end; ++i) {
      const Weighted item = items[i];
      std::size_t place = i;
      for (; place > begin && item.weight < items[place - 1].weight; --place) items[place] = items[place - 1];
      items[place] = item;
    }
  }
  std::span<Weighted> to = scratch.first(items.size());
  for (std::size_t run = kRun; run < items.size(); run *= 2) {
    for (std::size_t begin = 0; begin < items.size(); begin += 2 * run) {
      const std::size_t middle = std::min(begin + run, items.size());
      const std::size_t end = std::min(begin + 2 * run, items.size());
      merge(items.subspan(begin, middle - begin), items.subspan(middle, end - middle), to.data() + begin);
    }
    std::swap(items, to);
  }
  return items;
}

}  // namespace

void TemRow::sort_clusters(std::span<Weighted> clusters, std::span<const std::uint16_t> order) {
  constexpr std::uint16_t kAbsent = 0xFFFF;
  std::array<std::uint16_t, Clusters::kMost> place;
  place.fill(kAbsent);
  for (std::size_t i = 0; i < clusters.size(); ++i) place[clusters[i].id] = static_cast<std::uint16_t>(i);
  std::array<Weighted, Clusters::kMost> sorted;
  std::size_t count = 0;
  for (const std::uint16_t cluster : order) {
    if (place[cluster] == kAbsent) continue;
    const Weighted item = clusters[place[cluster]];
    std::size_t at = count++;
    for (; at > 0 && sorted[at - 1].weight == item.weight && place[sorted[at - 1].id] > place[cluster]; --at)
      sorted[at] = sorted[at - 1];
    sorted[at] = item;
  }
  std::copy_n(sorted.begin(), count, clusters.begin());
}

const TemRow* TemRow::make(ClusterWeights given, std::span<const Weighted> words, const Neighbourhood& near,
                           Arena& arena) {
  std::array<Weighted, Clusters::kMost> scratch;
  std::array<Weighted, Clusters::kMost> all;
  const auto rest = sorted_by_weight(given.clusters.subspan(given.sorted), scratch);
  const Weighted* end = merge(given.clusters.first(given.sorted), rest, all.data());
  const std::span<const Weighted> clusters(all.data(), end);
  std::array<Weighted, kMostItems> merged;
  end = merge(clusters, words, merged.data());
  const std::span<const Weighted> items(merged.data(), end);
  return new (arena.allocate(sizeof(TemRow) + items.size() * sizeof(Item))) TemRow(items, near);
}

TemRow::TemRow(std::span<const Weighted> weighted, const Neighbourhood& near)
    : farthest_(near.distances.back()),
      last_(near.words.back()),
      count_(static_cast<std::uint32_t>(weighted.size())) {
  Item* item = reinterpret_cast<Item*>(this + 1);
  for (const Weighted& one : weighted) {
    total_ += one.weight;
    new (item++) Item{.sum = total_, .id = one.id, .nearest = one.nearest};
  }
  if (std::frexp(total_, &exponent_) == 0.5) --exponent_;  // the total is itself a power of two
  step_ = std::ldexp(1.0, exponent_ - 53);
  const double width = std::ldexp(1.0 / kGuides, exponent_);
  std::size_t at = 0;
  for (std::size_t g = 0; g <= kGuides; ++g) {
    const double from = static_cast<double>(g) * width;
    while (at + 1 < count_ && items()[at].sum <= from) ++at;
    guides_[g] = static_cast<std::uint8_t>(at / 2);
  }
}

}  // namespace sotto
