#include "lab/learn/settings.h"

namespace sotto::lab::learning {

namespace {

constexpr std::size_t kAllReviews = 50'000;
constexpr std::size_t kAllTweets = 3263;

Place tem(std::string part, std::string task, const char* epsilon, std::size_t public_texts,
          std::size_t draws) {
  return {.part = std::move(part),
          .task = std::move(task),
          .series = "tem",
          .mechanism = "tem",
          .parameters = {{"epsilon", epsilon}, {"gamma", "inf"}},
          .public_texts = public_texts,
          .draws = draws};
}

Place with(Scores scores, const char* series, Place place) {
  place.scores = scores;
  place.series = series;
  return place;
}

Place other(const char* mechanism, const char* epsilon, std::size_t public_texts) {
  return {.part = "mechanisms",
          .task = "reviews",
          .series = mechanism,
          .mechanism = mechanism,
          .parameters = {{"epsilon", epsilon}},
          .public_texts = public_texts,
          .draws = 1};
}

std::vector<Place> task_metrics(const std::string& part) {
  return {with(Scores::three, "tem (task metric)", tem(part, "reviews", "2.342", kAllReviews, 3)),
          with(Scores::lexicon, "tem (lexicon)", tem(part, "reviews", "2.342", kAllReviews, 3))};
}

Settings quick_settings() {
  Settings out{.places = {tem("reviews", "reviews", "2.6", 3000, 2), tem("tweets", "tweets", "2.5", 3000, 1)},
               .review_words = 4000,
               .tweet_words = 4000,
               .question_words = 4000,
               .half = 2000};
  return out;
}

}  // namespace

Settings settings_of(Extent extent) {
  if (extent == Extent::quick) return quick_settings();
  Settings out{
      .places = {}, .review_words = 10'000, .tweet_words = 15'000, .question_words = 8000, .half = 12'500};
  const auto add = [&](Place place) { out.places.push_back(std::move(place)); };
  for (const char* epsilon : {"2.342", "2.624"}) add(tem("reviews", "reviews", epsilon, kAllReviews, 3));
  for (const char* epsilon : {"2", "2.5", "3"}) add(tem("tweets", "tweets", epsilon, kAllTweets, 3));
  for (const char* epsilon : {"2.15", "2.85"}) add(tem("reviews", "reviews", epsilon, kAllReviews, 3));
  for (const std::size_t public_texts : {1500, 10'000}) {
    add(tem("public", "reviews", "2.342", public_texts, 3));
  }
  for (Place& place : task_metrics("metric")) add(std::move(place));
  // laplace and vickrey search the nearest word at each draw: fewer public texts, and one draw. Beside them
  // tem with as many public texts; part "public" has its other epsilon.
  add(tem("mechanisms", "reviews", "2.624", 10'000, 1));
  for (const char* epsilon : {"6.5", "7.5"}) add(other("laplace", epsilon, 10'000));
  for (const char* epsilon : {"7", "8.5"}) add(other("vickrey", epsilon, 10'000));
  for (const char* task : {"mr", "sst"}) {
    for (const char* epsilon : {"2.342", "2.624"}) add(tem("sentences", task, epsilon, 10'000, 3));
  }
  // Without public text each draw estimates the word frequencies and lifts thousands of features: few draws.
  for (const char* epsilon : {"2", "2.5", "3"}) add(tem("questions", "trec", epsilon, 0, 2));
  for (const char* epsilon : {"2", "2.5", "3"}) add(tem("without", "tweets", epsilon, 0, 1));
  for (const char* epsilon : {"2.342", "2.624"}) {
    out.attacked.push_back(tem("attackers", "reviews", epsilon, kAllReviews, 1));
  }
  out.attacked.push_back(task_metrics("attackers").front());
  return out;
}

Points::Layout points_layout() {
  return {.keys = {"task", "series", "epsilon", "public_texts", "learner", "draw"},
          .values = {"accuracy", "accuracy_median", "auc", "private_accuracy", "features", "penalty"}};
}

Points::Layout mechanisms_layout() {
  return {.keys = {"task", "series", "epsilon"},
          .values = {"e_opt", "e_opt_low", "e_opt_high", "e_opt_with_unknown", "unchanged"}};
}

Points::Layout levels_layout() {
  return {.keys = {"series", "plain_epsilon"}, .values = {"epsilon", "e_opt", "plain_e_opt"}};
}

Points::Layout given_away_layout() {
  return {.keys = {"series", "epsilon", "guessed"},
          .values = {"words", "error_before", "error_after", "error_without_output"}};
}

Points::Layout attackers_layout() {
  return {.keys = {"task", "series", "epsilon", "attacker"},
          .values = {"documents", "tokens", "unknown", "error", "error_low", "error_high", "error_content",
                     "error_content_low", "error_content_high", "error_replaced", "error_replaced_low",
                     "error_replaced_high"}};
}

}  // namespace sotto::lab::learning
