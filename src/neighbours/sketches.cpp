#include "neighbours/sketches.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "core/prefetch.h"

namespace sotto {
namespace {

constexpr std::size_t kLine = 64;
constexpr float kMostUnits = 127;

double norm_of(std::span<const float> vector) {
  double sum = 0;
  for (const float x : vector) sum += double{x} * x;
  return std::sqrt(sum);
}

// A scale at which nearly no coordinate is cut: 4 of the model's typical coordinates (root mean square over
// evenly spaced words) make 127 units, or the largest coordinate if that is less. What is cut counts as
// moved.
float choose_scale(const Model& model) {
  constexpr std::size_t kSample = 2000;
  const std::size_t step = std::max<std::size_t>(1, model.size() / kSample);
  double squares = 0;
  double largest = 0;
  std::size_t count = 0;
  for (std::size_t w = 0; w < model.size(); w += step) {
    for (const float x : model.vector(word_id(w))) {
      squares += double{x} * x;
      largest = std::max(largest, std::abs(double{x}));
      ++count;
    }
  }
  const double reach = std::min(largest, 4 * std::sqrt(squares / static_cast<double>(count)));
  return reach > 0 ? static_cast<float>(reach / kMostUnits) : 1.0F;
}

// Units nearest to the coordinates, as far as 127 reach, and the squares of what is left. Loops that the
// compiler makes vectors of; any rounding is right, since what is left is measured.
void round_coordinates(std::span<const float> vector, float scale, std::int8_t* __restrict units,
                       double* __restrict squares) {
  constexpr float kShift = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
  const float inverse = 1 / scale;
  const float* __restrict x = vector.data();
  const std::size_t size = vector.size();
  for (std::size_t j = 0; j < size; ++j) {
    float scaled = x[j] * inverse;
    scaled = scaled < kMostUnits ? scaled : kMostUnits;
    scaled = scaled > -kMostUnits ? scaled : -kMostUnits;
    const float rounded = (scaled + kShift) - kShift;
    units[j] = static_cast<std::int8_t>(static_cast<int>(rounded));
    const double rest = double{x[j]} - double{scale} * double{rounded};
    squares[j] = rest * rest;
  }
}

}  // namespace

Sketches::Sketches(const Space& space, std::span<const WordId> order, unsigned threads)
    : space_(space),
      width_(space.model().stride()),
      record_size_((width_ + sizeof(float) + sizeof(WordId) + kLine - 1) / kLine * kLine),
      scale_(choose_scale(space.model())),
      memory_(space.size() * record_size_) {
  constexpr std::size_t kBlock = 4096;
  const Model& model = space.model();
  std::vector<double> largest((space.size() + kBlock - 1) / kBlock, 0.0);
  parallel_blocks(space.size(), kBlock, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<std::int8_t> units(width_, 0);
    std::vector<double> squares(width_, 0.0);
    for (std::size_t place = begin; place < end; ++place) {
      const std::span<const float> vector = model.vector(space.representative(order[place]));
      round_coordinates(vector, scale_, units.data(), squares.data());
      double moved = 0;
      for (const double square : squares) moved += square;
      // Rounded up, and by more than the sum of squares can err.
      const double residual = std::sqrt(moved) * (1 + 1e-9);
      const float stored =
          std::nextafter(static_cast<float>(residual), std::numeric_limits<float>::infinity());
      std::byte* to = memory_.data() + place * record_size_;
      std::memcpy(to, units.data(), width_);
      std::memcpy(to + width_, &stored, sizeof stored);
      std::memcpy(to + width_ + sizeof stored, &order[place], sizeof(WordId));
      largest[begin / kBlock] = std::max(largest[begin / kBlock], norm_of(vector));
    }
  });
  // With u = 2^-24, a term (x - s q)^2 has relative errors of a few u of (|x| + |s q|)^2 and the sum of dim
  // terms one of dim u: at most (dim + 8) u times the sum of (|x| + |s q|)^2 <= 2 (|x|^2 + |s q|^2), where |s
  // q| is at most |y| plus what y was moved by cutting and rounding, at most 2 |y| + s sqrt(dim).
  const double longest = *std::max_element(largest.begin(), largest.end());
  const auto dim = static_cast<double>(model.dim());
  const double sketch = 2 * longest + scale_ * std::sqrt(dim);
  squared_error_ =
      std::ldexp(1.01 * (dim + 8) * 2 * (longest * longest + sketch * sketch), -24) + std::ldexp(dim, -140);
}

Sketches::Bounds Sketches::distance(WordId from, std::size_t to) const {
  const Model& model = space_.model();
  const float* x = model.rows() + index_of(space_.representative(from)) * model.stride();
  const std::byte* sketch = record(to);
  float residual = 0;
  std::memcpy(&residual, sketch + width_, sizeof residual);
  const double squared = sketch_distance(x, reinterpret_cast<const std::int8_t*>(sketch), scale_, width_);
  // The last factor covers the rounding of the computed distance itself and of these lines.
  constexpr double kSlack = 1e-9;
  return {.low = (std::sqrt(std::max(0.0, squared - squared_error_)) - residual) * (1 - kSlack) -
                 kSlack * residual,
          .high = (std::sqrt(squared + squared_error_) + residual) * (1 + kSlack)};
}

void Sketches::prefetch(std::size_t to) const {
  prefetch_bytes(record(to), record_size_);
}

}  // namespace sotto
