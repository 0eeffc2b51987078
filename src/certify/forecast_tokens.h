#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/model.h"

namespace sotto {

// Only public data is involved (model, rank prior, mechanism), so a fixed seed gives nothing away, and the
// forecast is the same each time: `sotto verify` computes it again.
inline constexpr std::uint64_t kForecastSeed = 20210719;

// Words drawn from the public rank prior of the model.
std::vector<WordId> forecast_tokens(const Model& model, std::size_t count);

}  // namespace sotto
