#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "measure/bands.h"
#include "measure/law_rows.h"
#include "measure/sampled_adversary.h"
#include "sotto/labels.h"
#include "sotto/prior.h"
#include "sotto/quantity.h"

namespace sotto {

// Ranks of an output among the neighbours of its input, ordered by distance, then by index: bin 0 is the
// input itself, bin b > 0 the ranks from 2^(b-1) to 2^b - 1, 1 being the nearest other word.
inline constexpr std::size_t kRankBins = 33;
constexpr std::size_t first_rank(std::size_t bin) {
  return bin == 0 ? 0 : std::size_t{1} << (bin - 1);
}
constexpr std::size_t last_rank(std::size_t bin) {
  return bin == 0 ? 0 : (std::size_t{1} << bin) - 1;
}

// Sums over words and outputs, weighted by pi(w) f(o|w). Exact, but for the places within a bin of distance.
struct UtilityTotals {
  double mass = 0;
  double unchanged = 0;  // output = input
  double distance = 0;
  double labelled = 0;  // the input has a label,
  double flipped = 0;   // and the output has another one,
  double lost = 0;      // or none
  double words = 0;     // each counted once, whatever its prior
  double stays = 0;     // the sum over these words of P(output = input)
  std::array<double, kRankBins> ranks = {};
  std::vector<double> distances;  // bin 0: exactly 0; the others share [0, diameter] evenly
  void add(const UtilityTotals& other);
};
// Between the edges of the bin that has it.
Bounds median_distance(const UtilityTotals& totals, const Space& space);

// The expected losses of every row of the prior's support, by band.
class UtilityRows final : public LawVisitor {
 public:
  // labels: may be null. Everything lives longer than this.
  UtilityRows(const Mechanism& mechanism, const Prior& prior, const Bands& bands, const Labels* labels);
  void visit_row(const LawRow& row) override;
  void visit_block(std::span<const LawRow> rows, unsigned threads) override;
  [[nodiscard]] const UtilityTotals& band(std::size_t index) const { return bands_totals_[index]; }
  [[nodiscard]] UtilityTotals overall() const;

 private:
  static constexpr std::size_t kSlots = 512;  // at least the rows of a block
  void add_labels(const LawRow& row, UtilityTotals& totals) const;

  const Mechanism& mechanism_;
  const Prior& prior_;
  const Bands& bands_;
  const Labels* labels_;
  std::vector<UtilityTotals> slots_;
  std::vector<UtilityTotals> bands_totals_;
};

// The rank of one output, which costs a row of distances.
std::size_t rank_bin(const Space& space, WordId word, WordId output, std::vector<double>& row);

}  // namespace sotto
