#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/points.h"
#include "lab/run.h"
#include "sotto/parameters.h"

// The lab's experiment about learning from private text (docs/learning.md): what the lifted learner gets, and
// what it is compared with.
namespace sotto::lab::learning {

// In which space a mechanism works: the vectors of the domain alone, or with coordinates of public scores
// beside them (`sotto model extend`). See task_metric.h.
enum class Scores { none, lexicon, three };

// One mechanism with one public corpus: its draws are the rows of points.csv.
struct Place {
  std::string part;                // what --part names
  std::string task;                // of make_task()
  std::string series;              // "tem"
  std::string mechanism;           // of the registry
  ParameterTexts parameters = {};  // with epsilon
  std::size_t public_texts = 0;    // at most; 0: the learner gets none
  std::size_t draws = 3;
  // Others on reviews only. Their epsilon is searched: it is the one at which E_opt is that of the plain
  // metric at the epsilon above, so that metrics are compared at equal E_opt.
  Scores scores = Scores::none;

  [[nodiscard]] const std::string& epsilon() const { return parameters.at("epsilon"); }
};

struct Settings {
  std::vector<Place> places;
  std::vector<Place> attacked = {};  // on reviews; where attackers who read whole texts are measured
  std::size_t review_words = 0;      // the domain of reviews: the most frequent words of the public ones
  std::size_t tweet_words = 0;       // the domain of tweets: the most frequent words of the model
  std::size_t question_words = 0;    // the same of questions
  std::size_t half = 0;              // most reviews to learn from, and to test on
};
// In the order in which the places are measured.
Settings settings_of(Extent extent);

// What learns; no commas, since these are cells of a CSV file. The first four learn from a release, the
// others are what they are compared with.
inline constexpr std::string_view kDirect = "direct";
inline constexpr std::string_view kDefaults = "lifted (default settings)";
inline constexpr std::string_view kRehearsed = "lifted (rehearsal)";
inline constexpr std::string_view kFused = "lifted and fused";
inline constexpr std::string_view kClearDirect = "clear text (direct)";
inline constexpr std::string_view kClearFeatures = "clear text (same features)";
inline constexpr std::string_view kSentences = "public only (sentences and lexicon)";
inline constexpr std::string_view kPublicFeatures = "public only (same features)";
inline constexpr std::string_view kPublicBest = "public only (best of nine on the test)";

// points.csv: one row for each learner of each draw. mechanisms.csv: what is known of the mechanism.
Points::Layout points_layout();
Points::Layout mechanisms_layout();
// levels.csv: the epsilon of another metric, by series and epsilon of the plain metric.
Points::Layout levels_layout();
// given-away.csv: what a metric that knows the task shows of words. attackers.csv: the errors of attackers
// who read whole texts.
Points::Layout given_away_layout();
Points::Layout attackers_layout();

// The experiment with settings other than those of the program, for tests.
void run_learn(const RunRequest& request, const Settings& settings);

}  // namespace sotto::lab::learning
