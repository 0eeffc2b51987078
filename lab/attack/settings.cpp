#include "lab/attack/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sotto::lab::attack {

namespace {

std::vector<Rival> rivals() {
  return {{.mechanism = "tem", .parameters = {{"gamma", "inf"}}, .from = 0.5, .to = 12},
          {.mechanism = "laplace", .from = 1, .to = 100},
          {.mechanism = "vickrey", .from = 1, .to = 1000},
          {.mechanism = "truncated-gumbel", .floor = Rival::Floor::closest_words, .from = 0.001, .to = 1e15}};
}

}  // namespace

Settings settings_of(const RunRequest& request) {
  Settings out{.epsilons = {2, 2.5, 3, 3.5, 4},
               .reviews = 400,
               .review_words = 200,
               .rivals = rivals(),
               .levels = {0.7, 0.5, 0.3},
               .equal_reviews = 100,
               .tweets = 1000,
               .search_draws = 300'000,
               .public_reviews = 46'000};
  if (request.extent == Extent::quick) {
    out.epsilons = {3};
    out.reviews = 20;
    out.levels = {0.5};
    out.equal_reviews = 10;
    out.tweets = 100;
    out.search_draws = 40'000;
    out.public_reviews = 3000;
  }
  return out;
}

Run::Settings record_of(const Settings& settings) {
  return {{"reviews", fmt::format("{}, the first {} words of each", settings.reviews, settings.review_words)},
          {"public_reviews", std::to_string(settings.public_reviews)},
          {"equal_reviews", std::to_string(settings.equal_reviews)},
          {"tweets", std::to_string(settings.tweets)},
          {"epsilons", fmt::format("{}", fmt::join(settings.epsilons, ", "))},
          {"levels", fmt::format("{}", fmt::join(settings.levels, ", "))},
          {"search_draws", std::to_string(settings.search_draws)}};
}

Points::Layout attacks_layout() {
  return {.keys = {"corpus", "mechanism", "level", "epsilon", "attacker"},
          .values = {"documents", "tokens", "unknown", "replaced", "error", "error_low", "error_high",
                     "error_content", "error_content_low", "error_content_high", "error_replaced",
                     "error_replaced_low", "error_replaced_high", "error_unknown", "log_loss",
                     "equivalent_epsilon", "channel_draws"}};
}

Points::Layout levels_layout() {
  return {.keys = {"corpus", "mechanism", "level"},
          .values = {"reached", "epsilon", "e_opt", "e_opt_low", "e_opt_high", "changed", "constant_guess"}};
}

}  // namespace sotto::lab::attack
