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
  std::size_t classes = 2;
  std::shared_ptr<const Model> domain = {};
  WordId anchor{};
  LabelledTokens train = {};
  LabelledTokens test = {};
  TokenLists public_texts = {};  // without labels; empty if the task has none
  // Public labelled sentences of a near kind, and the words of a public lexicon (+1, -1, else 0); of reviews
  // only.
  LabelledTokens sentences = {};
  std::vector<double> polarity = {};
  // Of reviews only: the first private ones as they were written, for attackers who read whole texts.
  std::vector<std::string> attacked = {};

  [[nodiscard]] TextLabels train_labels() const { return {.of = train.labels, .classes = classes}; }
};

// - "reviews": film reviews (IMDB). A random half of the training reviews, a random half of the test reviews,
//   as many of each class, drawn once. Public: the 50,000 unlabelled reviews, the film sentences of MR, the
//   opinion lexicon. The domain is the words of the run's model that are most frequent in the public reviews.
// - "tweets": about disasters or not. Three quarters to learn from, a quarter to test on. Public: the tweets
//   that are published without labels. The domain is the most frequent words of the model.
// - "mr", "sst": film sentences, positive or negative, in the domain of the reviews. Public: the unlabelled
//   reviews. MR is split as the tweets are. SST has a split of its own; its sentences of the middle class are
//   left out.
// - "trec": questions in six classes, with a split of their own. Nothing is public. The domain is the most
//   frequent words of the model.
// Throws Error(internal) for another name.
Task make_task(const Run& run, const Settings& settings, const std::string& name);

// The first texts, at most `most`.
TokenLists first_texts(const TokenLists& texts, std::size_t most);

}  // namespace sotto::lab::learning
