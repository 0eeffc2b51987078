#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/labels.h"
#include "sotto/mechanism.h"
#include "sotto/prior.h"
#include "sotto/quantity.h"
#include "sotto/work.h"

namespace sotto {

// A closed law is followed exactly over up to this many pairs of possible input and output.
inline constexpr double kExactPairs = 50'000.0 * 50'000.0;

// How the words are put into bands, whose figures are told apart (docs/measure.md). frequency: thirds of the
// tokens under the rank prior. density: fifths of the words, by the distance to their 10th nearest other
// word.
enum class BandsBy { frequency, density };
std::string_view bands_name(BandsBy by);     // as it is typed
BandsBy parse_bands(std::string_view name);  // throws Error(usage)

struct MeasureQuestion {
  Prior prior;
  std::optional<Labels> labels = {};
  std::size_t copies = 8;  // releases of the same text; 0: no averaging attack
  std::size_t draws = 0;   // where only samples exist; 0: 500,000
  // samples: also where the law is known.
  enum class Method { best, samples } method = Method::best;
  // headline: E_opt, E_post, labels and the utility losses, without distance loss of the adversary, averaging
  // and deniability: what a search over many mechanisms needs.
  enum class Extent { all, headline } extent = Extent::all;
  BandsBy bands = BandsBy::frequency;
  std::optional<std::uint64_t> seed_not_private = {};
};

struct RankShare {
  std::size_t first = 0;  // 0: unchanged
  std::size_t last = 0;
  double share = 0;
  Bounds interval = {};
};

// All words, or those of a band.
struct BandMeasurement {
  std::string name;       // "all", "frequent", ...
  std::size_t words = 0;  // of the prior's support
  double prior = 0;       // their probability
  std::vector<Quantity> quantities = {};
  std::vector<RankShare> ranks = {};
  // Null if there is none of that name.
  [[nodiscard]] const Quantity* find(std::string_view quantity) const;
};

struct Measurement {
  bool closed_law = false;                  // followed exactly
  std::size_t draws = 0;                    // of words and outputs; 0: none were needed for the headline
  std::vector<BandMeasurement> bands = {};  // the first is all words
  [[nodiscard]] const BandMeasurement& overall() const { return bands.front(); }
};

// The request is consistent with the mechanism's model. Throws bad_data for labels that the prior rules out.
Measurement measure(const Mechanism& mechanism, const MeasureQuestion& request, const Work& work);

}  // namespace sotto
