#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "learn/documents.h"
#include "sotto/model.h"

namespace sotto {

// Features of words from public documents of the domain.
struct FeatureSettings {
  std::size_t features = 100;  // r
  // A word of share q in the public text has weight (q + smoothing)^-1/2: rare words count more, but not
  // without bound.
  double smoothing = 3e-5;
  std::size_t power_iterations = 5;
  std::size_t oversampling = 60;
  std::uint64_t seed = 1;  // of the random start, which is public: the features are those of public text
};

// One row of features for each word: the top right singular vectors of the centred, weighted documents, times
// the weights, centred under `shares`. Column j belongs to the j-th largest singular value, so the first
// columns of a larger answer are the smaller answer up to the error of the method (randomised SVD, Halko,
// Martinsson and Tropp 2011, with power iterations). There are fewer columns if the documents have fewer
// directions. `unknown`: the word that stands for unknown words, whose weight is 0.
DenseMatrix word_features(const Documents& documents, std::span<const double> shares,
                          std::optional<WordId> unknown, const FeatureSettings& settings, const Work& work);

// Features where there is no public text: the model's own vectors, beside one column of q^-1/4 for each of
// the most frequent words, up to kIdentityWords; centred under `shares`. Fewer identity columns in large
// models: the matrix holds at most kMostIdentityValues of them.
inline constexpr std::size_t kIdentityWords = 4000;
inline constexpr std::size_t kMostIdentityValues = 40'000'000;
DenseMatrix vector_features(const Model& model, std::span<const double> shares);

}  // namespace sotto
