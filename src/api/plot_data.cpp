#include "api/plot_data.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/parallel.h"
#include "core/uniform.h"
#include "measure/utility.h"

namespace sotto::api {
namespace {

constexpr std::uint64_t kPlotSeed = 20210607;  // any fixed number: nothing private is drawn

std::vector<WordId> words_of_prior(const Model& model, std::size_t count) {
  std::vector<double> sums = rank_prior(model);
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  Rng rng = Rng::seeded_not_private(kPlotSeed, 0);
  std::vector<WordId> words;
  for (std::size_t i = 0; i < count; ++i) {
    // 53 bits are plenty for a histogram.
    const double place = static_cast<double>(rng.bits() >> 11U) * 0x1p-53 * sums.back();
    const auto found = std::upper_bound(sums.begin(), sums.end(), place);
    words.push_back(
        word_id(std::min<std::size_t>(static_cast<std::size_t>(found - sums.begin()), sums.size() - 1)));
  }
  return words;
}

}  // namespace

Deniability plotted_deniability(const Mechanism& mechanism, const Work& work) {
  return measure_deniability(mechanism, usual_deniability_words(mechanism),
                             RandomSource::seeded_not_private(kPlotSeed), work);
}

std::vector<RankShare> plotted_ranks(const Mechanism& mechanism, const Work& work) {
  const Space& space = *mechanism.space;
  const std::vector<WordId> in = words_of_prior(space.model(), kRankDraws);
  std::vector<WordId> out(in.size());
  Rng rng = Rng::seeded_not_private(kPlotSeed, 1);
  mechanism.words->sample_batch(in, out, rng);
  std::vector<std::size_t> bins(in.size());
  parallel_blocks(in.size(), 50, work.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row;
    for (std::size_t i = begin; i < end; ++i) bins[i] = rank_bin(space, in[i], out[i], row);
  });
  std::vector<RankShare> shares;
  for (std::size_t bin = 0; bin < kRankBins && first_rank(bin) < space.size(); ++bin) {
    shares.push_back({.first = first_rank(bin), .last = std::min(last_rank(bin), space.size() - 1)});
  }
  for (const std::size_t bin : bins) shares[bin].share += 1 / static_cast<double>(kRankDraws);
  return shares;
}

}  // namespace sotto::api
