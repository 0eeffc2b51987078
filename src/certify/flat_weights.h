#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "certify/float_pairs.h"

namespace sotto {

// Base weights that make the normalisers of a tem law as equal as possible (docs/specification.md
// section 4.2, `flat`). If K g = 1 has a positive solution g, K the kernel over the rows, then every Z is 1
// and the law is exactly slope * d private. It is found by conjugate gradients, a dozen passes over all pairs
// where the paper-like iteration c <- c/(Kc) needs a hundred; weights that would fall below `floor` times the
// largest are held there (so that every word stays possible) and the others solved for again. Any positive
// weights give a sound law: the certificate judges them.
struct FlatRequest {
  AllPairs::Kernel kernel = {};
  std::vector<double> start = {};  // row weights to begin with; empty: all words alike
  double floor = 1e-3;
  double tolerance = 1e-11;  // of |1 - Z| over the rows whose weight is free
  // Makes the passes of the gradients quicker and rougher, with errors of about slope * step; null: exact
  // passes. The result is as exact as `tolerance` all the same if `floats` is given: its passes compute the
  // residuals that the gradients start from.
  const AllPairs::RoughDistances* rough = nullptr;
  const FloatPairs* floats = nullptr;
  // Called now and then with the weights so far, so that a long run can be resumed.
  std::function<void(const std::vector<double>&)> checkpoint = {};
};
struct FlatWeights {
  std::vector<double> weights;  // by row, all > 0
  std::vector<double> sums;     // Z of each row, as rough as the passes
  std::size_t held = 0;         // rows held at the floor
  // Of the last pass of `floats`, if it was made with just these weights.
  std::optional<FloatPairs::Sums> float_sums = {};
};
FlatWeights flat_weights(const AllPairs& pairs, const FlatRequest& request, const Work& work);

}  // namespace sotto
