#include "measure/utility.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "measure/law_kernels.h"

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

// The outputs of one row but the word itself, sorted into bins of distance.
class BinnedRow {
 public:
  BinnedRow(const LawRow& row, double diameter) : row_(row) {
    bins_.resize(row.law.size());
    counts_.fill(0);
    sums_.fill(0.0);
    add(0, index_of(row.word), diameter);
    add(index_of(row.word) + 1, row.law.size(), diameter);
  }

  [[nodiscard]] double sum(std::size_t bin) const { return sums_[bin]; }

  // Bins of distance that lie within a bin of ranks are added as they are. The others, one for each end of a
  // bin of ranks at most, are sorted.
  void add_ranks(double weight, std::array<double, kRankBins>& ranks) {
    std::array<bool, kDistanceBins> is_split{};
    std::size_t splits = 0;
    std::size_t before = 0;
    for (std::size_t bin = 0; bin < kDistanceBins; ++bin) {
      if (counts_[bin] == 0) continue;
      const std::size_t first = rank_bin_at(before);
      before += counts_[bin];
      is_split[bin] = first != rank_bin_at(before - 1);
      splits += is_split[bin] ? 1 : 0;
      if (!is_split[bin]) ranks[first] += weight * sums_[bin];
    }
    if (splits == 0) return;
    places_.clear();
    for (std::size_t o = 0; o < bins_.size(); ++o) {
      if (o == index_of(row_.word) || !is_split[bins_[o]]) continue;
      places_.push_back({.distance = row_.distances[o], .output = static_cast<std::uint32_t>(o)});
    }
    std::sort(places_.begin(), places_.end());
    before = 0;
    auto next = places_.begin();
    for (std::size_t bin = 0; bin < kDistanceBins; ++bin) {
      for (std::size_t i = 0; is_split[bin] && i < counts_[bin]; ++i, ++next) {
        ranks[rank_bin_at(before + i)] += weight * row_.law[next->output];
      }
      before += counts_[bin];
    }
  }

 private:
  // Of the output that has so many nearer ones.
  static std::size_t rank_bin_at(std::size_t before) {
    return static_cast<std::size_t>(std::bit_width(before + 1));
  }
  void add(std::size_t begin, std::size_t end, double diameter) {
    for (std::size_t o = begin; o < end; ++o) {
      const std::size_t bin = distance_bin(row_.distances[o], diameter);
      bins_[o] = static_cast<std::uint16_t>(bin);
      ++counts_[bin];
      sums_[bin] += row_.law[o];
    }
  }

  const LawRow& row_;
  // Kept from row to row.
  static thread_local std::vector<std::uint16_t> bins_;
  static thread_local std::vector<Place> places_;
  std::array<std::uint32_t, kDistanceBins> counts_;
  std::array<double, kDistanceBins> sums_;
};
thread_local std::vector<std::uint16_t> BinnedRow::bins_;
thread_local std::vector<Place> BinnedRow::places_;

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
  totals.distance = totals.mass * dot(row.law, row.distances);
  BinnedRow binned(row, diameter);
  for (std::size_t bin = 0; bin < kDistanceBins; ++bin) totals.distances[bin] = totals.mass * binned.sum(bin);
  totals.distances[0] += totals.unchanged;
  totals.ranks[0] += totals.unchanged;
  binned.add_ranks(totals.mass, totals.ranks);
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
