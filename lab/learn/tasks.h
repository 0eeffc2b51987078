#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/learn/settings.h"
#include "learn/learner.h"
#include "sotto/model.h"

namespace sotto::lab::learning {

struct LabelledTokens {
  TokenLists texts = {};
  std::vector<std::uint32_t> labels = {};
};

// Texts in words of their domain: what a learner gets as a release, what it is tested on, and what is public.
struct Task {
  std::string name = {};
  std::shared_ptr<const Model> domain = {};
  WordId anchor{};
  LabelledTokens train = {};
  LabelledTokens test = {};
  TokenLists public_texts = {};  // without labels
  // Public labelled sentences of a near kind, and the words of a public lexicon (+1, -1, else 0); empty for
  // tweets.
  LabelledTokens sentences = {};
  std::vector<double> polarity = {};
};

// Film reviews (IMDB): a random half of the training reviews, a random half of the test reviews, as many of
// each class, drawn once. Public: the 50,000 unlabelled reviews, the film sentences of MR, the opinion
// lexicon. The domain is the words of the run's model that are most frequent in the public reviews.
Task review_task(const Run& run, const Settings& settings);
// Tweets about disasters or not: three quarters to learn from, a quarter to test on. Public: the tweets that
// are published without labels. The domain is the most frequent words of the model.
Task tweet_task(const Run& run, const Settings& settings);

// The first texts, at most `most`.
TokenLists first_texts(const TokenLists& texts, std::size_t most);

}  // namespace sotto::lab::learning
