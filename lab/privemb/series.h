#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/released_vectors.h"
#include "sotto/mechanism.h"
#include "sotto/model.h"
#include "sotto/rng.h"

namespace sotto::lab {

// One way to release vectors, compared with the others at the same epsilon.
struct VectorSeries {
  enum class Kind {
    no_noise,     // the vectors as they are: not private
    laplace,      // M1: noise in the full dimension, pure epsilon
    printed,      // M2: privemb as printed, (epsilon, delta), for words only
    spectral,     // the same projection with |P| as its sensitivity, pure epsilon, also for sentences
    vocabulary,   // the same projection with the stretch measured over all pairs of words, pure epsilon
    orthonormal,  // pure epsilon
    pca,          // pure epsilon
    pure_noise,   // M1 of the zero vector, whatever the word: no loss, no meaning
    same_vector,  // the zero vector for every word: what redact is to text
  };
  std::string name = {};  // "M2 .9"
  Kind kind = Kind::no_noise;
  std::string beta = {};      // printed and spectral
  std::size_t dimension = 0;  // orthonormal and pca
};

// Without noise: the same at every epsilon.
bool is_flat(const VectorSeries& series);

// M2's dimension for a beta, by the paper's formula with delta 1e-6.
std::size_t printed_dimension(const Model& model, const std::string& beta);
VectorSeries no_noise_series();
VectorSeries laplace_series();
VectorSeries pure_noise_series();
VectorSeries same_vector_series();
VectorSeries printed_series(const std::string& beta);
VectorSeries spectral_series(const std::string& beta);
// Its projection is the same in all runs: measuring takes all pairs of words.
VectorSeries vocabulary_series(const std::string& beta);
// With M2's dimension for this beta; none if the model has no more dimensions than that, where both are
// rotations and do to distances and inner products what M1 does.
std::optional<VectorSeries> orthonormal_series(const Model& model, const std::string& beta);
std::optional<VectorSeries> pca_series(const Model& model, const std::string& beta);
VectorSeries pca_series_of(std::size_t dimension);

struct ReleaseSetting {
  std::string epsilon = {};           // as text: it is part of a point's name
  std::uint64_t projection_seed = 1;  // of the random projections
  VectorInput::Domain domain = VectorInput::Domain::words;
};

// A series at one epsilon, ready to release.
class Releaser {
 public:
  Releaser(const VectorSeries& series, std::size_t dim, std::shared_ptr<const Mechanism> mechanism);

  [[nodiscard]] std::size_t output_dim() const;
  // Row after row, each released independently.
  void release(std::span<const double> in, std::span<double> out, Rng& rng) const;
  // Null for no_noise and same_vector.
  [[nodiscard]] const Mechanism* mechanism() const noexcept { return mechanism_.get(); }
  // Length of the sensitivity over epsilon: the noise has the density exp(-|z| / scale).
  [[nodiscard]] double scale() const;
  // The words of the model as an attacker sees them. Not for no_noise and same_vector; the releaser and the
  // model must outlive the result.
  [[nodiscard]] ReleasedWords released(const Model& model, unsigned threads) const;

 private:
  VectorSeries::Kind kind_;
  std::size_t dim_;
  std::shared_ptr<const Mechanism> mechanism_;
};

// Builds releasers by the registry; those without random projection are built once. Thread-safe.
class ReleaserStore {
 public:
  explicit ReleaserStore(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  [[nodiscard]] const std::shared_ptr<const Model>& model() const noexcept { return model_; }
  // Throws Error(usage) where the engine refuses (M2 whose 1 + beta is not proven, or for free vectors).
  Releaser get(const VectorSeries& series, const ReleaseSetting& setting);

 private:
  std::shared_ptr<const Model> model_;
  std::mutex guard_;
  std::map<std::string, std::shared_ptr<const Mechanism>> kept_;
};

// The vectors of words as doubles, row after row.
std::vector<double> word_rows(const Model& model, std::span<const WordId> words);

}  // namespace sotto::lab
