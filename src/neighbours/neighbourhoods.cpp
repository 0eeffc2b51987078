#include "neighbours/neighbourhoods.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/prefetch.h"

namespace sotto {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The largest float32 at or below a non-negative double.
float rounded_down(double value) {
  const auto nearest = static_cast<float>(value);
  return double{nearest} > value ? std::nextafter(nearest, 0.0F) : nearest;
}

// The places of `distances` from the largest distance to the smallest, of equal ones the first place first.
// At most Clusters::kMost distances: not negative, perhaps infinite. Buckets of equal width put nearly all in
// order; the rest is a sort that looks at neighbours.
void order_far_first(std::span<const double> distances, std::span<std::uint16_t> places) {
  constexpr std::size_t kBuckets = 256;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;  // of those that are finite
  for (const double distance : distances) {
    least = std::min(least, distance);
    if (distance < std::numeric_limits<double>::infinity()) most = std::max(most, distance);
  }
  const double width = (kBuckets - 1) / (most - least);
  const double scale = most > least && std::isfinite(width) ? width : 0;
  const auto bucket_of = [&](double distance) {
    if (!(distance <= most)) return std::size_t{0};
    return static_cast<std::size_t>(std::clamp((most - distance) * scale, 0.0, double{kBuckets - 1}));
  };
  std::array<std::uint16_t, kBuckets + 1> begins{};
  std::array<std::uint16_t, Clusters::kMost> buckets;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    buckets[i] = static_cast<std::uint16_t>(bucket_of(distances[i]));
    ++begins[buckets[i] + 1];
  }
  for (std::size_t bucket = 1; bucket < kBuckets; ++bucket) begins[bucket] += begins[bucket - 1];
  for (std::size_t i = 0; i < distances.size(); ++i)
    places[begins[buckets[i]]++] = static_cast<std::uint16_t>(i);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::uint16_t place = places[i];
    std::size_t at = i;
    for (; at > 0 && distances[places[at - 1]] < distances[place]; --at) places[at] = places[at - 1];
    places[at] = place;
  }
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
  thread_local Draft draft;  // large: not asked for again and again
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

// Let T be a number that at least K scores do not exceed. ScoreBounds says how far those K words are at most,
// so every word of the head is at most as far, and has at most the score that ScoreBounds says of that
// distance: those are the candidates, and exact distances choose among them. The nearest member of a cluster
// outside the head is found in the same way, with K = 1.
void Neighbourhoods::draft_by_scores(WordId word, std::span<float> scores, std::span<float> minima,
                                     Draft& draft) const {
  const std::size_t k = layout_.head();
  const ScoreBounds bounds = table_->bounds(word);
  // The next float: rounding must not lower it.
  const auto raised = [&](float score) {
    return static_cast<float>(bounds.most_score(bounds.most(double{score})) * (1 + 0x1p-23));
  };
  draft.places.resize(table_->places());
  draft.chunks.resize(minima.size());
  // Names chunks without a branch: which chunks have a small minimum cannot be predicted.
  const auto name_chunk = [&](std::size_t& count, std::size_t chunk, float limit) {
    draft.chunks[count] = {.chunk = static_cast<std::uint32_t>(chunk), .limit = limit};
    count += minima[chunk] <= limit ? 1 : 0;
  };
  // Of the first chunks that `draft.chunks` names; valid until the next call.
  const auto places_of_scores = [&](std::size_t chunks) {
    const std::size_t count =
        places_up_to(scores.data(), std::span(draft.chunks).first(chunks), draft.places.data());
    return std::span<const std::uint32_t>(draft.places).first(count);
  };
  const auto places_of_scores_up_to = [&](float limit) {
    std::size_t chunks = 0;
    for (std::size_t chunk = 0; chunk < minima.size(); ++chunk) name_chunk(chunks, chunk, limit);
    return places_of_scores(chunks);
  };
  // Distances wait for memory: all vectors are asked for before the first distance is computed.
  const auto ask_for = [&](WordId other) {
    const Model& model = space_->model();
    prefetch_bytes(model.rows() + index_of(space_->representative(other)) * model.stride(),
                   model.stride() * sizeof(float));
    return other;
  };

  // K chunks have a score each that is at most the K-th smallest minimum: few chunks are left to look at.
  float above = std::numeric_limits<float>::max();
  if (minima.size() > k) above = bound_of_smallest(minima, k);
  std::span<const std::uint32_t> places = places_of_scores_up_to(above);
  draft.scratch.clear();
  for (const std::uint32_t place : places) draft.scratch.push_back(scores[place]);
  const float limit = raised(bound_of_smallest(draft.scratch, k));
  if (limit > above) places = places_of_scores_up_to(limit);
  draft.head.clear();
  for (const std::uint32_t place : places) {
    if (scores[place] <= limit) draft.head.push_back({.distance = 0, .word = ask_for(table_->word(place))});
  }
  for (Draft::Near& near : draft.head) near.distance = space_->distance(word, near.word);
  std::sort(draft.head.begin(), draft.head.end());
  draft.head.resize(k);

  for (const Draft::Near& near : draft.head) {
    const std::size_t place = table_->place(near.word);
    scores[place] = kInfinity;
    minima[place / kChunk] = chunk_minimum(scores.data() + place / kChunk * kChunk);
  }
  std::size_t chunks = 0;
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const std::size_t first = table_->first_chunk(c);
    const std::size_t last = table_->last_chunk(c);
    float least = std::numeric_limits<float>::max();
    for (std::size_t chunk = first; chunk < last; ++chunk) least = std::min(least, minima[chunk]);
    // No member is left outside the head. Not "== infinity": Highway's emulated vectors take the minimum of
    // infinities as the largest float. Scores are below 2^34.
    if (!(least < std::numeric_limits<float>::max())) continue;
    const float cluster_limit = raised(least);
    for (std::size_t chunk = first; chunk < last; ++chunk) name_chunk(chunks, chunk, cluster_limit);
  }
  draft.candidates.clear();
  for (const std::uint32_t place : places_of_scores(chunks))
    draft.candidates.push_back(ask_for(table_->word(place)));
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
  std::array<std::uint16_t, Clusters::kMost> order;
  const std::span<std::uint16_t> far_first = std::span(order).first(draft.nearest.size());
  order_far_first(draft.nearest, far_first);
  for (const std::uint16_t cluster : far_first) put(cluster);
  std::memset(bytes, 0,
              static_cast<std::size_t>(reinterpret_cast<std::byte*>(record + layout_.record_size()) - bytes));
}

}  // namespace sotto
