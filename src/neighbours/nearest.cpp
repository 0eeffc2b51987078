#include "neighbours/nearest.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/prefetch.h"
#include "model/distance_kernels.h"
#include "neighbours/nearest_kernels.h"

namespace sotto {
namespace {

constexpr std::size_t kLargestCount = 64;  // beyond it (only tests ask) the first pass keeps too many words
constexpr std::size_t kTileBytes = 65536;  // words that stay in the second-level cache for all queries

// Words come in index order, so a later word at the same distance stays behind an earlier one. A square that
// overflows (noise at an epsilon near 0) counts as the largest double: it must be below the infinity of
// kNone, or no word would be found, and its root must be finite for the rules that weigh distances.
void insert(std::span<Neighbour> nearest, Neighbour found) {
  constexpr double kFarthest = std::numeric_limits<double>::max();
  if (!(found.squared < kFarthest)) found.squared = kFarthest;  // also NaN, of infinite noise
  if (!(found.squared < nearest.back().squared)) return;
  std::size_t place = nearest.size() - 1;
  for (; place > 0 && nearest[place - 1].squared > found.squared; --place)
    nearest[place] = nearest[place - 1];
  nearest[place] = found;
}

constexpr Neighbour kNone{.word = {}, .squared = std::numeric_limits<double>::infinity()};

// The first pass: all groups meet a tile of words before the next tile.
void scan_tiles(const ByteWords& words, std::span<QueryGroup> groups) {
  const std::size_t block = kWordsPerBlock * words.quads * 4;
  const std::size_t tile = kBlocksPerStep * std::max<std::size_t>(1, kTileBytes / (kBlocksPerStep * block));
  // Each group asks for its share of the next tile, so that the first one does not wait for memory.
  const std::size_t share = (tile * block + groups.size() - 1) / groups.size();
  for (std::size_t begin = 0; begin < words.blocks; begin += tile) {
    const std::size_t end = std::min(words.blocks, begin + tile);
    const std::uint8_t* ahead = words.bytes.get() + end * block;
    for (QueryGroup& group : groups) {
      prefetch_bytes(ahead, share);
      ahead += share;
      scan_blocks(words, begin, end, group);
    }
  }
}

// The second pass for one query, nearest.size() words. Returns how many distances it computed.
std::size_t compare_candidates(const Model& model, std::span<const double> vector, QueryGroup& group,
                               std::size_t query, std::span<Neighbour> nearest) {
  const std::size_t k = nearest.size();
  const std::size_t stride = model.stride();
  std::size_t computed = 0;
  const auto squared_distance = [&](const ByteCandidate& candidate) {
    double squared = 0;
    squared_distances(vector.data(), model.rows() + candidate.word * stride, 1, stride, &squared);
    ++computed;
    return squared;
  };
  std::span<const ByteCandidate> candidates = group.candidates(query);
  if (candidates.size() > 2 * k) {
    // The distances of the k most likely words rule out most of the others.
    std::vector<ByteCandidate> likely(candidates.begin(), candidates.end());
    std::ranges::nth_element(likely, likely.begin() + static_cast<std::ptrdiff_t>(k - 1), {},
                             &ByteCandidate::low);
    double farthest = 0;
    for (std::size_t i = 0; i < k; ++i) farthest = std::max(farthest, squared_distance(likely[i]));
    group.take_distance(query, farthest);
    candidates = group.candidates(query);
  }
  for (const ByteCandidate& candidate : candidates)
    prefetch_bytes(model.rows() + candidate.word * stride, stride * sizeof(float));
  std::ranges::fill(nearest, kNone);
  for (const ByteCandidate& candidate : candidates)
    insert(nearest, {.word = word_id(candidate.word), .squared = squared_distance(candidate)});
  return computed;
}

}  // namespace

void scan_nearest(const Model& model, std::span<const double> vectors, std::size_t k,
                  std::span<Neighbour> out) {
  constexpr std::size_t kRows = 256;  // a block of rows stays in the second-level cache for all queries
  const std::size_t stride = model.stride();
  const std::size_t queries = out.size() / k;
  std::array<double, kRows> squared{};
  std::fill(out.begin(), out.end(), kNone);
  for (std::size_t begin = 0; begin < model.size(); begin += kRows) {
    const std::size_t count = std::min(kRows, model.size() - begin);
    for (std::size_t q = 0; q < queries; ++q) {
      squared_distances(vectors.data() + q * stride, model.rows() + begin * stride, count, stride,
                        squared.data());
      for (std::size_t i = 0; i < count; ++i) {
        insert(out.subspan(q * k, k), {.word = word_id(begin + i), .squared = squared[i]});
      }
    }
  }
}

void NearestWords::find(std::span<const double> noisy, std::size_t k, std::span<Neighbour> out) const {
  find_counting(noisy, k, out);
}

std::size_t NearestWords::find_counting(std::span<const double> noisy, std::size_t k,
                                        std::span<Neighbour> out) const {
  const std::size_t stride = model_.stride();
  const std::size_t queries = out.size() / k;
  if (queries == 0) return 0;
  if (!bytes_.usable || k > kLargestCount) {
    scan_nearest(model_, noisy, k, out);
    return queries * model_.size();
  }
  // Similar queries share a group, whose bounds are then close.
  std::vector<std::pair<double, std::size_t>> order(queries);
  for (std::size_t q = 0; q < queries; ++q) {
    order[q] = {largest_coordinate(bytes_, noisy.subspan(q * stride, stride)), q};
  }
  std::sort(order.begin(), order.end());
  std::vector<QueryGroup> groups;
  groups.reserve((queries + kQueriesPerGroup - 1) / kQueriesPerGroup);
  for (std::size_t begin = 0; begin < queries; begin += kQueriesPerGroup) {
    std::array<const double*, kQueriesPerGroup> vectors{};
    const std::size_t count = std::min(kQueriesPerGroup, queries - begin);
    for (std::size_t i = 0; i < count; ++i) vectors[i] = noisy.data() + order[begin + i].second * stride;
    groups.emplace_back(bytes_, std::span(vectors).first(count), stride, k);
  }
  scan_tiles(bytes_, groups);

  std::size_t computed = 0;
  for (std::size_t i = 0; i < queries; ++i) {
    QueryGroup& group = groups[i / kQueriesPerGroup];
    const std::size_t own = i % kQueriesPerGroup;
    const std::size_t q = order[i].second;
    const std::span<const double> vector = noisy.subspan(q * stride, stride);
    const std::span<Neighbour> nearest = out.subspan(q * k, k);
    if (group.usable(own)) {
      computed += compare_candidates(model_, vector, group, own, nearest);
    } else {
      scan_nearest(model_, vector, k, nearest);
      computed += model_.size();
    }
  }
  return computed;
}

}  // namespace sotto
