#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "certify/forecast_tokens.h"
#include "certify/word_centres.h"
#include "core/parallel.h"
#include "sotto/forecast.h"

namespace sotto {

namespace {

// The search looks at every word: as many draws as take a few seconds at most.
std::size_t affordable_draws(std::size_t words, std::size_t dim) {
  constexpr double kOperations = 4e9;
  const double row = static_cast<double>(words) * static_cast<double>(dim);
  return static_cast<std::size_t>(std::clamp(kOperations / row, 32.0, 256.0));
}

std::size_t nearest_image(std::span<const double> images, std::span<const double> point) {
  const std::size_t m = point.size();
  double least = std::numeric_limits<double>::infinity();
  std::size_t nearest = 0;
  for (std::size_t w = 0; w * m < images.size(); ++w) {
    double squared = 0;
    for (std::size_t j = 0; j < m; ++j) {
      const double difference = images[w * m + j] - point[j];
      squared += difference * difference;
    }
    if (squared < least) {
      least = squared;
      nearest = w;
    }
  }
  return nearest;
}

}  // namespace

std::optional<Forecast> vector_forecast(const Mechanism& mechanism, const Model& model, unsigned threads) {
  const VectorMechanism* vectors = mechanism.vectors.get();
  if (vectors == nullptr || vectors->input_dim() != model.dim()) return std::nullopt;
  const std::size_t m = vectors->output_dim();
  const std::vector<double> images = word_centres(*vectors, model, threads);
  if (images.empty()) return std::nullopt;
  const std::vector<WordId> tokens = forecast_tokens(model, affordable_draws(model.size(), m));
  std::vector<std::uint8_t> same(tokens.size());
  constexpr std::size_t kBlock = 8;
  parallel_blocks(tokens.size(), kBlock, threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = Rng::seeded_not_private(kForecastSeed, 1 + begin);  // by block: threads change nothing
    std::vector<double> released(m);
    for (std::size_t i = begin; i < end; ++i) {
      const auto vector = model.vector(tokens[i]).first(model.dim());
      const std::vector<double> in(vector.begin(), vector.end());
      vectors->release_batch(in, released, rng);
      same[i] = nearest_image(images, released) == index_of(tokens[i]) ? 1 : 0;
    }
  });
  const auto n = static_cast<double>(tokens.size());
  const double share = static_cast<double>(std::count(same.begin(), same.end(), 1)) / n;
  // Half width of a 95% interval, never below the rule of three.
  const double margin = std::min(1.0, std::max(1.96 * std::sqrt(share * (1 - share) / n), 3 / n));
  return Forecast{.unchanged = share, .unchanged_margin = margin};
}

}  // namespace sotto
