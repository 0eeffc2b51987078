#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/explain_odds.h"
#include "attack/posterior.h"
#include "sotto/answer.h"
#include "sotto/certificate.h"
#include "sotto/forecast.h"
#include "sotto/privatizer.h"
#include "sotto/work.h"

// What a release means, in examples for readers without mathematics. Everything here is computed from the
// public model and from invented sentences, with random numbers of its own. No private text is looked at, and
// nothing depends on the noise of the release.
namespace sotto::api {

struct IllustrationRequest {
  Privatizer privatizer;
  std::optional<Certificate> certificate = {};  // tightens the odds
  Forecast expected = {};                       // of the same mechanism
  std::optional<std::uint64_t> seed_not_private = {};
};

// "Whoever sees the released word becomes at most e^loss times surer that it was `first` than `second`."
struct ExampleOdds {
  WordId first{};
  OddsBetween to = {};
};

// Shares of words that an attacker names rightly, with half widths of 95% intervals.
struct GuessShares {
  double blind = 0;  // without seeing the release: always the likeliest word
  double once = 0;   // after one release
  double once_margin = 0;
  std::optional<double> twice = {};  // after two releases of the same text; empty: not computed
  double twice_margin = 0;
};

// How often an attacker names the right word, one word at a time. The attacker knows the program, the model,
// the mechanism with its parameters, and how frequent words are.
struct Guesses {
  enum class Basis {
    posterior,  // the best attacker, from the law or from its estimate by draws
    nothing,    // the output tells nothing of the word: a guess is blind
    unchanged,  // the attacker takes the released word for the original; the best one is at least as good
  };
  Basis basis = Basis::unchanged;
  GuessShares all = {};
  // Among words outside the kFrequentWords most frequent ones; empty for `unchanged` and for small models.
  std::optional<GuessShares> content = {};
};
inline constexpr std::size_t kFrequentWords = kFunctionWords;

struct ExampleLine {
  std::string before;
  std::string after;
};

struct Illustration {
  std::vector<ExampleOdds> odds;  // the nearest pair first
  Guesses guesses;
  std::vector<ExampleLine> lines;  // ten invented ones
};

// On 50,000 words and two cores about 20 seconds for tem. Beyond 60,000 words the best attacker is not
// computed (Guesses::Basis::unchanged), as comparing all pairs of words would take minutes.
Illustration illustrate(const IllustrationRequest& request, const Work& work);

}  // namespace sotto::api
