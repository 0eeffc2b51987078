#include "lab/gumbel/laplace_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "model/distance_kernels.h"

namespace sotto::lab::gumbel {

namespace {

constexpr std::size_t kTogether = 128;  // noisy vectors that share a pass over the model
constexpr std::size_t kHead = 128;      // words of a head that Candidates keeps
constexpr double kAboveRounding = 1 + 1e-9;
constexpr double kStrongest = 3.5;  // mean length of the noise

// The nearest to `noisy` of the first words of a head, those up to distance `reach` from the head's word.
WordId nearest_of_head(const Model& model, const Head& head, double reach, const double* noisy) {
  double least = std::numeric_limits<double>::infinity();
  WordId best{};
  for (std::size_t i = 0; i < head.words.size() && head.distances[i] <= reach; ++i) {
    double squared = 0;
    squared_distances(noisy, model.rows() + index_of(head.words[i]) * model.stride(), 1, model.stride(),
                      &squared);
    if (squared < least || (squared == least && head.words[i] < best)) {
      least = squared;
      best = head.words[i];
    }
  }
  return best;
}

}  // namespace

LaplaceDraws::LaplaceDraws(std::shared_ptr<const Space> space, double epsilon)
    : heads_(std::move(space)),
      shape_(NoiseShape::sphere(heads_.space().model().dim())),
      epsilon_(epsilon),
      nearest_(heads_.space().model()) {}

bool LaplaceDraws::helps(const Space& space, double epsilon) {
  return static_cast<double>(space.model().dim()) / epsilon <= kStrongest;
}

void LaplaceDraws::sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const {
  const Model& model = heads_.space().model();
  const std::size_t stride = model.stride();
  Candidates::Scratch scratch;
  std::vector<double> noisy(kTogether * stride, 0.0);  // padded with zeros
  std::vector<std::size_t> open;                       // places whose noisy vectors wait for a full search
  std::vector<Neighbour> found(kTogether);
  const auto search = [&] {
    nearest_.find(std::span(noisy).first(open.size() * stride), 1, std::span(found).first(open.size()));
    for (std::size_t i = 0; i < open.size(); ++i) out[open[i]] = found[i].word;
    open.clear();
  };
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::span<double> vector = std::span(noisy).subspan(open.size() * stride, model.dim());
    shape_.add(model.vector(in[i]), epsilon_, vector, rng);
    double squared = 0;
    squared_distances(vector.data(), model.rows() + index_of(in[i]) * stride, 1, stride, &squared);
    const double reach = 2 * kAboveRounding * std::sqrt(squared);
    const Head& head = heads_.first(in[i], std::min(kHead, model.size()), scratch);
    if (reach < head.beyond) {
      out[i] = nearest_of_head(model, head, reach, vector.data());
      continue;
    }
    open.push_back(i);
    if (open.size() == kTogether) search();
  }
  if (!open.empty()) search();
}

}  // namespace sotto::lab::gumbel
