#include "measure/utility.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sotto {
namespace {

constexpr std::size_t kDistanceBins = 4096;

std::size_t distance_bin(double distance, double diameter) {
  if (!(distance > 0)) return 0;
  const double place = distance / diameter * (kDistanceBins - 1);
  return 1 + std::min(static_cast<std::size_t>(place), kDistanceBins - 2);
}

struct Place {
  double distance;
  std::uint32_t output;
  auto operator<=>(const Place&) const = default;
};

// From the far end inwards: each bin splits the places that are left in two, so the whole is O(n).
void add_ranks(const LawRow& row, double weight, std::array<double, kRankBins>& ranks) {
  thread_local std::vector<Place> places;
  places.clear();
  for (std::size_t o = 0; o < row.law.size(); ++o) {
    if (o != index_of(row.word)) {
      places.push_back({.distance = row.distances[o], .output = static_cast<std::uint32_t>(o)});
    }
  }
  ranks[0] += weight * row.law[index_of(row.word)];
  std::size_t left = places.size();
  for (auto bin = static_cast<std::size_t>(std::bit_width(left)); bin > 0; --bin) {
    const std::size_t inner = first_rank(bin) - 1;
    const auto begin = places.begin();
    std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(inner),
                     begin + static_cast<std::ptrdiff_t>(left));
    double sum = 0;
    for (std::size_t i = inner; i < left; ++i) sum += row.law[places[i].output];
    ranks[bin] += weight * sum;
    left = inner;
  }
}

}  // namespace

void UtilityTotals::add(const UtilityTotals& other) {
  mass += other.mass;
  unchanged += other.unchanged;
  distance += other.distance;
  labelled += other.labelled;
  flipped += other.flipped;
  lost += other.lost;
  words += other.words;
  stays += other.stays;
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] += other.ranks[i];
  distances.resize(kDistanceBins, 0.0);
  for (std::size_t i = 0; i < other.distances.size(); ++i) distances[i] += other.distances[i];
}

Bounds median_distance(const UtilityTotals& totals, const Space& space) {
  double sum = 0;
  for (const double share : totals.distances) sum += share;
  double below = 0;
  for (std::size_t bin = 0; bin < totals.distances.size(); ++bin) {
    below += totals.distances[bin];
    if (below < sum / 2) continue;
    if (bin == 0) return {};
    const double width = space.diameter_bound() / (kDistanceBins - 1);
    return {.low = static_cast<double>(bin - 1) * width, .high = static_cast<double>(bin) * width};
  }
  return {};
}

UtilityRows::UtilityRows(const Mechanism& mechanism, const Prior& prior, const Bands& bands,
                         const Labels* labels)
    : mechanism_(mechanism),
      prior_(prior),
      bands_(bands),
      labels_(labels),
      slots_(kSlots),
      bands_totals_(bands.count()) {
  for (UtilityTotals& totals : bands_totals_) totals.distances.assign(kDistanceBins, 0.0);
}

void UtilityRows::add_labels(const LawRow& row, UtilityTotals& totals) const {
  if (labels_ == nullptr || labels_->of[index_of(row.word)] == Labels::kNone) return;
  const std::int32_t own = labels_->of[index_of(row.word)];
  totals.labelled = totals.mass;
  if (!mechanism_.token.empty()) {
    totals.lost = totals.mass;
    return;
  }
  double flipped = 0;
  double lost = 0;
  for (std::size_t o = 0; o < row.law.size(); ++o) {
    if (labels_->of[o] == own) continue;
    (labels_->of[o] == Labels::kNone ? lost : flipped) += row.law[o];
  }
  totals.flipped = totals.mass * flipped;
  totals.lost = totals.mass * lost;
}

void UtilityRows::visit_row(const LawRow& row) {
  UtilityTotals& totals = slots_[row.index % kSlots];
  totals = {.mass = prior_.weights[index_of(row.word)], .words = 1, .distances = std::move(totals.distances)};
  totals.distances.assign(kDistanceBins, 0.0);
  add_labels(row, totals);
  if (!mechanism_.token.empty()) return;  // no word is written: nothing stays, and there is no distance
  totals.stays = row.law[index_of(row.word)];
  totals.unchanged = totals.mass * totals.stays;
  const double diameter = mechanism_.space->diameter_bound();
  double mean = 0;
  for (std::size_t o = 0; o < row.law.size(); ++o) {
    mean += row.law[o] * row.distances[o];
    totals.distances[distance_bin(row.distances[o], diameter)] += totals.mass * row.law[o];
  }
  totals.distance = totals.mass * mean;
  add_ranks(row, totals.mass, totals.ranks);
}

void UtilityRows::visit_block(std::span<const LawRow> rows, unsigned /*threads*/) {
  for (const LawRow& row : rows) bands_totals_[bands_.of[index_of(row.word)]].add(slots_[row.index % kSlots]);
}

UtilityTotals UtilityRows::overall() const {
  UtilityTotals sum;
  for (const UtilityTotals& totals : bands_totals_) sum.add(totals);
  return sum;
}

std::size_t rank_bin(const Space& space, WordId word, WordId output, std::vector<double>& row) {
  if (word == output) return 0;
  row.resize(space.size());
  space.distances_from(word, row);
  const Place own{.distance = row[index_of(output)], .output = static_cast<std::uint32_t>(output)};
  std::size_t before = 0;
  for (std::size_t o = 0; o < row.size(); ++o) {
    if (o == index_of(word)) continue;
    before += Place{.distance = row[o], .output = static_cast<std::uint32_t>(o)} < own ? 1 : 0;
  }
  return static_cast<std::size_t>(std::bit_width(before + 1));
}

}  // namespace sotto
