#include "measure/guess_quantities.h"

#include <algorithm>

#include "measure/measurement_parts.h"

namespace sotto {

Quantity bracket_quantity(std::string name, const GuessBracket& bracket) {
  std::string meaning = meaning_of(name);
  return {.name = std::move(name),
          .kind = QuantityKind::bracket,
          .interval = {.low = bracket.low, .high = bracket.high},
          .bracket = Bounds{.low = bracket.plug_in, .high = bracket.held_out},
          .meaning = std::move(meaning)};
}

void narrow_bracket(Quantity& best, const Quantity& changed, const Quantity* vector) {
  Bounds& bracket = *best.bracket;
  best.interval.high = std::min(best.interval.high, changed.interval.high);
  bracket.high = std::min(bracket.high, *changed.value);
  if (vector != nullptr) {
    best.interval.low = std::max(best.interval.low, vector->interval.low);
    bracket.low = std::max(bracket.low, *vector->value);
  }
  bracket.low = std::min(bracket.low, bracket.high);
  best.interval.low = std::min(best.interval.low, best.interval.high);
}

Quantity posterior_quantity(const GuessBracket& guess, const Quantity& best, const Prior& prior) {
  double prior_guess = 1;  // the error of a guess drawn from the prior
  for (const double weight : prior.weights) prior_guess -= weight * weight;
  const double plug_in = guess.posterior_plug_in;
  const double high = std::min(2 * best.bracket->high, prior_guess);
  Quantity out{.name = "e_post",
               .kind = QuantityKind::bracket,
               .interval = {.low = std::max(best.interval.low, plug_in - guess.posterior_margin),
                            .high = std::min(2 * best.interval.high, prior_guess)},
               .bracket = Bounds{.low = plug_in, .high = std::max(plug_in, high)},
               .meaning = meaning_of("e_post") +
                          "; from draws, the low end of the bracket is the plug-in of vickrey-2021, eq. 4"};
  out.interval.high = std::max(out.interval.high, out.interval.low);
  return out;
}

}  // namespace sotto
