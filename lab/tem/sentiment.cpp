#include "lab/tem/sentiment.h"

#include <numeric>

#include "lab/statistics.h"

namespace sotto::lab {

Sentiment sentiment_of(const Classifier& classifier, const Bags& bags,
                       std::span<const std::uint32_t> documents) {
  const std::vector<float> scores = classifier.scores(bags, documents);
  std::vector<float> positive;
  std::vector<float> negative;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    (bags.labels[documents[i]] != 0 ? positive : negative).push_back(scores[i]);
  }
  const ScoredClasses scored{.positive = positive, .negative = negative};
  return {.accuracy = accuracy_at_zero(scored),
          .accuracy_median = accuracy_at_median(scored),
          .auc = area_under_curve(scored)};
}

std::vector<std::uint32_t> all_of(const Bags& bags) {
  std::vector<std::uint32_t> all(bags.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

}  // namespace sotto::lab
