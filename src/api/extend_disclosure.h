#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sotto/answer.h"
#include "sotto/model.h"
#include "sotto/quantity.h"
#include "sotto/work.h"

// What a metric that knows a task gives away (`sotto model extend`): by how much the best attacker guesses
// the scored property of a word better than before, and whether the other words are hidden as well as before.
namespace sotto::api {

// A word shows the property of a coordinate if its clipped score is at least this much, up or down.
inline constexpr double kShownScore = 0.5;

struct Disclosure {
  double epsilon = 0;  // of tem with its usual settings, on both models
  // The sign of the score, among the words that show it, which come by their public frequency.
  struct Property {
    std::size_t words = 0;
    // The errors of the best attacker; empty if all scores of these words have one sign.
    struct Errors {
      Quantity before;
      Quantity after;
      double without_output = 0;  // of the constant guess
    };
    std::optional<Errors> errors = {};
  };
  std::vector<Property> properties = {};  // one for each coordinate
  // Words that show no property. Empty if there is at most one.
  struct Others {
    std::size_t words = 0;
    Quantity before;  // E_opt
    Quantity after;
  };
  std::optional<Others> others = {};
};

struct DisclosureQuestion {
  std::shared_ptr<const Model> before = {};
  std::shared_ptr<const Model> after = {};           // the same words in the same order
  std::span<const std::vector<double>> scores = {};  // clipped, by coordinate and word
  double epsilon = 0;
};
// Exact on up to 50,000 words, where it takes minutes; else by draws. Throws Error(usage) for an epsilon that
// tem does not take.
Disclosure disclosure_of(const DisclosureQuestion& question, const Work& work);
Json to_json(const Disclosure& disclosure);

}  // namespace sotto::api
