// The largest stretch over all pairs of words. A float32 copy of the projected vectors gives an upper bound
// for each pair by the distance kernels; the few pairs whose bound exceeds the best stretch so far are
// computed again in double, from the difference of their vectors.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "mechanisms/privemb/sensitivity.h"
#include "model/distance_kernels.h"

namespace sotto {
namespace {

constexpr std::size_t kRows = 64;   // of a thread's block
constexpr std::size_t kTile = 512;  // words that it is compared with at a time

struct Projected {
  std::vector<float> rows;
  std::size_t stride;
  double error = 0;  // largest |row - P x|
};

Projected project_all(const Projection& projection, const Model& model) {
  const std::size_t m = projection.output_dim();
  Projected out{.rows = {}, .stride = (m + 15) / 16 * 16};
  out.rows.assign(model.size() * out.stride, 0.0F);
  std::vector<double> x(model.dim());
  std::vector<double> y(m);
  for (std::size_t w = 0; w < model.size(); ++w) {
    const auto vector = model.vector(word_id(w));
    double squares = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = vector[k];
      squares += x[k] * x[k];
    }
    projection.apply(x, y);
    double rounding = 0;
    for (std::size_t j = 0; j < m; ++j) {
      float& place = out.rows[w * out.stride + j];
      place = static_cast<float>(y[j]);
      rounding += (place - y[j]) * (place - y[j]);
    }
    const double product = projection.relative_error() * std::sqrt(squares * static_cast<double>(m));
    out.error = std::max(out.error, 1.01 * (std::sqrt(rounding) + product));
  }
  return out;
}

class Scan {
 public:
  Scan(const Projection& projection, const Model& model)
      : projection_(projection), model_(model), projected_(project_all(projection, model)) {
    const auto dim = static_cast<double>(projection.input_dim());
    const auto m = static_cast<double>(projection.output_dim());
    // Of |P d| / |d| for the d computed: the products, and the rounding of differences and sums.
    absolute_error_ = projection.relative_error() * std::sqrt(m) * 1.01;
    relative_error_ = (dim + m + 8) * 0x1.0p-52;
  }

  double largest() {
    parallel_blocks(model_.size(), kRows, 0,
                    [this](std::size_t begin, std::size_t end) { block(begin, end); });
    return best_.load();
  }

 private:
  void block(std::size_t begin, std::size_t end) {
    std::vector<double> far(kTile);
    std::vector<double> near(kTile);
    std::vector<double> difference(projection_.input_dim());
    std::vector<double> image(projection_.output_dim());
    // (p + q)^2 <= (1 + t) p^2 + (1 + 1/t) q^2, q the error of two rows, t = 2^-10.
    const double spill = 1025 * 4.01 * projected_.error * projected_.error;
    for (std::size_t tile = begin; tile < model_.size(); tile += kTile) {
      const std::size_t count = std::min(kTile, model_.size() - tile);
      for (std::size_t i = begin; i < end; ++i) {
        squared_distances(row(i), row(tile), count, projected_.stride, far.data());
        squared_distances(model_.vector(word_id(i)).data(), model_.vector(word_id(tile)).data(), count,
                          model_.stride(), near.data());
        const double best = best_.load(std::memory_order_relaxed);
        for (std::size_t t = 0; t < count; ++t) {
          // A pair passed over here is below the best by more than the margins of stretch(): the result does
          // not depend on the order in which pairs are seen. Equal vectors: 0 > 0 unless there is `spill`.
          if (far[t] * (1.001 * 1025 / 1024) + spill <= best * best * near[t] || near[t] == 0) continue;
          raise(stretch(i, tile + t, difference, image));
        }
      }
    }
  }

  [[nodiscard]] const float* row(std::size_t word) const {
    return &projected_.rows[word * projected_.stride];
  }

  double stretch(std::size_t a, std::size_t b, std::vector<double>& difference,
                 std::vector<double>& image) const {
    const auto x = model_.vector(word_id(a));
    const auto y = model_.vector(word_id(b));
    double before = 0;
    for (std::size_t k = 0; k < difference.size(); ++k) {
      difference[k] = static_cast<double>(x[k]) - static_cast<double>(y[k]);
      before += difference[k] * difference[k];
    }
    projection_.apply(difference, image);
    double after = 0;
    for (const double value : image) after += value * value;
    return std::sqrt(after / before) * (1 + relative_error_) + absolute_error_;
  }

  void raise(double value) {
    double best = best_.load(std::memory_order_relaxed);
    while (value > best && !best_.compare_exchange_weak(best, value, std::memory_order_relaxed)) {
    }
  }

  const Projection& projection_;
  const Model& model_;
  Projected projected_;
  double absolute_error_;
  double relative_error_;
  std::atomic<double> best_{0};
};

}  // namespace

double vocabulary_stretch(const Projection& projection, const Model& model) {
  if (projection.is_identity()) return 1;
  return Scan(projection, model).largest();
}

}  // namespace sotto
