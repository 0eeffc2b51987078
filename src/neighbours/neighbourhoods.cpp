#include "neighbours/neighbourhoods.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/prefetch.h"
#include "neighbours/score_kernels.h"

namespace sotto {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The largest float32 at or below a non-negative double.
float rounded_down(double value) {
  const auto nearest = static_cast<float>(value);
  return double{nearest} > value ? std::nextafter(nearest, 0.0F) : nearest;
}

}  // namespace

std::size_t NeighbourhoodLayout::record_size() const noexcept {
  const std::size_t bytes =
      head_ * (sizeof(double) + sizeof(WordId)) + clusters_ * (sizeof(float) + sizeof(std::uint16_t));
  return (bytes + 7) / 8;
}

Neighbourhood NeighbourhoodLayout::view(const std::uint64_t* record) const {
  const auto* bytes = reinterpret_cast<const std::byte*>(record);
  const auto take = [&]<typename T>(std::size_t count, const T*) {
    const std::span<const T> part(reinterpret_cast<const T*>(bytes), count);
    bytes += count * sizeof(T);
    return part;
  };
  Neighbourhood view;
  view.distances = take(head_, static_cast<const double*>(nullptr));
  view.words = take(head_, static_cast<const WordId*>(nullptr));
  view.nearest = take(clusters_, static_cast<const float*>(nullptr));
  view.far_first = take(clusters_, static_cast<const std::uint16_t*>(nullptr));
  return view;
}

struct Neighbourhoods::Draft {
  struct Near {
    double distance;
    WordId word;
    bool operator<(const Near& other) const {
      return distance != other.distance ? distance < other.distance : word < other.word;
    }
  };
  std::vector<Near> head;          // may hold more than K candidates; write() takes the first K
  std::vector<double> nearest;     // by cluster
  std::vector<WordId> candidates;  // for `nearest`
  std::vector<float> scratch;
  std::vector<ChunkLimit> chunks;     // to be searched
  std::vector<std::uint32_t> places;  // found there
  std::vector<double> distances;
};

Neighbourhoods::Neighbourhoods(std::shared_ptr<const Space> space, Clusters clusters)
    : space_(std::move(space)),
      clusters_(std::move(clusters)),
      layout_(std::min(kHead, space_->size()), clusters_.size()),
      cluster_of_(space_->size()) {
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    for (const WordId word : clusters_.members(c))
      cluster_of_[index_of(word)] = static_cast<std::uint16_t>(c);
  }
}

void Neighbourhoods::build(std::span<const WordId> words, std::span<std::uint64_t> records) const {
  std::call_once(table_made_, [&] {
    if (!space_->is_euclidean()) return;
    auto table = std::make_unique<ScoreTable>(*space_, clusters_);
    if (table->is_usable()) table_ = std::move(table);
  });
  const std::size_t size = layout_.record_size();
  Draft draft;
  if (table_ == nullptr) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      draft_by_distances(words[i], draft);
      write(draft, records.data() + i * size);
    }
    return;
  }
  thread_local ScoreTable::Scores scores;  // large: not asked for again and again
  for (std::size_t begin = 0; begin < words.size(); begin += kBatch) {
    const auto batch = words.subspan(begin, std::min(kBatch, words.size() - begin));
    table_->score(batch, scores);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      draft_by_scores(batch[i], scores.scores.subspan(i * table_->places(), table_->places()),
                      std::span(scores.minima).subspan(i * table_->chunks(), table_->chunks()), draft);
      write(draft, records.data() + (begin + i) * size);
    }
  }
}

// Let E bound the error of a score and T be the K-th smallest score. The K words with scores up to T have
// squared distances up to T + E, so every word of the head has one of at most T + E, hence a score of at most
// T + 2E: those are the candidates, and exact distances choose among them. The nearest member of a cluster
// outside the head is found in the same way, with K = 1.
void Neighbourhoods::draft_by_scores(WordId word, std::span<float> scores, std::span<float> minima,
                                     Draft& draft) const {
  const std::size_t k = layout_.head();
  const double slack = 2 * table_->error_bound(word);
  // Rounding the sum to float must not lower it.
  const auto raised = [&](float score) {
    return std::nextafter(static_cast<float>(score + slack), kInfinity);
  };
  draft.places.resize(table_->places());
  // Of the chunks that `draft.chunks` names.
  const auto for_scores_up_to = [&](const auto& visit) {
    const std::size_t count = places_up_to(scores.data(), draft.chunks, draft.places.data());
    for (const std::uint32_t place : std::span(draft.places).first(count)) visit(place);
  };
  const auto name_chunks = [&](float limit, std::size_t first, std::size_t last) {
    for (std::size_t chunk = first; chunk < last; ++chunk) {
      if (minima[chunk] <= limit) {
        draft.chunks.push_back({.chunk = static_cast<std::uint32_t>(chunk), .limit = limit});
      }
    }
  };
  // Distances wait for memory: all vectors are asked for before the first distance is computed.
  const auto ask_for = [&](WordId other) {
    const Model& model = space_->model();
    prefetch_bytes(model.rows() + index_of(space_->representative(other)) * model.stride(),
                   model.stride() * sizeof(float));
    return other;
  };

  // The K-th smallest minimum of a chunk is at least the K-th smallest score: few chunks are left to look at.
  float above = std::numeric_limits<float>::max();
  if (minima.size() > k) {
    draft.scratch.assign(minima.begin(), minima.end());
    std::nth_element(draft.scratch.begin(), draft.scratch.begin() + static_cast<std::ptrdiff_t>(k - 1),
                     draft.scratch.end());
    above = draft.scratch[k - 1];
  }
  draft.scratch.clear();
  draft.chunks.clear();
  name_chunks(above, 0, minima.size());
  for_scores_up_to([&](std::size_t place) { draft.scratch.push_back(scores[place]); });
  std::nth_element(draft.scratch.begin(), draft.scratch.begin() + static_cast<std::ptrdiff_t>(k - 1),
                   draft.scratch.end());
  draft.head.clear();
  draft.chunks.clear();
  name_chunks(raised(draft.scratch[k - 1]), 0, minima.size());
  for_scores_up_to([&](std::size_t place) {
    draft.head.push_back({.distance = 0, .word = ask_for(table_->word(place))});
  });
  for (Draft::Near& near : draft.head) near.distance = space_->distance(word, near.word);
  std::sort(draft.head.begin(), draft.head.end());
  draft.head.resize(k);

  for (const Draft::Near& near : draft.head) {
    const std::size_t place = table_->place(near.word);
    scores[place] = kInfinity;
    minima[place / kChunk] = chunk_minimum(scores.data() + place / kChunk * kChunk);
  }
  draft.chunks.clear();
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const std::size_t first = table_->first_chunk(c);
    const std::size_t last = table_->last_chunk(c);
    const float least = *std::min_element(minima.begin() + static_cast<std::ptrdiff_t>(first),
                                          minima.begin() + static_cast<std::ptrdiff_t>(last));
    // No member is left outside the head. Not "== infinity": Highway's emulated vectors take the minimum of
    // infinities as the largest float. Scores are far below it (ScoreTable::is_usable).
    if (!(least < std::numeric_limits<float>::max())) continue;
    name_chunks(raised(least), first, last);
  }
  draft.candidates.clear();
  for_scores_up_to([&](std::size_t place) { draft.candidates.push_back(ask_for(table_->word(place))); });
  draft.nearest.assign(clusters_.size(), std::numeric_limits<double>::infinity());
  for (const WordId one : draft.candidates) {
    double& least = draft.nearest[cluster_of_[index_of(one)]];
    least = std::min(least, space_->distance(word, one));
  }
}

void Neighbourhoods::draft_by_distances(WordId word, Draft& draft) const {
  const std::size_t n = space_->size();
  draft.distances.resize(n);
  space_->distances_from(word, draft.distances);
  draft.head.clear();
  for (std::size_t y = 0; y < n; ++y)
    draft.head.push_back({.distance = draft.distances[y], .word = word_id(y)});
  const auto end_of_head = draft.head.begin() + static_cast<std::ptrdiff_t>(layout_.head());
  std::partial_sort(draft.head.begin(), end_of_head, draft.head.end());
  draft.nearest.assign(clusters_.size(), std::numeric_limits<double>::infinity());
  for (auto near = end_of_head; near != draft.head.end(); ++near) {
    double& least = draft.nearest[cluster_of_[index_of(near->word)]];
    least = std::min(least, near->distance);
  }
  draft.head.resize(layout_.head());
}

void Neighbourhoods::write(Draft& draft, std::uint64_t* record) const {
  auto* bytes = reinterpret_cast<std::byte*>(record);
  const auto put = [&](const auto& value) {
    std::memcpy(bytes, &value, sizeof value);
    bytes += sizeof value;
  };
  for (const Draft::Near& near : draft.head) put(near.distance);
  for (const Draft::Near& near : draft.head) put(near.word);
  for (const double nearest : draft.nearest) put(rounded_down(nearest));
  std::vector<std::uint16_t> order(draft.nearest.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint16_t a, std::uint16_t b) { return draft.nearest[a] > draft.nearest[b]; });
  for (const std::uint16_t cluster : order) put(cluster);
  std::memset(bytes, 0,
              static_cast<std::size_t>(reinterpret_cast<std::byte*>(record + layout_.record_size()) - bytes));
}

}  // namespace sotto
