#include "mechanisms/privemb/private_vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/privemb/sensitivity.h"
#include "sotto/error.h"

namespace sotto {

namespace {

constexpr std::size_t kChunk = 16;

// In partial sums, as the projection: each square passes at most kChunk + size / kChunk + 2 roundings.
double sum_of_squares(std::span<const double> values) {
  double total = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += kChunk) {
    double sum = 0;
    for (const double value : values.subspan(begin, std::min(kChunk, values.size() - begin))) {
      sum += value * value;
    }
    total += sum;
  }
  return total;
}

}  // namespace

PrivateVectors::PrivateVectors(Projection projection, const GridNoiseLaw& law, double clip,
                               const KnownStretch& known)
    : projection_(std::move(projection)), noise_(law), clip_(clip), known_(known) {
  // The product's error for a vector of length `clip`, and that of a clipped vector: half of its squares',
  // a root, a quotient, a product. The same for all inputs, so that the slow path tells nothing of them.
  const std::size_t roundings = kChunk + projection_.input_dim() / kChunk + 2;
  const double clipping = (static_cast<double>(roundings) / 2 + 4) * 0x1.0p-53;
  centre_error_ = 1.01 * clip * (projection_.relative_error() + projection_.longest_row() * clipping);
}

void PrivateVectors::clip_row(std::span<const double> in, std::span<double> out) const {
  double largest = 0;
  for (const double value : in) largest = std::max(largest, std::abs(value));
  // No overflow of the squares: a power of two is taken out, exactly but for entries that do not count.
  const double unit = largest > 0x1.0p400 ? 0x1.0p-640 : 1;
  for (std::size_t k = 0; k < in.size(); ++k) out[k] = in[k] * unit;
  const double length = std::sqrt(sum_of_squares(out));
  if (unit == 1 && length <= clip_) return;
  const double factor = clip_ / length;
  for (double& value : out) value *= factor;
}

void PrivateVectors::exact_centre(std::span<const double> in, std::size_t coordinate, Interval& out) const {
  Interval factor(out.precision());
  Interval length(out.precision());
  for (const double value : in) {
    if (value != 0) length.add_product(value, value);
  }
  length.sqrt();
  factor.set(clip_);
  factor.divide(length);
  factor.cap(1);
  if (projection_.is_identity()) {
    out.set(in[coordinate]);
  } else {
    out.set(0);
    for (std::size_t k = 0; k < in.size(); ++k) {
      if (in[k] == 0) continue;
      if (const double entry = projection_.entry(coordinate, k); entry != 0) out.add_product(entry, in[k]);
    }
  }
  out.multiply(factor);
}

void PrivateVectors::release_batch(std::span<const double> in, std::span<double> out, Rng& rng) const {
  constexpr std::size_t kTogether = 64;
  const std::size_t dim = input_dim();
  const std::size_t m = output_dim();
  const std::size_t rows = in.size() / dim;
  std::vector<double> clipped(std::min(rows, kTogether) * dim);
  std::vector<double> centres(std::min(rows, kTogether) * m);
  std::vector<std::uint64_t> leading(noise_.uniforms());
  for (std::size_t begin = 0; begin < rows; begin += kTogether) {
    const std::size_t count = std::min(kTogether, rows - begin);
    for (std::size_t i = 0; i < count; ++i) {
      clip_row(in.subspan((begin + i) * dim, dim), std::span(clipped).subspan(i * dim, dim));
    }
    projection_.apply(std::span(clipped).first(count * dim), std::span(centres).first(count * m));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::uint64_t& word : leading) word = rng.bits();
      const auto released = out.subspan((begin + i) * m, m);
      const std::size_t undecided = noise_.release_quickly(
          leading, {.values = std::span(centres).subspan(i * m, m), .error = centre_error_}, released);
      if (undecided == 0) continue;
      slow_vectors_.fetch_add(1, std::memory_order_relaxed);
      slow_coordinates_.fetch_add(undecided, std::memory_order_relaxed);
      noise_.release_exactly(
          leading, [&rng] { return rng.bits(); },
          [&](std::size_t coordinate, Interval& centre) {
            exact_centre(in.subspan((begin + i) * dim, dim), coordinate, centre);
          },
          released);
    }
  }
}

bool PrivateVectors::centre_batch(std::span<const double> in, std::span<double> out) const {
  std::vector<double> clipped(in.size());
  const std::size_t dim = input_dim();
  for (std::size_t begin = 0; begin < in.size(); begin += dim) {
    clip_row(in.subspan(begin, dim), std::span(clipped).subspan(begin, dim));
  }
  projection_.apply(clipped, out);
  return true;
}

std::optional<VectorStretch> PrivateVectors::stretch_on(const Model& model, Measured measured) const {
  if (model.dim() != input_dim()) return std::nullopt;
  const bool is_known = known_.on_vocabulary && measured == Measured::reuse;
  return VectorStretch{
      .noise_scale = noise_.law().scale,
      .spectral = spectral_stretch(projection_),
      .vocabulary = is_known ? *known_.on_vocabulary : vocabulary_stretch(projection_, model),
      .is_covered = known_.is_covered};
}

int default_grid_exponent(double scale) {
  constexpr int kBitsBelowScale = 20;
  return std::ilogb(scale) - kBitsBelowScale;
}

namespace {

const PrivateVectors& vectors_of(const Mechanism& privemb) {
  const auto* vectors = dynamic_cast<const PrivateVectors*>(privemb.vectors.get());
  if (vectors == nullptr) throw Error(ErrorCode::internal, "this mechanism is not privemb");
  return *vectors;
}

}  // namespace

std::shared_ptr<const VectorMechanism> privemb_at_epsilon(const Mechanism& privemb, double epsilon) {
  const PrivateVectors& vectors = vectors_of(privemb);
  const double stretch = vectors.noise().law().scale * privemb.claim.epsilon;
  const double scale = std::nextafter(stretch / epsilon, std::numeric_limits<double>::infinity());
  return std::make_shared<PrivateVectors>(
      vectors.projection(),
      GridNoiseLaw{
          .dim = vectors.output_dim(), .scale = scale, .grid_exponent = default_grid_exponent(scale)},
      vectors.clip());
}

}  // namespace sotto
