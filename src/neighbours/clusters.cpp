#include "neighbours/clusters.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/parallel.h"
#include "model/distance_kernels.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kWordsPerCluster = 64;
constexpr std::size_t kSamplePerCluster = 24;
constexpr int kRounds = 6;
constexpr std::size_t kBlock = 256;

std::size_t cluster_count(std::size_t words) {
  return std::clamp<std::size_t>(std::bit_floor(words / kWordsPerCluster), 1, Clusters::kMost);
}

// Nearest centre by the fixed-order kernel (not by BLAS, whose sums differ between machines); the first of
// equals.
std::vector<std::uint32_t> assign(const Model& model, std::span<const std::uint32_t> words,
                                  std::span<const float> centres, unsigned threads) {
  const std::size_t stride = model.stride();
  const std::size_t count = centres.size() / stride;
  std::vector<std::uint32_t> nearest(words.size());
  parallel_blocks(words.size(), kBlock, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> squared(count);
    for (std::size_t i = begin; i < end; ++i) {
      squared_distances(model.rows() + words[i] * stride, centres.data(), count, stride, squared.data());
      nearest[i] = static_cast<std::uint32_t>(std::ranges::min_element(squared) - squared.begin());
    }
  });
  return nearest;
}

// Words of evenly spaced rank, so that common and rare words both have a say.
std::vector<std::uint32_t> spaced(std::size_t words, std::size_t count) {
  std::vector<std::uint32_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = static_cast<std::uint32_t>(i * words / count);
  return chosen;
}

// Mean vectors of the sample's words by cluster, summed in sample order; an empty cluster keeps its centre.
void move_centres(const Model& model, std::span<const std::uint32_t> sample,
                  std::span<const std::uint32_t> nearest, std::vector<float>& centres) {
  const std::size_t stride = model.stride();
  std::vector<double> sums(centres.size(), 0.0);
  std::vector<std::size_t> counts(centres.size() / stride, 0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const float* row = model.rows() + sample[i] * stride;
    double* sum = sums.data() + nearest[i] * stride;
    for (std::size_t j = 0; j < stride; ++j) sum[j] += row[j];
    ++counts[nearest[i]];
  }
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    for (std::size_t j = 0; j < stride; ++j) {
      centres[c * stride + j] = static_cast<float>(sums[c * stride + j] / static_cast<double>(counts[c]));
    }
  }
}

}  // namespace

Clusters Clusters::make(const Model& model, unsigned threads) {
  const std::size_t n = model.size();
  const std::size_t stride = model.stride();
  const std::size_t count = cluster_count(n);
  const std::vector<std::uint32_t> sample = spaced(n, std::min(n, count * kSamplePerCluster));
  std::vector<float> centres;
  centres.reserve(count * stride);
  for (const std::uint32_t word : spaced(n, count)) {
    const float* row = model.rows() + word * stride;
    centres.insert(centres.end(), row, row + stride);
  }
  for (int round = 0; round < kRounds && count > 1; ++round) {
    move_centres(model, sample, assign(model, sample, centres, threads), centres);
  }
  const std::vector<std::uint32_t> nearest = assign(model, spaced(n, n), centres, threads);

  std::vector<std::vector<WordId>> groups(count);
  for (std::size_t w = 0; w < n; ++w) groups[nearest[w]].push_back(word_id(w));
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  std::vector<std::uint32_t> begins = {0};
  std::vector<WordId> members;
  members.reserve(n);
  for (const auto& group : groups) {
    members.insert(members.end(), group.begin(), group.end());
    begins.push_back(static_cast<std::uint32_t>(members.size()));
  }
  return {std::move(begins), std::move(members)};
}

Clusters::Clusters(std::vector<std::uint32_t> begins, std::vector<WordId> members)
    : begins_(std::move(begins)), members_(std::move(members)) {
  const bool bounded = begins_.size() >= 2 && begins_.front() == 0 && begins_.back() == members_.size() &&
                       std::ranges::adjacent_find(begins_, std::greater_equal<>()) == begins_.end();
  std::vector<bool> seen(members_.size(), false);
  for (const WordId word : members_) {
    if (!bounded || index_of(word) >= seen.size() || seen[index_of(word)]) {
      throw Error(ErrorCode::bad_data, "the stored clusters are not a partition of the vocabulary");
    }
    seen[index_of(word)] = true;
  }
}

}  // namespace sotto
