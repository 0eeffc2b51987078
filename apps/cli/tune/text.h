#pragma once
#include <string>

#include "api/tune.h"

namespace sotto::cli {

// The `sotto privatize` line for a point.
struct PrivatizeLine {
  std::string model;  // as given; empty: the default model
  std::string operator()(const TunePoint& point) const;
};

std::string tune_text(const api::TuneAnswer& answer, const PrivatizeLine& line, std::size_t width);

}  // namespace sotto::cli
