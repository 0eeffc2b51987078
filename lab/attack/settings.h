#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/points.h"
#include "lab/run.h"
#include "sotto/parameters.h"

namespace sotto::lab::attack {

// A mechanism of the comparison, without its epsilon.
struct Rival {
  std::string mechanism;
  ParameterTexts parameters = {};
  // The epsilons that the search tries lie this far above the smallest one that the mechanism takes, which is
  // 0, or (5 + 2 ln n) / D0 (truncated-gumbel-2021: n words, smallest distance D0).
  enum class Floor { zero, closest_words } floor = Floor::zero;
  double from = 0;
  double to = 0;
};

struct Settings {
  // Part `epsilons`: tem on reviews.
  std::vector<double> epsilons;
  std::size_t reviews;       // under attack
  std::size_t review_words;  // the first ones of each
  // Part `equal`: all rivals at the same context-free error, on some of these reviews and on tweets.
  std::vector<Rival> rivals;
  std::vector<double> levels;  // of that error
  std::size_t equal_reviews;
  std::size_t tweets;
  std::size_t search_draws;  // for one epsilon that the search tries
  // For the language model of reviews. That of tweets is made of all tweets that are not attacked.
  std::size_t public_reviews;
};

inline constexpr std::string_view kEpsilons = "epsilons";
inline constexpr std::string_view kEqual = "equal";
// The level of a release in part `epsilons`, where epsilon was chosen and no level was aimed at.
inline constexpr char kChosen[] = "chosen";

Settings settings_of(const RunRequest& request);
// What run.json says of them.
Run::Settings record_of(const Settings& settings);

// attacks.csv: one line for each attacker on each release. `level` is kChosen in part `epsilons`.
Points::Layout attacks_layout();
// levels.csv: the epsilon at which a mechanism has a given context-free error.
Points::Layout levels_layout();

// The experiment with settings other than those of the program, for tests.
void run_experiment(const RunRequest& request, const Settings& settings);

}  // namespace sotto::lab::attack
