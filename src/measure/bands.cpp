#include "measure/bands.h"

#include <algorithm>

namespace sotto {

Bands frequency_bands(const Model& model) {
  const std::vector<double> prior = rank_prior(model);
  Bands bands;
  bands.of.resize(model.size());
  double before = 0;
  for (std::size_t w = 0; w < prior.size(); ++w) {
    // By the middle of its share, so that one very frequent word does not empty a band.
    const double middle = before + prior[w] / 2;
    const auto band = std::min(static_cast<std::size_t>(middle * Bands::kCount), Bands::kCount - 1);
    bands.of[w] = static_cast<std::uint8_t>(band);
    before += prior[w];
    for (std::size_t b = band; b < Bands::kCount; ++b) bands.last_rank[b] = w + 1;
  }
  return bands;
}

}  // namespace sotto
