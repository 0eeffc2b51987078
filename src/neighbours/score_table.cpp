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

#include "core/parallel.h"
#include "core/prefetch.h"
#include "neighbours/grid_kernels.h"

namespace sotto {
namespace {

constexpr std::size_t kBlockChunks =
    64;  // of 32 words: 400 kB at 100 dimensions stay in the second-level cache

// At least the length of a vector whose squared norm was rounded to `norm`.
double length_from(float norm) {
  return std::sqrt(double{norm}) * (1 + 0x1p-20);
}

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
  parallel_blocks(clusters.size(), 4, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const std::span<const WordId> members = clusters.members(c);
      for (std::size_t first = 0; first < members.size(); first += kChunk) {
        pack(chunk_begins_[c] + first / kChunk,
             members.subspan(first, std::min(kChunk, members.size() - first)));
      }
    }
  });
  for (const float norm : norms_) {
    if (!std::isinf(norm)) largest_norm_ = std::max(largest_norm_, length_from(norm));
  }
  largest_residual_ = *std::max_element(residuals_.begin(), residuals_.end());
}

void ScoreTable::pack(std::size_t chunk, std::span<const WordId> words) {
  const Model& model = space_.model();
  const Grid grid{.centre = centre_.data(), .unit = 1, .step = step_, .most = largest_integer_};
  // Distances are between representatives.
  const auto row = [&](WordId word) {
    return model.rows() + index_of(space_.representative(word)) * model.stride();
  };
  // The words of a cluster lie anywhere in the model: all rows are asked for before the first is read.
  for (const WordId word : words) prefetch_bytes(row(word), model.stride() * sizeof(float));
  std::vector<std::int16_t> integers(model.stride());  // zero beyond the dimensions, as the model's rows are
  for (std::size_t i = 0; i < words.size(); ++i) {
    const GridPoint point = round_to_grid(row(words[i]), model.stride(), grid, integers.data());
    IntegerPair* at = packed_ + chunk * kChunk * pairs_ + i;
    for (std::size_t j = 0; j < pairs_; ++j)
      at[j * kChunk] = {.first = integers[2 * j], .second = integers[2 * j + 1]};
    const std::size_t place = chunk * kChunk + i;
    norms_[place] = static_cast<float>(point.squared_norm);
    words_[place] = words[i];
    place_of_[index_of(words[i])] = static_cast<std::uint32_t>(place);
    // The second term covers the rounding of x, of the rest and of the distances that Space computes.
    residuals_[index_of(words[i])] = std::sqrt(point.squared_residual) * (1 + 0x1p-20) +
                                     0x1p-32 * (std::sqrt(point.squared_length) + step_);
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
  centre_.resize(model.stride());
  for (std::size_t j = 0; j < model.dim(); ++j) {
    centre_[j] = static_cast<float>((double{least[j]} + double{most[j]}) / 2);
    half_range =
        std::max({half_range, double{most[j]} - double{centre_[j]}, double{centre_[j]} - double{least[j]}});
  }
  // No sum of products reaches 2^31.
  largest_integer_ = std::min(32767.0, std::floor(std::sqrt(2147483647.0 / static_cast<double>(2 * pairs_))));
  step_ = half_range / largest_integer_;
  is_usable_ = step_ > 0x1p-160;  // floats are at least 2^-149, so only vectors that are all equal have less
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
  const double norm = length_from(norms_[place(word)]) + largest_norm_;
  return {.step = step_,
          .apart = residuals_[index_of(word)] + largest_residual_,
          .rounding = 4 * 0x1p-24 * norm * norm};
}

}  // namespace sotto
