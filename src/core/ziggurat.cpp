#include "core/ziggurat.h"

#include <cmath>
#include <numbers>

#include "core/samplers.h"

namespace sotto {
namespace {

double density(double x) {
  return std::exp(-0.5 * x * x);
}

}  // namespace

const Ziggurat& Ziggurat::table() {
  static const Ziggurat table;
  return table;
}

Ziggurat::Ziggurat() {
  const double area =
      kStart * density(kStart) + std::sqrt(std::numbers::pi / 2) * std::erfc(kStart / std::numbers::sqrt2);
  edges_[0] = area / density(kStart);  // the base as a rectangle: wider than kStart by the tail's area
  edges_[1] = kStart;
  for (std::size_t i = 1; i + 1 < kLayers; ++i) {
    edges_[i + 1] = std::sqrt(-2 * std::log(area / edges_[i] + density(edges_[i])));
  }
  for (std::size_t i = 0; i < kLayers; ++i) steps_[i] = edges_[i] * 0x1.0p-53;
  for (std::size_t i = 1; i <= kLayers; ++i) heights_[i] = density(edges_[i]);
}

// Beyond kStart (Marsaglia 1964): an exponential of rate kStart, kept with probability exp(-x^2 / 2).
double Ziggurat::tail(Rng& rng) {
  for (;;) {
    const double x = exponential(rng) / kStart;
    if (2 * exponential(rng) > x * x) return kStart + x;
  }
}

bool Ziggurat::is_under_density(std::size_t layer, double x, Rng& rng) const {
  const double height = heights_[layer] + uniform_open(rng) * (heights_[layer + 1] - heights_[layer]);
  return height < density(x);
}

}  // namespace sotto
