#include "lab/vickrey/noisy_outputs.h"

#include <algorithm>

#include "core/parallel.h"
#include "core/uniform.h"
#include "mechanisms/noise/vickrey.h"

namespace sotto::lab::vickrey {

namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::uint64_t kCoinStreams = std::uint64_t{1} << 40;

NoiseShape shape_of(const Model& model, const Noise& noise) {
  return noise.lambda ? NoiseShape::mahalanobis(model, *noise.lambda) : NoiseShape::sphere(model.dim());
}

}  // namespace

NoisyOutputs::NoisyOutputs(const std::shared_ptr<const Model>& model, const Group& group, double epsilon)
    : series_(group.series),
      certified_(epsilon * shape_of(*model, group.noise).euclidean_constant()),
      search_(model, shape_of(*model, group.noise), epsilon) {
  for (const Series& series : series_) looked_at_ = std::max(looked_at_, series.rule.looked_at());
  looked_at_ = std::min(looked_at_, model->size());
}

WordId NoisyOutputs::choose(const Rule& rule, WordId in, std::span<const Neighbour> nearest,
                            Rng& coins) const {
  std::vector<Neighbour> others;
  if (rule.input == Rule::Input::excluded) {
    std::ranges::copy_if(nearest, std::back_inserter(others),
                         [in](const Neighbour& neighbour) { return neighbour.word != in; });
    nearest = others;
  }
  if (rule.choice == Rule::Choice::rank) return nearest[rule.rank - 1].word;
  return nearest[bernoulli(coins, first_of_two(nearest, rule.t)) ? 0 : 1].word;
}

std::vector<std::vector<WordId>> NoisyOutputs::draw(std::span<const WordId> in, const RandomSource& random,
                                                    unsigned threads) const {
  std::vector<std::vector<WordId>> out(series_.size(), std::vector<WordId>(in.size()));
  parallel_blocks(in.size(), kBlock, threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = random.stream(begin / kBlock);
    Rng coins = random.stream(kCoinStreams + begin / kBlock);
    search_.find(in.subspan(begin, end - begin), looked_at_, rng,
                 [&](std::size_t i, std::span<const Neighbour> nearest) {
                   for (std::size_t s = 0; s < series_.size(); ++s) {
                     out[s][begin + i] = choose(series_[s].rule, in[begin + i], nearest, coins);
                   }
                 });
  });
  return out;
}

}  // namespace sotto::lab::vickrey
