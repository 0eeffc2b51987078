#pragma once
#include <string>
#include <vector>

#include "api/tune.h"

namespace sotto::cli {

// The `sotto privatize` line for a point.
struct PrivatizeLine {
  std::string model;  // as given; empty: the default model
  // The file, its private copy, and how it is read. A page and a table are passed on, so they keep the
  // example.
  std::vector<std::string> files = {"input.txt", "-o", "private.txt"};
  // With --allow-weak where nearly all words stay as they are, under the prior of the question.
  std::string operator()(const TunePoint& point) const;
  // Of the recommended point, also where `privatize` itself would refuse it.
  [[nodiscard]] std::string recommended(const api::TuneAnswer& answer) const;
};

// "about 60 settings, roughly 3 minutes on this machine; ..."; empty for what takes a moment.
std::string estimate_line(const TuneEstimate& estimate);
std::string tune_text(const api::TuneAnswer& answer, const PrivatizeLine& line, std::size_t width);

}  // namespace sotto::cli
