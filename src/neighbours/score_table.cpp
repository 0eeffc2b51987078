// The grid. A vector x is rounded to c + s X: c is a fixed vector, s the step, X integers. With r(x) = |x - c
// - s X| the triangle inequality gives
//
//   | |x - y| - s |X - Y| |  <=  r(x) + r(y),
//
// and |X - Y|^2 is a score, but for float rounding. With u = 2^-24: both squared norms are integers below
// 2^31 rounded to float, as is the exact inner product, each by u of its value; doubling the product is
// exact; the two additions err by u of their results, |X|^2 + |Y|^2 and at most (|X| + |Y|)^2. In all at most
// 2 u (|X|^2 + |Y|^2) + 2 u |X||Y| + u (|X| + |Y|)^2 <= 3 u (|X| + |Y|)^2; 4 covers second-order terms.
#include "neighbours/score_table.h"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr std::size_t kBlockChunks =
    64;  // of 32 words: 400 kB at 100 dimensions stay in the second-level cache

}  // namespace

ScoreTable::ScoreTable(const Space& space, const Clusters& clusters)
    : space_(space), pairs_((space.model().dim() + 1) / 2), place_of_(space.size()) {
  chunk_begins_.push_back(0);
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const std::size_t chunks = (clusters.members(c).size() + kChunk - 1) / kChunk;
    chunk_begins_.push_back(static_cast<std::uint32_t>(chunk_begins_.back() + chunks));
  }
  choose_grid();
  if (!is_usable_) return;
  const std::size_t total = chunk_begins_.back() * kChunk;
  words_.resize(total);
  norms_.assign(total, std::numeric_limits<float>::infinity());
  residuals_.resize(space.size());
  memory_ = LargeMemory(total * pairs_ * sizeof(IntegerPair));
  packed_ = reinterpret_cast<IntegerPair*>(memory_.data());  // zero
  std::vector<IntegerPair> grid(pairs_);
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    std::size_t place = chunk_begins_[c] * kChunk;
    for (const WordId word : clusters.members(c)) {
      const Rounded rounded = round(word, grid);
      IntegerPair* at = packed_ + place / kChunk * kChunk * pairs_ + place % kChunk;
      for (std::size_t j = 0; j < pairs_; ++j) at[j * kChunk] = grid[j];
      largest_norm_ = std::max(largest_norm_, std::sqrt(rounded.squared_norm));
      largest_residual_ = std::max(largest_residual_, rounded.residual);
      norms_[place] = static_cast<float>(rounded.squared_norm);
      residuals_[index_of(word)] = rounded.residual;
      words_[place] = word;
      place_of_[index_of(word)] = static_cast<std::uint32_t>(place);
      ++place;
    }
  }
}

// The centre is the middle of each coordinate's range, so that the step can be as small as the largest range
// allows.
void ScoreTable::choose_grid() {
  const Model& model = space_.model();
  std::vector<float> least(model.dim(), std::numeric_limits<float>::infinity());
  std::vector<float> most(model.dim(), -std::numeric_limits<float>::infinity());
  for (std::size_t w = 0; w < model.size(); ++w) {
    const std::span<const float> vector = model.vector(word_id(w));
    for (std::size_t j = 0; j < vector.size(); ++j) {
      least[j] = std::min(least[j], vector[j]);
      most[j] = std::max(most[j], vector[j]);
    }
  }
  double half_range = 0;
  for (std::size_t j = 0; j < model.dim(); ++j) {
    centre_.push_back(static_cast<float>((double{least[j]} + double{most[j]}) / 2));
    half_range =
        std::max({half_range, double{most[j]} - double{centre_[j]}, double{centre_[j]} - double{least[j]}});
  }
  // No sum of products reaches 2^31.
  const double largest_integer =
      std::min(32767.0, std::floor(std::sqrt(2147483647.0 / static_cast<double>(2 * pairs_))));
  step_ = half_range / largest_integer;
  is_usable_ = step_ > 0x1p-160;  // floats are at least 2^-149, so only vectors that are all equal have less
}

ScoreTable::Rounded ScoreTable::round(WordId word, std::span<IntegerPair> out) const {
  // Distances are between representatives.
  const std::span<const float> vector = space_.model().vector(space_.representative(word));
  double squared_norm = 0;
  double squared_residual = 0;
  double squared_length = 0;
  const auto integer = [&](std::size_t j) {
    if (j >= vector.size()) return std::int16_t{0};
    const double x = double{vector[j]} - double{centre_[j]};
    const double rounded = std::nearbyint(x / step_);
    const double rest = x - step_ * rounded;
    squared_norm += rounded * rounded;
    squared_residual += rest * rest;
    squared_length += x * x;
    return static_cast<std::int16_t>(rounded);
  };
  for (std::size_t j = 0; j < out.size(); ++j) {
    const std::int16_t first = integer(2 * j);
    out[j] = {.first = first, .second = integer(2 * j + 1)};
  }
  // The second term covers the rounding of x, of the rest and of the distances that Space computes.
  return {.squared_norm = squared_norm,
          .residual =
              std::sqrt(squared_residual) * (1 + 0x1p-20) + 0x1p-32 * (std::sqrt(squared_length) + step_)};
}

std::size_t ScoreTable::chunks() const noexcept {
  return chunk_begins_.back();
}

void ScoreTable::score(std::span<const WordId> words, Scores& out) const {
  const std::size_t groups = (words.size() + kQueries - 1) / kQueries;
  const std::size_t scores = groups * kQueries * places();
  if (out.memory.size() < scores * sizeof(float)) {
    out.memory = {};  // given back before more is asked for
    out.memory = LargeMemory(scores * sizeof(float));
  }
  out.scores = {reinterpret_cast<float*>(out.memory.data()), scores};
  out.minima.resize(groups * kQueries * chunks());
  std::vector<IntegerPair> queries(groups * kQueries * pairs_);
  std::vector<float> norms(groups * kQueries, 0.0F);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t own = place(words[i]);
    const IntegerPair* from = packed_ + own / kChunk * kChunk * pairs_ + own % kChunk;
    IntegerPair* at = queries.data() + i / kQueries * kQueries * pairs_ + i % kQueries;
    for (std::size_t j = 0; j < pairs_; ++j) at[j * kQueries] = from[j * kChunk];
    norms[i] = norms_[own];
  }
  for (std::size_t chunk = 0; chunk < chunks(); chunk += kBlockChunks) {
    for (std::size_t group = 0; group < groups; ++group) {
      score_block({.packed = packed_ + chunk * kChunk * pairs_,
                   .norms = norms_.data() + chunk * kChunk,
                   .chunks = std::min(kBlockChunks, chunks() - chunk),
                   .pairs = pairs_,
                   .queries = queries.data() + group * kQueries * pairs_,
                   .query_norms = norms.data() + group * kQueries,
                   .scores = out.scores.data() + group * kQueries * places() + chunk * kChunk,
                   .score_stride = places(),
                   .minima = out.minima.data() + group * kQueries * chunks() + chunk,
                   .minima_stride = chunks()});
    }
  }
}

ScoreBounds ScoreTable::bounds(WordId word) const {
  const double norm = std::sqrt(double{norms_[place(word)]}) * (1 + 0x1p-20) + largest_norm_;
  return {.step = step_,
          .apart = residuals_[index_of(word)] + largest_residual_,
          .rounding = 4 * 0x1p-24 * norm * norm};
}

}  // namespace sotto
