#include "measure/sampled_adversary.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "core/parallel.h"
#include "core/uniform.h"

namespace sotto {
namespace {

constexpr std::size_t kDrawBlock = 4096;
constexpr double kOneSided = 0.025;

struct Pair {
  std::uint32_t output;
  std::int64_t guess;
  auto operator<=>(const Pair&) const = default;
};

// The most frequent class of each output, the smaller of two that are equally frequent, and how often it
// came.
struct Favourite {
  std::int64_t guess = kNoClass;
  std::size_t count = 0;
};
std::unordered_map<std::uint32_t, Favourite> favourites(std::vector<Pair> pairs) {
  std::ranges::sort(pairs);
  std::unordered_map<std::uint32_t, Favourite> best;
  for (std::size_t begin = 0; begin < pairs.size();) {
    std::size_t end = begin;
    while (end < pairs.size() && pairs[end] == pairs[begin]) ++end;
    Favourite& own = best[pairs[begin].output];
    if (end - begin > own.count) own = {.guess = pairs[begin].guess, .count = end - begin};
    begin = end;
  }
  return best;
}

// The sum over outputs and classes of count(class, output)^2 / count(output).
double squared_shares(std::vector<Pair> pairs) {
  std::ranges::sort(pairs);
  double sum = 0;
  for (std::size_t begin = 0; begin < pairs.size();) {
    std::size_t end = begin;
    double squares = 0;
    while (end < pairs.size() && pairs[end].output == pairs[begin].output) {
      std::size_t same = end;
      while (same < pairs.size() && pairs[same] == pairs[end]) ++same;
      squares += static_cast<double>(same - end) * static_cast<double>(same - end);
      end = same;
    }
    sum += squares / static_cast<double>(end - begin);
    begin = end;
  }
  return sum;
}

double margin(std::size_t draws) {
  return draws == 0 ? 1 : std::sqrt(std::log(1 / kOneSided) / (2 * static_cast<double>(draws)));
}

double share(std::size_t count, std::size_t total) {
  return total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total);
}

}  // namespace

JointSample draw_joint(const Mechanism& mechanism, const Prior& prior, const JointDraws& draws,
                       const RandomSource& random, const Work& work) {
  std::vector<double> sums(prior.weights.size());
  std::partial_sum(prior.weights.begin(), prior.weights.end(), sums.begin());
  JointSample sample{.words = std::vector<WordId>(draws.count), .outputs = std::vector<WordId>(draws.count)};
  std::mutex mutex;
  std::size_t done = 0;
  parallel_blocks(draws.count, kDrawBlock, work.threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = random.stream(draws.first_stream + begin / kDrawBlock);
    const auto words = std::span(sample.words).subspan(begin, end - begin);
    for (WordId& word : words) word = word_id(choose_by_sums(rng, sums));
    mechanism.words->sample_batch(words, std::span(sample.outputs).subspan(begin, end - begin), rng);
    const std::scoped_lock lock(mutex);
    done += end - begin;
    if (work.progress) work.progress({.done = done, .total = draws.count, .unit = "draws"});
  });
  return sample;
}

GuessBracket guess_bracket(const JointSample& sample, const Classes& classes) {
  std::vector<Pair> pairs;
  pairs.reserve(sample.words.size());
  for (std::size_t i = 0; i < sample.words.size(); ++i) {
    const std::int64_t own = classes.of(sample.words[i]);
    if (own != kNoClass) {
      pairs.push_back({.output = static_cast<std::uint32_t>(sample.outputs[i]), .guess = own});
    }
  }
  GuessBracket bracket{.draws = pairs.size()};
  std::size_t right = 0;
  for (const auto& [output, favourite] : favourites(pairs)) right += favourite.count;
  bracket.plug_in = 1 - share(right, pairs.size());

  const std::size_t half = pairs.size() / 2;
  const auto learnt = favourites({pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(half)});
  std::size_t wrong = 0;
  for (std::size_t i = half; i < pairs.size(); ++i) {
    const auto found = learnt.find(pairs[i].output);
    const std::int64_t guess = found == learnt.end() ? classes.likeliest : found->second.guess;
    wrong += guess == pairs[i].guess ? 0 : 1;
  }
  const double held_out = share(wrong, pairs.size() - half);
  bracket.held_out = std::min(held_out, classes.constant_error);
  bracket.posterior_plug_in =
      pairs.empty() ? 0 : std::max(0.0, 1 - squared_shares(pairs) / static_cast<double>(pairs.size()));
  bracket.posterior_margin = 2 * margin(pairs.size());
  bracket.low = std::max(0.0, bracket.plug_in - margin(pairs.size()));
  bracket.high = std::min(held_out + margin(pairs.size() - half), classes.constant_error);
  return bracket;
}

}  // namespace sotto
