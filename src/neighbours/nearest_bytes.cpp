// The bound.
//
// All lengths are in units (ByteWords::unit, a power of two: exact), so that words have norms of about 1. c
// is a fixed vector of floats (a sample's median; any would do), x' = x - c a word, y = q - c a query.
// Integers X in [-127, 127] and one scale s round x' to sX with residual r = |x' - sX|; Q and the query's own
// scale t round y to tQ with error e = |y - tQ|. Cauchy-Schwarz on y.x' = tQ.sX + tQ.(x' - sX) + (y - tQ).x'
// gives, with N = |x'|,
//
//   | |q - x|^2 - |y|^2  -  (N^2 - 2 s t X.Q) |  <=  2 (|tQ| r + e N).
//
// X.Q is exact. All else is rounded, and each rounding is paid for; kSlack = 2^-18 is 64 float roundings.
// - N^2: stored is A = N^2 (1 - kSlack), and `high` adds 4 kSlack A.
// - r, N, e: computed in double with a relative error below dim 2^-52, from x - c and q - c, which are off by
//   2^-53 N and 2^-53 |y|; stored times (1 + 2^-20), plus 2^-40 N or 2^-40 |y|, rounded upwards.
// - P = 2 |tQ| (1 + kSlack), and at least 2^-30, so that rho exists for a query at c.
// - rho = e / |tQ| + kSlack.
// - the distance itself: the computed double D is (1 +- rounding) |q - x|^2, at most |y|^2 + 2 |y| N + N^2.
//   The slack in rho and A pays for the last two; `slack` = 2 rounding |y|^2 for the first.
// - underflow: less than 2^-126 in a float, times an integer below 2^31; `slack` has 2^-80 more.
// So low <= D - |y|^2 + slack/2 and D - |y|^2 <= high + slack/2. A word with low > limit = (k-th smallest
// high) + slack is strictly farther than k others: out, ties or not.
//
// The kernel makes this test in integers. With f = 2 s t, low <= limit says
//
//   X.Q + (P r + P rho N - A) / f  >=  -limit / f.
//
// t is the same for all queries of a group, and P and P rho are replaced by the largest of the group, which
// lets more words pass. So the second term is one number u for each word and group. It is computed in floats
// with 4 roundings, each of at most 2^-24 of (P r + P rho N + A) / f; the slack in P, rho and A pays. u is
// cut to [-kLargestSum, kLargestSum] and then loses less than 1 to an integer. A word passes if the left side
// is above `threshold`, the right side rounded downwards less 3, cut from above to kLargestSum - kLargestDot
// and from below to kSmallestThreshold, which every left side exceeds. A u that was cut from below only lets
// more words pass. A word whose u was cut from above passes, since |X.Q| is below kLargestDot. Sums stay
// below 2^31.
#include "neighbours/nearest_bytes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/median.h"
#include "core/parallel.h"
#include "neighbours/grid_kernels.h"
#include "neighbours/nearest_kernels.h"

namespace sotto {
namespace {

constexpr double kSlack = 0x1p-18;
constexpr double kUnderflow = 0x1p-80;
constexpr double kMostByte = 127;
constexpr double kLargestNorm = 0x1p40;   // of a word, in units: its square fits a float
constexpr double kLargestQuery = 0x1p60;  // as are products of the two
constexpr std::size_t kLargestDim = 16384;
constexpr std::int32_t kLargestDot = 1 << 28;  // above every |X.Q|
static_assert(std::size_t{127} * 127 * kLargestDim < kLargestDot);
// Every sum exceeds it. Sums less any threshold stay below 2^31, as do sums on the way.
constexpr std::int32_t kSmallestThreshold = -(kLargestSum + kLargestDot) - 1;
constexpr double kSmallestScale = 0x1p-30;
constexpr double kSmallestQueryScale = 0x1p-18;  // t; A / f of a typical word is then below kLargestSum
constexpr std::size_t kSample = 256;  // words that give centre, unit and scale: any values would be valid

float float_above(double value) {
  return std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity());
}

// Every step-th row of a model, for what needs to be sensible but not exact.
struct Sample {
  const Model& model;
  std::size_t step;
  template <typename Visit>
  void each(const Visit& visit) const {
    for (std::size_t w = 0; w < model.size(); w += step) visit(model.rows() + w * model.stride());
  }
};

std::vector<float> median_vector(const Sample& sample) {
  std::vector<float> centre(sample.model.stride(), 0.0F);
  std::vector<double> values;
  for (std::size_t j = 0; j < sample.model.dim(); ++j) {
    values.clear();
    sample.each([&](const float* row) { values.push_back(static_cast<double>(row[j])); });
    centre[j] = static_cast<float>(median(values));
  }
  return centre;
}

// The median, or the largest where more than half of the words are at the centre.
double typical_norm(const Sample& sample, const std::vector<float>& centre) {
  std::vector<double> norms;
  std::vector<std::int8_t> unused(centre.size());
  sample.each([&](const float* row) {
    const GridPoint point =
        round_to_grid(row, centre.size(), {.centre = centre.data(), .unit = 1, .step = 1, .most = kMostByte},
                      unused.data());
    norms.push_back(std::sqrt(point.squared_length));
  });
  const double middle = median(norms);
  return middle > 0 ? middle : *std::max_element(norms.begin(), norms.end());
}

// A scale that cuts no coordinate would waste bits on every word for the sake of a few outliers. 1.3 times
// what 99% of the words need leaves the fewest words for the second pass on GloVe (1.0 and 2.0 leave about
// twice as many).
double scale_of(const Sample& sample, const std::vector<float>& centre, double unit) {
  std::vector<double> largest;
  sample.each([&](const float* row) {
    double value = 0;
    for (std::size_t j = 0; j < centre.size(); ++j) {
      value = std::max(value, std::abs(static_cast<double>(row[j]) - static_cast<double>(centre[j])));
    }
    largest.push_back(unit * value);
  });
  std::sort(largest.begin(), largest.end());
  const double cut = largest[static_cast<std::size_t>(0.99 * static_cast<double>(largest.size() - 1))];
  return static_cast<float>(std::max(1.3 * cut, kSmallestScale) / 127);
}

}  // namespace

ByteWords::ByteWords(const Model& model) {
  const std::size_t n = model.size();
  const std::size_t dim = model.dim();
  const std::size_t stride = model.stride();
  if (dim > kLargestDim || n == 0) return;
  rounding = (static_cast<double>(stride) / 16 + 8) * 0x1p-52;

  const Sample sample{.model = model, .step = (n + kSample - 1) / kSample};
  centre = median_vector(sample);
  const double typical = typical_norm(sample, centre);
  if (typical == 0) return;
  unit = std::ldexp(1.0, -std::ilogb(typical));
  scale = scale_of(sample, centre, unit);

  quads = (dim + 3) / 4;
  constexpr std::size_t kStep = kWordsPerBlock * kBlocksPerStep;
  blocks = (n + kStep - 1) / kStep * kBlocksPerStep;
  const std::size_t padded = blocks * kWordsPerBlock;
  bytes = hwy::AllocateAligned<std::uint8_t>(padded * quads * 4);
  squared = hwy::AllocateAligned<float>(padded);
  residual = hwy::AllocateAligned<float>(padded);
  norm = hwy::AllocateAligned<float>(padded);
  std::atomic<bool> fits = true;
  const Grid grid{.centre = centre.data(), .unit = unit, .step = scale, .most = kMostByte};
  parallel_blocks(blocks, 256, 0, [&](std::size_t begin, std::size_t end) {
    std::vector<std::int8_t> row(stride);
    for (std::size_t w = begin * kWordsPerBlock; w < end * kWordsPerBlock; ++w) {
      GridPoint point{};
      if (w < n) point = round_to_grid(model.rows() + w * stride, stride, grid, row.data());
      const double length = std::sqrt(point.squared_length);
      if (!(length < kLargestNorm)) fits = false;
      squared[w] = w < n ? static_cast<float>(point.squared_length * (1 - kSlack))
                         : std::numeric_limits<float>::infinity();
      norm[w] = float_above(length * (1 + 0x1p-20));
      residual[w] = float_above(std::sqrt(point.squared_residual) * (1 + 0x1p-20) + 0x1p-40 * length);
      std::uint8_t* out =
          bytes.get() + w / kWordsPerBlock * kWordsPerBlock * 4 * quads + w % kWordsPerBlock * 4;
      for (std::size_t j = 0; j < quads; ++j, out += kWordsPerBlock * 4) {
        for (std::size_t i = 0; i < 4; ++i) out[i] = static_cast<std::uint8_t>(row[4 * j + i] + kByteOffset);
      }
    }
  });
  usable = fits;
}

double largest_coordinate(const ByteWords& words, std::span<const double> query) {
  double largest = 0;
  double squares = 0;
  for (std::size_t j = 0; j < query.size(); ++j) {
    const double y = words.unit * (query[j] - static_cast<double>(words.centre[j]));
    squares += y * y;
    largest = std::max(largest, std::abs(y));
  }
  const bool near = std::sqrt(squares) < kLargestQuery;  // false for NaN, too
  return near ? largest : std::numeric_limits<double>::infinity();
}

QueryGroup::QueryGroup(const ByteWords& words, std::span<const double* const> queries, std::size_t stride,
                       std::size_t k)
    : words_(words), size_(queries.size()) {
  bytes_.bytes.assign(words.quads * kQueriesPerGroup, 0);
  bytes_.pairs.assign(words.quads * kQueriesPerGroup * 2, 0);
  for (std::size_t q = 0; q < kQueriesPerGroup; ++q) set_threshold(q, kLargestSum + kLargestDot);
  double largest = 0;
  for (std::size_t q = 0; q < size_; ++q) {
    const double own = largest_coordinate(words, {queries[q], stride});
    states_[q].usable = std::isfinite(own);
    if (states_[q].usable) largest = std::max(largest, own);
  }
  scale_ = static_cast<double>(float_above(std::max(largest / 127, kSmallestQueryScale)));
  factor_ = 2 * words.scale * scale_;
  bytes_.inverse = static_cast<float>(1 / factor_);
  for (std::size_t q = 0; q < size_; ++q) {
    states_[q].highs.assign(k, std::numeric_limits<double>::infinity());
    if (states_[q].usable) prepare(q, {queries[q], stride});
  }
}

void QueryGroup::prepare(std::size_t query, std::span<const double> vector) {
  State& state = states_[query];
  std::vector<double> y(words_.quads * 4, 0.0);
  double squares = 0;
  for (std::size_t j = 0; j < std::min(y.size(), vector.size()); ++j) {
    y[j] = words_.unit * (vector[j] - static_cast<double>(words_.centre[j]));
    squares += y[j] * y[j];
  }
  double rounded_squares = 0;
  double error_squares = 0;
  std::int32_t sum = 0;
  const double inverse = 1 / scale_;
  for (std::size_t j = 0; j < words_.quads; ++j) {
    std::array<std::uint32_t, 4> integers{};
    for (std::size_t i = 0; i < 4; ++i) {
      // At most 127 in size, whatever the rounding of `inverse`.
      const double half = std::copysign(0.5, y[4 * j + i]);
      const auto rounded = static_cast<double>(static_cast<std::int32_t>(y[4 * j + i] * inverse + half));
      rounded_squares += scale_ * rounded * scale_ * rounded;
      const double error = y[4 * j + i] - scale_ * rounded;
      error_squares += error * error;
      sum += static_cast<std::int32_t>(rounded);
      integers[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(rounded));
    }
    std::uint32_t packed = 0;
    for (std::size_t i = 0; i < 4; ++i) packed |= (integers[i] & 0xFFU) << (8 * i);
    const std::size_t place = j * kQueriesPerGroup + query;
    bytes_.bytes[place] = static_cast<std::int32_t>(packed);
    bytes_.pairs[2 * place] = static_cast<std::int32_t>((integers[0] & 0xFFFFU) | integers[2] << 16U);
    bytes_.pairs[2 * place + 1] = static_cast<std::int32_t>((integers[1] & 0xFFFFU) | integers[3] << 16U);
  }
  const double rounded_length = std::max(std::sqrt(rounded_squares), 0x1p-31) * (1 + 0x1p-20);
  const double error = std::sqrt(error_squares) * (1 + 0x1p-20) + 0x1p-40 * std::sqrt(squares);
  state.reach = 2 * rounded_length * (1 + kSlack);
  state.ratio = error / rounded_length + kSlack;
  state.squares = squares;
  state.slack = 2 * words_.rounding * squares + kUnderflow;
  state.offset = -kByteOffset * sum;
  bytes_.reach = std::max(bytes_.reach, float_above(state.reach / factor_));
  bytes_.error = std::max(bytes_.error, float_above(state.reach * state.ratio / factor_));
  set_limit(query, std::numeric_limits<double>::infinity());
}

void QueryGroup::set_limit(std::size_t query, double limit) {
  states_[query].limit = limit;
  const double right = std::floor(-(limit + kSlack * std::abs(limit)) / factor_) - 3;
  set_threshold(query, static_cast<std::int32_t>(
                           std::clamp<double>(right, kSmallestThreshold, kLargestSum - kLargestDot)));
}

void QueryGroup::set_threshold(std::size_t query, std::int32_t threshold) {
  bytes_.threshold[query] = threshold;
  bytes_.start[query] = states_[query].offset - threshold;
}

ByteBounds QueryGroup::bounds(std::size_t query, std::size_t word, std::int32_t dot) const {
  const State& state = states_[query];
  const double squared = words_.squared[word];
  const double middle = squared - factor_ * dot;
  const double radius = state.reach * (words_.residual[word] + state.ratio * words_.norm[word]);
  return {.low = middle - radius, .high = middle + radius + 4 * kSlack * squared};
}

void QueryGroup::meet(std::size_t query, std::size_t word, std::int32_t dot) {
  State& state = states_[query];
  const ByteBounds found = bounds(query, word, dot);
  if (found.low > state.limit || std::isinf(found.low)) return;  // infinite: a place after the last word
  state.kept.push_back({.word = static_cast<std::uint32_t>(word), .low = found.low});
  if (found.high < state.highs.back()) {
    std::size_t place = state.highs.size() - 1;
    for (; place > 0 && state.highs[place - 1] > found.high; --place)
      state.highs[place] = state.highs[place - 1];
    state.highs[place] = found.high;
    set_limit(query, state.highs.back() + state.slack);
  }
  if (state.kept.size() >= state.compact_at) {
    compact(state);
    state.compact_at = std::max<std::size_t>(64, 2 * state.kept.size());
  }
}

void QueryGroup::compact(State& state) {
  std::erase_if(state.kept, [&](const ByteCandidate& candidate) { return candidate.low > state.limit; });
}

// low <= D - |y|^2 + slack/2 for every word; the other half of the slack pays for the subtraction here.
void QueryGroup::take_distance(std::size_t query, double squared) {
  State& state = states_[query];
  state.limit = std::min(state.limit, words_.unit * words_.unit * squared - state.squares + state.slack);
}

std::span<const ByteCandidate> QueryGroup::candidates(std::size_t query) {
  compact(states_[query]);
  return states_[query].kept;
}

}  // namespace sotto
