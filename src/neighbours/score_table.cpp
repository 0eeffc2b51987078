#include "neighbours/score_table.h"

#include <algorithm>
#include <cmath>

#include "neighbours/score_kernels.h"

namespace sotto {
namespace {

constexpr std::size_t kBlockChunks =
    32;  // of 32 words: 400 kB at 100 dimensions stay in the second-level cache

double squared_norm(std::span<const float> vector) {
  double sum = 0;
  for (const float x : vector) sum += double{x} * x;
  return sum;
}

}  // namespace

ScoreTable::ScoreTable(const Space& space, const Clusters& clusters)
    : space_(space), dim_(space.model().dim()), place_of_(space.size()) {
  chunk_begins_.push_back(0);
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    const std::size_t chunks = (clusters.members(c).size() + kChunk - 1) / kChunk;
    chunk_begins_.push_back(static_cast<std::uint32_t>(chunk_begins_.back() + chunks));
  }
  const std::size_t total = chunk_begins_.back() * kChunk;
  words_.resize(total);
  norms_.assign(total, std::numeric_limits<float>::infinity());
  memory_ = LargeMemory(total * dim_ * sizeof(float));
  packed_ = reinterpret_cast<float*>(memory_.data());  // zero, which is 0.0F
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    std::size_t place = chunk_begins_[c] * kChunk;
    for (const WordId word : clusters.members(c)) {
      // Distances are between representatives.
      const std::span<const float> vector = space.model().vector(space.representative(word));
      float* at = packed_ + place / kChunk * kChunk * dim_ + place % kChunk;
      for (std::size_t j = 0; j < dim_; ++j) at[j * kChunk] = vector[j];
      const double norm = squared_norm(vector);
      largest_norm_ = std::max(largest_norm_, std::sqrt(norm));
      norms_[place] = static_cast<float>(norm);
      words_[place] = word;
      place_of_[index_of(word)] = static_cast<std::uint32_t>(place);
      ++place;
    }
  }
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
  std::vector<float> queries(groups * kQueries * dim_, 0.0F);
  std::vector<float> norms(groups * kQueries, 0.0F);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::span<const float> vector = space_.model().vector(space_.representative(words[i]));
    float* at = queries.data() + i / kQueries * kQueries * dim_ + i % kQueries;
    for (std::size_t j = 0; j < dim_; ++j) at[j * kQueries] = vector[j];
    norms[i] = static_cast<float>(squared_norm(vector));
  }
  for (std::size_t chunk = 0; chunk < chunks(); chunk += kBlockChunks) {
    for (std::size_t group = 0; group < groups; ++group) {
      score_block({.packed = packed_ + chunk * kChunk * dim_,
                   .norms = norms_.data() + chunk * kChunk,
                   .chunks = std::min(kBlockChunks, chunks() - chunk),
                   .dim = dim_,
                   .queries = queries.data() + group * kQueries * dim_,
                   .query_norms = norms.data() + group * kQueries,
                   .scores = out.scores.data() + group * kQueries * places() + chunk * kChunk,
                   .score_stride = places(),
                   .minima = out.minima.data() + group * kQueries * chunks() + chunk,
                   .minima_stride = chunks()});
    }
  }
}

// With u = 2^-24: a dot product of dim float products, summed in any order, fused or not, errs by at most
// dim u |x||y| (1 + small); each squared norm is a double rounded to float, u of its value; the two additions
// err by u of their results, each at most (|x| + |y|)^2. In all at most u (2 dim |x||y| + 4 (|x| + |y|)^2),
// and 1.01 covers second-order terms and the error of the double distance (2^-53); where floats are denormal,
// each operation errs by at most 2^-149.
double ScoreTable::error_bound(WordId word) const {
  const double x = std::sqrt(squared_norm(space_.model().vector(space_.representative(word))));
  const double y = largest_norm_;
  const auto dim = static_cast<double>(dim_);
  const double relative = 2 * dim * x * y + 4 * (x + y) * (x + y);
  return 1.01 * std::ldexp(relative, -24) + std::ldexp(4 * dim + 8, -149);
}

}  // namespace sotto
