// What a reader of tune() must know besides its figures.
#include <fmt/format.h>

#include "api/tune.h"

namespace sotto::api {
namespace {

std::string between(const std::optional<Bounds>& bounds) {
  if (!bounds) return "not measured";
  return fmt::format("between {} and {}", quantity_number(bounds->low), quantity_number(bounds->high));
}

}  // namespace

std::string TuneAnswer::loss_note() const {
  if (loss == UtilityLoss::changed) {
    return "with `loss` changed the frontier is nearly a diagonal: a word that changed is a word that is "
           "hidden, so that L and E_opt rise together and mechanisms hardly differ. `loss` distance counts "
           "how far the meaning moves; `labels` FILE counts whether a word keeps its label";
  }
  if (loss == UtilityLoss::task) {
    std::string out =
        "L was measured on your own text, so this answer depends on the text: treat the answer as you treat "
        "other statistics of the text. Each setting was judged on one copy, so L has no interval";
    if (seeded_copies) out += ". The copies were made with a known seed, so they were not private";
    return out;
  }
  return "";
}

std::vector<std::string> TuneAnswer::algorithm_notes() const {
  if (algorithm != TuneAlgorithm::paper) return {};
  std::vector<std::string> out;
  const TunePoint* chosen = recommended();
  if (chosen == nullptr) {
    out.push_back(
        fmt::format("line 3 of Algorithm 2 doubles epsilon as long as L is at least {}, and would "
                    "never end here; this search stopped{}",
                    number_text(constraints.max_loss.value_or(0)),
                    found.skipped.empty() ? fmt::format(" after {} doublings", kMostDoublings)
                                          : " at a setting that was not measured"));
  } else if (const auto printed = printed_tradeoff(*chosen, loss)) {
    const auto lost = chosen->bounds(loss_quantity(loss));
    out.push_back(fmt::format(
        "the algorithm compares estimates without their intervals. Of its choice L is estimated as {}, and "
        "lies {}{}",
        quantity_number(printed->loss), between(lost),
        lost && lost->high > constraints.max_loss.value_or(1)
            ? fmt::format(": {} may be exceeded, and more `draws` would tell",
                          number_text(*constraints.max_loss))
            : ""));
    out.push_back(fmt::format(
        "its E (eq. 4) is the error of an attacker who draws the guess from the posterior, estimated by the "
        "plug-in, which is biased low: {} here, and the truth lies {}. The error of the best guess, E_opt, "
        "lies {}",
        quantity_number(printed->error), between(chosen->bounds("e_post")),
        between(chosen->bounds("e_opt"))));
  }
  out.emplace_back(
      "it doubles epsilon and never refines it, and tries t at one epsilon only; it assumes that L falls as "
      "epsilon grows, and knows no mechanism but vickrey. `algorithm` frontier refines epsilon and tries the "
      "others");
  out.emplace_back(
      "it does not look at the guarantee: no certificate and no largest epsilon take part in the choice");
  return out;
}

}  // namespace sotto::api
