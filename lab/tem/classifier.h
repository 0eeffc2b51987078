#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lab/tem/row_adam.h"
#include "sotto/ids.h"
#include "sotto/model.h"

namespace sotto::lab {

// Documents as the classifier sees them: each word once, with its share of the document's tokens.
struct Bags {
  struct Entry {
    WordId word;
    float share;
  };
  std::vector<Entry> entries;        // document after document
  std::vector<std::size_t> ends;     // of each document in `entries`
  std::vector<std::uint8_t> labels;  // 1: positive

  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::span<const Entry> document(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(entries).subspan(begin, ends[i] - begin);
  }
  // A document without words is an empty bag: its mean vector is 0.
  void add(std::span<const WordId> words, std::uint8_t label);
};

struct TrainingPlan {
  std::size_t epochs = 20;
  std::size_t batch = 64;
  std::uint64_t seed = 0;  // of the order of documents in each epoch
};

// fastText's classifier (Joulin et al. 2017) in PyTorch's terms: the mean of the words' embeddings, which
// start at the model's vectors and are trained, a linear layer to two classes, cross entropy, Adam.
//
// With two classes a word acts through one number, its score u = E.(W1 - W0), and the gradient of every row
// of E is a multiple of W1 - W0. So a batch costs three passes over its distinct words, not over its tokens.
class Classifier {
 public:
  // The linear layer starts uniform on +-1/sqrt(dim), as torch::nn::Linear does.
  Classifier(const Model& model, std::uint64_t seed);
  ~Classifier();
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) = delete;

  void train(const Bags& bags, std::span<const std::uint32_t> documents, const TrainingPlan& plan);
  // ln P(positive) - ln P(negative) of each document.
  [[nodiscard]] std::vector<float> scores(const Bags& bags, std::span<const std::uint32_t> documents) const;

  // For comparison with an optimiser that is known to be right. One step of Adam on the mean loss of a batch;
  // settle() before the weights are read.
  void step(const Bags& bags, std::span<const std::uint32_t> batch);
  void settle();
  [[nodiscard]] std::span<const float> embedding(WordId word) const;
  struct Output {
    std::span<const float> weights;
    float bias;
  };
  [[nodiscard]] Output output(std::size_t label) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto::lab
