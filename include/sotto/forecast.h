#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/mechanism.h"

namespace sotto {

// Above the first share of unchanged tokens a release is called weak; above the second the program refuses
// it.
inline constexpr double kWeakUnchanged = 0.5;
inline constexpr double kRefusedUnchanged = 0.9;

// How much a release hides, whatever its mechanism promises: a proven guarantee at a large epsilon leaves
// most words as they are. Reports, `verify`, pages and Python objects state it beside the status.
enum class Strength {
  ok,    // at most kWeakUnchanged of the tokens are expected to stay unchanged
  weak,  // more than that
  none,  // more than kRefusedUnchanged
};
std::string_view strength_name(Strength strength);
Strength strength_of(double expected_unchanged);
// One plain sentence for a report or a page.
enum class Released { words, vectors };
std::string strength_sentence(Strength strength, Released released = Released::words);

// What a user may expect before any private text is read: from the public model, its public rank prior
// and draws of its own.
struct Forecast {
  double unchanged = 0;         // expected share of tokens left unchanged
  double unchanged_margin = 0;  // half width of a 95% interval
  double median_nearest = 0;    // median distance to the nearest other word, over words by the rank prior
  double scaled_nearest = 0;    // epsilon times that
};
// `words` words are drawn from the prior (default a few hundred: a row costs O(n)).
struct ForecastOptions {
  std::size_t words = 256;
  std::size_t draws_per_word = 16;  // for each time that a word is in the sample
  unsigned threads = 0;
};
Forecast forecast(const Mechanism& mechanism, const ForecastOptions& options);

// Of a vector mechanism that releases the vectors of a model's words: the share of tokens whose released
// vector lies nearest to the projected vector of their own word, which is what a reader without side
// knowledge takes it for. One draw for each of a few hundred tokens of the rank prior, fewer if the search
// would take long. Only `unchanged` and its margin are set. Empty for mechanisms whose projection is not
// known, and for free vectors: a vector that is no word's has no nearest word of its own.
std::optional<Forecast> vector_forecast(const Mechanism& mechanism, const Model& model, unsigned threads);

}  // namespace sotto
