#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lab/gumbel/text_model.h"
#include "lab/gumbel/vocabulary.h"

namespace sotto::lab::gumbel {

// Texts to train on or to judge by: words[i] of label labels[i], premises[i] where there are any. No text is
// empty.
struct Examples {
  std::vector<std::vector<WordId>> texts;
  std::vector<std::vector<WordId>> premises;
  std::vector<std::uint8_t> labels;
  [[nodiscard]] std::size_t size() const { return texts.size(); }
};
// Of a part of a data set: `most` texts, evenly spread over the part, each cut after `length` words.
struct ExampleLimits {
  std::size_t most;
  std::size_t length;
};
Examples examples_of(const Part& part, const ExampleLimits& limits);
Batch batch_of(const Examples& examples, std::span<const std::uint32_t> chosen);

// Adam as in Jia et al. 2019: rate 0.001, weight decay 0.0001, gradients cut at norm 0.25. The weights of the
// epoch that does best on the development texts are kept.
struct TrainingPlan {
  std::size_t epochs;
  std::size_t batch;
  double dropout;
  std::uint64_t seed;
  // Certified training: the loss is kappa * (bound on the worst loss) + (1 - kappa) * loss. kappa and the
  // share of the box grow linearly, epoch by epoch, to 0.8 and 1 in the first `ramp` epochs. 0: normal
  // training.
  std::size_t ramp = 0;
};
struct TrainingReport {
  std::size_t epochs = 0;
  double development = 0;  // accuracy of the kept weights; certified accuracy after certified training
};
TrainingReport train(TextModel& model, const Examples& training, const Examples& development,
                     const AllowedWords& allowed, const TrainingPlan& plan);

// Shares of the examples that are classified rightly, and that are certified: no allowed substitutions of
// any number of words change the class.
double clean_accuracy(const TextModel& model, const Examples& examples);
double certified_accuracy(const TextModel& model, const Examples& examples, const AllowedWords& allowed);
// The cross entropy of each example with its label.
std::vector<float> losses(const TextModel& model, const Examples& examples);

}  // namespace sotto::lab::gumbel
