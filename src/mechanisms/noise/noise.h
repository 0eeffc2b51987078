#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "neighbours/nearest.h"
#include "sotto/mechanism.h"

namespace sotto {

// The shape S of a noise whose density falls as exp(-epsilon |z|_S), |z|_S = sqrt(z' S^-1 z): a radius
// Gamma(dim, 1/epsilon) times A u, u uniform on the sphere, A A' = S. A u is never normalised again: a
// published package does that, and its realised epsilon has no bound.
class NoiseShape {
 public:
  // S = I: the multivariate Laplace noise of `laplace`.
  static NoiseShape sphere(std::size_t dim);
  // S = lambda * Sigma / (mean coordinate variance) + (1 - lambda) I, Sigma the sample covariance of the
  // public vectors. Throws Error(usage) if S is singular (lambda = 1 with too few words).
  static NoiseShape mahalanobis(const Model& model, double lambda);

  // out = centre + noise; out.size() == dim.
  void add(std::span<const float> centre, double epsilon, std::span<double> out, Rng& rng) const;

  // |x|_S.
  [[nodiscard]] double norm(std::span<const double> x) const;
  // max |x|_S / |x|_2 over all vectors: 1 / sqrt(smallest eigenvalue of S), rounded up a little.
  [[nodiscard]] double euclidean_constant() const noexcept { return euclidean_constant_; }
  [[nodiscard]] bool is_sphere() const noexcept { return root_.empty(); }

 private:
  explicit NoiseShape(std::size_t dim) : dim_(dim) {}

  std::size_t dim_;
  std::vector<double> root_;  // lower triangular, row after row; empty: the identity
  double euclidean_constant_ = 1;
};

// Claim::distance of a mechanism with noise of that shape: |v(first) - v(second)|_S.
std::function<double(WordId, WordId)> norm_between_words(std::shared_ptr<const Model> model,
                                                         NoiseShape shape);

// Noisy vectors of words and their nearest words: what laplace, mahalanobis and vickrey share.
class NoisySearch {
 public:
  NoisySearch(std::shared_ptr<const Model> model, NoiseShape shape, double epsilon);

  // Calls visit(i, neighbours) once for each in[i], in order, with the k words nearest to a fresh noisy
  // vector, by (distance, index).
  using Visit = std::function<void(std::size_t, std::span<const Neighbour>)>;
  void find(std::span<const WordId> in, std::size_t k, Rng& rng, const Visit& visit) const;

  // WordMechanism::spherical_noise() of what is made of these neighbours.
  [[nodiscard]] std::optional<double> spherical_noise() const {
    return shape_.is_sphere() ? std::optional(epsilon_) : std::nullopt;
  }

 private:
  std::shared_ptr<const Model> model_;
  NoiseShape shape_;
  double epsilon_;
  NearestWords nearest_;
};

// The nearest word of a noisy vector: laplace and mahalanobis differ only in the shape.
class NearestOfNoise final : public WordMechanism {
 public:
  explicit NearestOfNoise(NoisySearch search) : search_(std::move(search)) {}

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    search_.find(in, 1, rng,
                 [&](std::size_t i, std::span<const Neighbour> nearest) { out[i] = nearest[0].word; });
  }
  [[nodiscard]] std::optional<double> spherical_noise() const override { return search_.spherical_noise(); }

 private:
  NoisySearch search_;
};

}  // namespace sotto
