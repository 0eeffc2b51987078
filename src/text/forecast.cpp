#include "text/forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "core/parallel.h"
#include "core/uniform.h"
#include "sotto/error.h"

namespace sotto {

namespace {

// Only public data is involved (model, rank prior, mechanism), so a fixed seed gives nothing away, and
// the number printed before a run is the same each time.
constexpr std::uint64_t kSeed = 20210719;

// One distinct word of the sample; Zipf draws repeat, and a row costs O(n).
struct SampledWord {
  WordId word{};
  double weight = 0;     // its share of the sample
  double unchanged = 0;  // P(word | word), exact or estimated
  double variance = 0;   // of that estimate
  double nearest = 0;    // infinite: every other word lies at distance 0
};

std::vector<SampledWord> sample_words(const Model& model, std::size_t count) {
  std::vector<double> sums = rank_prior(model);
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  Rng rng = Rng::seeded_not_private(kSeed);
  std::map<std::size_t, std::size_t> times;
  for (std::size_t i = 0; i < count; ++i) ++times[choose_by_sums(rng, sums)];
  std::vector<SampledWord> words;
  words.reserve(times.size());
  for (const auto& [index, drawn] : times) {
    words.push_back(
        {.word = word_id(index), .weight = static_cast<double>(drawn) / static_cast<double>(count)});
  }
  return words;
}

void measure_unchanged(const Mechanism& mechanism, std::size_t draws, Rng& rng, SampledWord& sampled) {
  if (const auto law = mechanism.words->log_law(sampled.word)) {
    sampled.unchanged = std::exp((*law)[index_of(sampled.word)]);
    return;
  }
  const std::vector<WordId> in(draws, sampled.word);
  std::vector<WordId> out(draws);
  mechanism.words->sample_batch(in, out, rng);
  const auto same = static_cast<double>(std::count(out.begin(), out.end(), sampled.word));
  sampled.unchanged = same / static_cast<double>(draws);
  sampled.variance = sampled.unchanged * (1 - sampled.unchanged) / static_cast<double>(draws);
}

double nearest_distance(const Space& space, WordId word, std::vector<double>& row) {
  row.resize(space.size());
  space.distances_from(word, row);
  double nearest = std::numeric_limits<double>::infinity();
  for (const double distance : row) {
    if (distance > 0) nearest = std::min(nearest, distance);
  }
  return nearest;
}

// Half width of a 95% interval for the mean over tokens: the spread of words under the prior plus the
// noise of each word's own estimate (slightly counted twice: on the safe side), and never below the rule
// of three for that many independent words.
double margin_of(const std::vector<SampledWord>& words, double mean, std::size_t count) {
  const auto n = static_cast<double>(count);
  double spread = 0;
  double noise = 0;
  for (const SampledWord& word : words) {
    spread += word.weight * (word.unchanged - mean) * (word.unchanged - mean);
    noise += word.weight * word.weight * word.variance;
  }
  const double between = n > 1 ? spread / (n - 1) : 1.0;
  return std::min(1.0, std::max(1.96 * std::sqrt(between + noise), 3 / n));
}

// Over tokens: each word counts by its weight.
double weighted_median_nearest(std::vector<SampledWord> words) {
  std::erase_if(words, [](const SampledWord& word) { return std::isinf(word.nearest); });
  std::sort(words.begin(), words.end(),
            [](const SampledWord& a, const SampledWord& b) { return a.nearest < b.nearest; });
  double total = 0;
  for (const SampledWord& word : words) total += word.weight;
  double below = 0;
  for (const SampledWord& word : words) {
    below += word.weight;
    if (below >= total / 2) return word.nearest;
  }
  return 0;
}

}  // namespace

Forecast forecast(const Mechanism& mechanism, const ForecastOptions& options) {
  if (options.words == 0 || options.draws_per_word == 0) {
    throw Error(ErrorCode::usage, "a forecast needs at least one word and one draw of it");
  }
  auto words = sample_words(mechanism.space->model(), options.words);
  parallel_blocks(words.size(), 1, options.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row;
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng = Rng::seeded_not_private(kSeed, 1 + i);  // by word: threads change nothing
      measure_unchanged(mechanism, options.draws_per_word, rng, words[i]);
      words[i].nearest = nearest_distance(*mechanism.space, words[i].word, row);
    }
  });

  Forecast result;
  for (const SampledWord& word : words) result.unchanged += word.weight * word.unchanged;
  result.unchanged = std::min(result.unchanged, 1.0);
  result.unchanged_margin = margin_of(words, result.unchanged, options.words);
  result.median_nearest = weighted_median_nearest(words);
  result.scaled_nearest = mechanism.claim.epsilon * result.median_nearest;
  return result;
}

}  // namespace sotto
