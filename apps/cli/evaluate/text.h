#pragma once
#include <string>
#include <vector>

#include "api/evaluate.h"

namespace sotto::cli {

// What the user typed that the line for `privatize` repeats.
struct EvaluateLine {
  std::string file;
  std::string model;                 // empty: the default model
  std::vector<std::string> reading;  // "--column", "text"
  // The `sotto privatize` line for a mechanism.
  [[nodiscard]] std::string operator()(const Mechanism& mechanism) const;
};

std::string evaluate_text(const api::EvaluateAnswer& answer, const EvaluateLine& line);
// One HTML file; `command` is the line that made it.
std::string evaluate_page(const api::EvaluateAnswer& answer, const EvaluateLine& line, std::string command);

// "0.812" or "0.812 +- 0.004"
std::string accuracy_text(const AccuracyRange& range);
// "0.83", or "0.80 to 0.86" where only a bracket is known.
std::string attacker_text(const Quantity& e_opt);

}  // namespace sotto::cli
