#pragma once
#include <string>

#include "tune/tune.h"
#include "shared/answer.h"

namespace sotto::cli {

// What was asked, beside the answer.
struct TuneSubject {
  const TuneBench& bench;
  const TuneAnswer& answer;
  const Constraints& constraints;
  std::string model_flag;  // "--model FILE", or empty for the default model
  std::string algorithm;   // "frontier", "paper", "candidates"
};

// The `sotto privatize` line for a point.
std::string privatize_line(const TuneSubject& subject, const TunePoint& point);
// "E_opt 0.91, L 0.3", pessimistic ends, "at least" and "at most" where they are not exact.
std::string tradeoff_text(const TuneSubject& subject, const TunePoint& point);
std::string constraints_text(const TuneSubject& subject);
// If nothing is recommended, how "nothing that was tried" goes on: "keeps L at most 0.5", or "keeps L at
// most 0.5 with a proven guarantee; without one, and so never recommended: identity".
std::string failure_text(const TuneSubject& subject);

// What other families offer: at the certified epsilon of `point`, and at its E_opt. Indexes of points, empty
// where a family has none.
struct Beside {
  std::string family;
  std::optional<std::size_t> same_epsilon = {};
  std::optional<std::size_t> same_error = {};
};
std::vector<Beside> beside(const TuneSubject& subject, const TunePoint& point);

std::string tune_text(const TuneSubject& subject, std::size_t width);
Json tune_json(const TuneSubject& subject);
// One line for each point, with every figure.
std::string tune_csv(const TuneSubject& subject);

}  // namespace sotto::cli
