#include "measure/released_vectors.h"

#include <algorithm>
#include <cmath>

#include "certify/word_centres.h"
#include "core/parallel.h"
#include "core/uniform.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kStreamDraws = 16;  // draws of one random stream

// In eight partial sums, so that it runs in vector registers.
double distance(const double* a, const double* b, std::size_t size) {
  constexpr std::size_t kLanes = 8;
  double sums[kLanes] = {};
  std::size_t k = 0;
  for (; k + kLanes <= size; k += kLanes) {
    for (std::size_t t = 0; t < kLanes; ++t) sums[t] += (a[k + t] - b[k + t]) * (a[k + t] - b[k + t]);
  }
  for (; k < size; ++k) sums[0] += (a[k] - b[k]) * (a[k] - b[k]);
  double total = 0;
  for (const double sum : sums) total += sum;
  return std::sqrt(total);
}

}  // namespace

ReleasedWords released_words(const VectorMechanism& vectors, const Model& model, unsigned threads) {
  const std::optional<double> scale = vectors.noise_scale();
  ReleasedWords out{.dim = vectors.output_dim()};
  if (scale) out.centres = word_centres(vectors, model, threads);
  if (out.centres.empty()) {
    throw Error(ErrorCode::usage,
                "this mechanism does not tell the law of its noise, so its releases cannot be attacked");
  }
  out.scale = *scale;
  out.release = [&vectors, &model](WordId word, std::span<double> released, Rng& rng) {
    const auto vector = model.vector(word).first(model.dim());
    const std::vector<double> in(vector.begin(), vector.end());
    vectors.release_batch(in, released, rng);
  };
  return out;
}

VectorAttacker::VectorAttacker(const ReleasedWords& released, const Prior& prior, const Labels* labels)
    : released_(released), prior_(prior), labels_(labels) {
  for (const WordId word : prior.support) {
    const double weight = prior.weights[index_of(word)];
    sums_.push_back((sums_.empty() ? 0 : sums_.back()) + weight);
    logs_.push_back(std::log(weight));
  }
}

// Scores are logarithms of densities, without the prior.
void VectorAttacker::add_scores(std::span<const double> release, std::span<double> scores) const {
  for (std::size_t w = 0; w < scores.size(); ++w) {
    const double* const centre = &released_.centres[index_of(prior_.support[w]) * released_.dim];
    scores[w] -= distance(release.data(), centre, released_.dim) / released_.scale;
  }
}

VectorGuess VectorAttacker::judge(WordId word, std::span<const double> scores) const {
  double largest = -HUGE_VAL;
  for (std::size_t w = 0; w < scores.size(); ++w) largest = std::max(largest, scores[w] + logs_[w]);
  double total = 0;
  double squares = 0;
  std::vector<double> by_label(labels_ == nullptr ? 0 : labels_->names.size(), 0.0);
  for (std::size_t w = 0; w < scores.size(); ++w) {
    const double weight = std::exp(scores[w] + logs_[w] - largest);
    total += weight;
    squares += weight * weight;
    if (labels_ != nullptr) {
      by_label[static_cast<std::size_t>(labels_->of[index_of(prior_.support[w])])] += weight;
    }
  }
  return {.word = word,
          .best = 1 - 1 / total,
          .posterior = std::max(0.0, 1 - squares / (total * total)),
          .label = by_label.empty() ? 0 : std::max(0.0, 1 - std::ranges::max(by_label) / total)};
}

std::size_t VectorAttacker::nearest(std::span<const double> scores) const {
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

std::vector<std::vector<VectorGuess>> VectorAttacker::guess(const Draws& draws, const RandomSource& random,
                                                            const Work& work) const {
  std::size_t levels = 1;
  while (std::size_t{1} << levels <= draws.copies) ++levels;
  std::vector<std::vector<VectorGuess>> guesses(levels, std::vector<VectorGuess>(draws.count));
  parallel_blocks(draws.count, kStreamDraws, work.threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = random.stream(draws.first_stream + begin / kStreamDraws);
    std::vector<double> release(released_.dim);
    std::vector<double> scores(prior_.support.size());
    for (std::size_t i = begin; i < end; ++i) {
      const WordId word = prior_.support[choose_by_sums(rng, sums_)];
      std::ranges::fill(scores, 0.0);
      double is_other = 0;
      std::size_t seen = 0;
      for (std::size_t level = 0; level < levels; ++level) {
        for (; seen < std::size_t{1} << level; ++seen) {
          released_.release(word, release, rng);
          add_scores(release, scores);
        }
        if (level == 0) is_other = prior_.support[nearest(scores)] == word ? 0 : 1;
        guesses[level][i] = judge(word, scores);
        guesses[level][i].nearest = is_other;
      }
    }
  });
  return guesses;
}

}  // namespace sotto
