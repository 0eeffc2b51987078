#include "lab/learn/settings.h"

namespace sotto::lab::learning {

namespace {

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

Place other(const char* mechanism, const char* epsilon, std::size_t public_texts) {
  return {.part = "mechanisms",
          .task = "reviews",
          .series = mechanism,
          .mechanism = mechanism,
          .parameters = {{"epsilon", epsilon}},
          .public_texts = public_texts,
          .draws = 1};
}

constexpr std::size_t kAllReviews = 50'000;
constexpr std::size_t kAllTweets = 3263;

}  // namespace

Settings settings_of(Extent extent) {
  if (extent == Extent::quick) {
    return {.places = {tem("reviews", "reviews", "2.6", 3000, 2), tem("tweets", "tweets", "2.5", 3000, 1)},
            .review_words = 4000,
            .tweet_words = 4000,
            .half = 2000};
  }
  Settings out{.places = {}, .review_words = 10'000, .tweet_words = 15'000, .half = 12'500};
  for (const char* epsilon : {"2.342", "2.624"}) {
    out.places.push_back(tem("reviews", "reviews", epsilon, kAllReviews, 3));
  }
  for (const std::size_t public_texts : {kAllTweets, std::size_t{0}}) {
    for (const char* epsilon : {"2", "2.5", "3"}) {
      out.places.push_back(tem("tweets", "tweets", epsilon, public_texts, 3));
    }
  }
  for (const char* epsilon : {"2.15", "2.85"}) {
    out.places.push_back(tem("reviews", "reviews", epsilon, kAllReviews, 3));
  }
  for (const std::size_t public_texts : {1500, 10'000}) {
    out.places.push_back(tem("public", "reviews", "2.342", public_texts, 3));
  }
  // A draw of these mechanisms searches the nearest word: fewer public texts, and one draw.
  for (const char* epsilon : {"6.5", "7.5"}) out.places.push_back(other("laplace", epsilon, 10'000));
  for (const char* epsilon : {"7", "8.5"}) out.places.push_back(other("vickrey", epsilon, 10'000));
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

}  // namespace sotto::lab::learning
