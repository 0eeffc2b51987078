#pragma once
#include "lab/embeddings/spaces.h"
#include "lab/tem/corpus.h"
#include "lab/tem/sentiment.h"

namespace sotto::lab::embeddings {

// The task of tem-2023 on smaller halves: learn from released reviews of TR1, test on clear reviews of TE1.
// The classifier starts at the same public vectors whatever the mechanism's vectors are, so that only the
// release differs.
class ReviewTask {
 public:
  // The texts become words of `model`, whose vectors the classifier starts from. All spaces with these words
  // in this order can be compared.
  ReviewTask(const Run& run, const Settings& settings, std::shared_ptr<const Model> model);

  struct Split {
    Halves train;  // TR1, TR2
    Halves test;   // TE1, TE2
  };
  [[nodiscard]] Split split(std::size_t trial) const;
  [[nodiscard]] const Corpus& train() const { return train_; }
  [[nodiscard]] const Bags& train_bags() const { return train_bags_; }
  [[nodiscard]] const std::shared_ptr<const Model>& model() const { return model_; }

  [[nodiscard]] Classifier trained(const Bags& bags, std::span<const std::uint32_t> documents,
                                   std::uint64_t seed) const;
  // Trained on all documents of `bags`, tested on TE1.
  [[nodiscard]] Sentiment learnt_from(const Bags& bags, const Split& split, std::uint64_t seed) const;

 private:
  const Run& run_;
  const Settings& settings_;
  std::shared_ptr<const Model> model_;
  Corpus train_;
  Bags train_bags_;
  Bags test_bags_;
  Corpus test_;
};

// Fills levels.csv and accuracy.csv for the spaces of one group: tem at equal E_opt and at equal certified
// loss, and clear text (the embedding "none").
void measure_reviews(const Run& run, const Settings& settings, std::span<const NamedSpace> spaces,
                     Points& levels, Points& accuracy);

}  // namespace sotto::lab::embeddings
