#include "sotto/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "certify/forecast_tokens.h"
#include "core/parallel.h"
#include "core/uniform.h"
#include "neighbours/nearest.h"
#include "sotto/error.h"

namespace sotto {

namespace {

// One distinct word of the sample; Zipf draws repeat, and a row costs O(n).
struct SampledWord {
  WordId word{};
  std::size_t times = 0;  // in the sample
  double weight = 0;      // its share of the sample
  double unchanged = 0;   // P(word | word), exact or estimated
  double variance = 0;    // of that estimate
  double nearest = 0;     // infinite: every other word lies at distance 0
};

std::vector<SampledWord> sample_words(const Model& model, std::size_t count) {
  std::map<std::size_t, std::size_t> times;
  for (const WordId token : forecast_tokens(model, count)) ++times[index_of(token)];
  std::vector<SampledWord> words;
  words.reserve(times.size());
  for (const auto& [index, drawn] : times) {
    words.push_back({.word = word_id(index),
                     .times = drawn,
                     .weight = static_cast<double>(drawn) / static_cast<double>(count)});
  }
  return words;
}

// A law costs O(n): above this many words, draws are cheaper.
constexpr std::size_t kLawWords = 2000;

bool use_law(const Mechanism& mechanism, WordId word, SampledWord& sampled) {
  if (mechanism.space->size() > kLawWords) return false;
  const auto law = mechanism.words->log_law(word);
  if (law) sampled.unchanged = std::exp((*law)[index_of(word)]);
  return law.has_value();
}

// `draws` for each time that a word is in the sample. All words of a block are drawn in one batch: mechanisms
// that prepare words prepare several at once.
void measure_unchanged(const Mechanism& mechanism, std::size_t draws, Rng& rng,
                       std::span<SampledWord> block) {
  if (!mechanism.token.empty()) return;  // no word is written at all
  std::vector<WordId> in;
  std::vector<SampledWord*> drawn;
  for (SampledWord& sampled : block) {
    if (use_law(mechanism, sampled.word, sampled)) continue;
    in.insert(in.end(), draws * sampled.times, sampled.word);
    drawn.push_back(&sampled);
  }
  std::vector<WordId> out(in.size());
  mechanism.words->sample_batch(in, out, rng);
  std::span<const WordId> rest = out;
  for (SampledWord* const sampled : drawn) {
    const auto own = rest.first(draws * sampled->times);
    rest = rest.subspan(own.size());
    const auto same = static_cast<double>(std::count(own.begin(), own.end(), sampled->word));
    sampled->unchanged = same / static_cast<double>(own.size());
    sampled->variance = sampled->unchanged * (1 - sampled->unchanged) / static_cast<double>(own.size());
  }
}

double nearest_by_scan(const Space& space, WordId word, std::vector<double>& row) {
  row.resize(space.size());
  space.distances_from(word, row);
  double nearest = std::numeric_limits<double>::infinity();
  for (const double distance : row) {
    if (distance > 0) nearest = std::min(nearest, distance);
  }
  return nearest;
}

// The distance of each word to the nearest at a positive distance. In a Euclidean space the fast search finds
// a few candidates; if all of them share the word's row, all words are looked at.
void measure_nearest(const Space& space, std::span<SampledWord> block, const NearestWords* search) {
  constexpr std::size_t kCandidates = 8;
  const Model& model = space.model();
  const std::size_t k = std::min(kCandidates, model.size());
  std::vector<Neighbour> found(search == nullptr ? 0 : block.size() * k);
  if (search != nullptr) {
    std::vector<double> vectors(block.size() * model.stride(), 0.0);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const auto vector = model.vector(space.representative(block[i].word));
      std::copy(vector.begin(), vector.end(),
                vectors.begin() + static_cast<std::ptrdiff_t>(i * model.stride()));
    }
    search->find(vectors, k, found);
  }
  std::vector<double> row;
  for (std::size_t i = 0; i < block.size(); ++i) {
    double& nearest = block[i].nearest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < found.size() / block.size(); ++j) {
      const double distance = space.distance(block[i].word, found[i * k + j].word);
      if (distance > 0) nearest = std::min(nearest, distance);
    }
    if (std::isinf(nearest)) nearest = nearest_by_scan(space, block[i].word, row);
  }
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

std::string_view strength_name(Strength strength) {
  switch (strength) {
    case Strength::ok:
      return "ok";
    case Strength::weak:
      return "weak";
    case Strength::none:
      break;
  }
  return "none";
}

// A share that is not a number says nothing good: it counts as none.
Strength strength_of(double expected_unchanged) {
  if (expected_unchanged <= kWeakUnchanged) return Strength::ok;
  return expected_unchanged <= kRefusedUnchanged ? Strength::weak : Strength::none;
}

std::string strength_sentence(Strength strength, Released released) {
  const bool are_words = released == Released::words;
  const std::string_view unit = are_words ? "words" : "vectors";
  const std::string_view stay = are_words ? "stay as they are" : "show their own word";
  switch (strength) {
    case Strength::ok:
      return fmt::format("At most half of the {} are expected to {}.", unit, stay);
    case Strength::weak:
      return fmt::format("Most {} are expected to {}: the release hides little.", unit, stay);
    case Strength::none:
      break;
  }
  return fmt::format("Nearly all {} are expected to {}: the release hides next to nothing.", unit, stay);
}

std::vector<WordId> forecast_tokens(const Model& model, std::size_t count) {
  std::vector<double> sums = rank_prior(model);
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  Rng rng = Rng::seeded_not_private(kForecastSeed);
  std::vector<WordId> tokens(count);
  for (WordId& token : tokens) token = word_id(choose_by_sums(rng, sums));
  return tokens;
}

Forecast forecast(const Mechanism& mechanism, const ForecastOptions& options) {
  if (options.words == 0 || options.draws_per_word == 0) {
    throw Error(ErrorCode::usage, "a forecast needs at least one word and one draw of it");
  }
  constexpr std::size_t kBlock = 24;
  auto words = sample_words(mechanism.space->model(), options.words);
  const bool searchable = mechanism.space->is_euclidean() && mechanism.space->size() > kLawWords;
  const auto search = searchable ? std::make_unique<const NearestWords>(mechanism.space->model()) : nullptr;
  parallel_blocks(words.size(), kBlock, options.threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = Rng::seeded_not_private(kForecastSeed, 1 + begin);  // by block: threads change nothing
    const auto block = std::span(words).subspan(begin, end - begin);
    measure_unchanged(mechanism, options.draws_per_word, rng, block);
    measure_nearest(*mechanism.space, block, search.get());
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
