#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sotto/measurement.h"
#include "sotto/model.h"
#include "sotto/prior.h"
#include "sotto/space.h"
#include "sotto/work.h"

namespace sotto {

// Words in groups, whose figures are told apart.
struct Bands {
  // Of a word that is in none: the prior rules it out.
  static constexpr std::uint8_t kNone = std::numeric_limits<std::uint8_t>::max();
  std::vector<std::string> names;
  std::vector<std::uint8_t> of;        // by word
  std::vector<std::size_t> last_rank;  // of frequency, 1-based; equal to the one before: an empty band
  // Of density, by word: the distance to its kDensityNeighbours-th nearest other word; 0 for words in no
  // band.
  std::vector<double> neighbour_distance;

  [[nodiscard]] std::size_t count() const noexcept { return names.size(); }
};

// By public frequency: each of three bands holds a third of the tokens under the rank prior, whatever prior
// is measured with, so that bands of different runs are the same words. On 50,000 words: ranks up to 77, up
// to 2,000, and the rest.
Bands frequency_bands(const Model& model);

// By local density: each of five bands holds a fifth of the words that the prior holds possible, the densest
// first; ties go by index. Density is judged by the distance to the 10th nearest other word of the model (the
// estimate of the k-nearest-neighbours method), which is steadier than that to the nearest word: one near
// synonym does not make a region dense. With fewer words, the farthest. O(n dim) for each possible word.
inline constexpr std::size_t kDensityNeighbours = 10;
Bands density_bands(const Space& space, const Prior& prior, const Work& work);

Bands bands_of(BandsBy by, const Space& space, const Prior& prior, const Work& work);

}  // namespace sotto
