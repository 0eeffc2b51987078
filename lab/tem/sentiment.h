#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "lab/tem/classifier.h"

namespace sotto::lab {

// How well a classifier tells positive documents from negative ones.
struct Sentiment {
  double accuracy = 0;         // at threshold 0
  double accuracy_median = 0;  // at the median of the scores
  double auc = 0;
};
Sentiment sentiment_of(const Classifier& classifier, const Bags& bags,
                       std::span<const std::uint32_t> documents);

// The numbers of all documents.
std::vector<std::uint32_t> all_of(const Bags& bags);

}  // namespace sotto::lab
