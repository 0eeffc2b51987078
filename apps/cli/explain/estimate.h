#pragma once
#include <cstddef>
#include <vector>

#include "sotto/mechanism.h"

namespace sotto::cli {

// One possible output of a word. Without a closed form p is a share of draws, low and high the ends of
// its 95% Wilson interval.
struct Output {
  WordId word{};
  double p = 0;
  double low = 0;
  double high = 0;
};

struct Law {
  std::vector<Output> outputs;  // every word, most likely first, ties in model order
  std::size_t draws = 0;        // 0: exact
};

// Exact if the mechanism knows its law, else from `draws` draws (0: as many as take a few seconds).
Law law_of(const Mechanism& mechanism, WordId word, std::size_t draws);

struct Interval {
  double low = 0;
  double high = 0;
};
// Wilson's score interval, 95%.
Interval wilson(std::size_t hits, std::size_t draws);

}  // namespace sotto::cli
