#include "lab/tem/classifier.h"

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>

#include <numeric>

#include "core/uniform.h"
#include "lab/statistics.h"

namespace sotto::lab {
namespace {

constexpr std::size_t kToyWords = 60;
constexpr std::size_t kToyDim = 10;

std::shared_ptr<const Model> toy_model() {
  Rng rng = Rng::seeded_not_private(3);
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < kToyWords; ++i) words.push_back("w" + std::string(i + 1, 'a'));
  for (std::size_t i = 0; i < kToyWords * kToyDim; ++i) {
    vectors.push_back(static_cast<float>(static_cast<double>(rng.bits() >> 11) * 0x1p-52 - 1));
  }
  return Model::from_words(words, vectors, kToyDim);
}

std::vector<std::uint32_t> numbers(std::size_t first, std::size_t last) {
  std::vector<std::uint32_t> out(last - first);
  std::iota(out.begin(), out.end(), static_cast<std::uint32_t>(first));
  return out;
}

// `signal`: a third of the words are drawn from ten that go with the label. Otherwise labels are coins.
enum class Labels { signal, coins };
Bags toy_bags(std::size_t documents, Labels labels) {
  Rng rng = Rng::seeded_not_private(11);
  Bags bags;
  for (std::size_t i = 0; i < documents; ++i) {
    const auto label = static_cast<std::uint8_t>(i % 2);
    std::vector<WordId> words;
    for (std::size_t j = 0; j < 5 + i % 20; ++j) {
      const bool tells = labels == Labels::signal && j % 3 == 0;
      words.push_back(
          word_id(tells ? (label != 0 ? 0 : 10) + uniform_below(rng, 10) : 20 + uniform_below(rng, 40)));
    }
    bags.add(words, label);
  }
  return bags;
}

double test_auc(const Classifier& classifier, const Bags& bags, std::span<const std::uint32_t> documents) {
  const std::vector<float> scores = classifier.scores(bags, documents);
  std::vector<float> positive;
  std::vector<float> negative;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    (bags.labels[documents[i]] != 0 ? positive : negative).push_back(scores[i]);
  }
  return area_under_curve({.positive = positive, .negative = negative});
}

TEST(Bags, HoldEachWordOnceWithItsShare) {
  Bags bags;
  bags.add(std::vector<WordId>{word_id(3), word_id(1), word_id(3), word_id(3)}, 1);
  bags.add({}, 0);
  ASSERT_EQ(bags.document(0).size(), 2U);
  EXPECT_EQ(bags.document(0)[0].word, word_id(1));
  EXPECT_EQ(bags.document(0)[0].share, 0.25F);
  EXPECT_EQ(bags.document(0)[1].share, 0.75F);
  EXPECT_TRUE(bags.document(1).empty());
  EXPECT_EQ(bags.labels, (std::vector<std::uint8_t>{1, 0}));
}

TEST(Classifier, LearnsASeparableSet) {
  const auto model = toy_model();
  const Bags bags = toy_bags(1000, Labels::signal);
  Classifier classifier(*model, 1);
  classifier.train(bags, numbers(0, 500), {.seed = 2});
  EXPECT_GT(test_auc(classifier, bags, numbers(500, 1000)), 0.98);
}

// The AUC of scores without information on 500 + 500 documents has standard deviation .018: false alarms of
// this one seed have probability 1e-7.
TEST(Classifier, LearnsNothingFromCoins) {
  const auto model = toy_model();
  const Bags bags = toy_bags(1500, Labels::coins);
  Classifier classifier(*model, 1);
  classifier.train(bags, numbers(0, 500), {.seed = 2});
  EXPECT_NEAR(test_auc(classifier, bags, numbers(500, 1500)), 0.5, 0.1);
}

// The same network made of torch's parts, with autograd and the dense optimiser.
struct Reference {
  at::Tensor embeddings;
  at::Tensor weights;
  at::Tensor biases;
  torch::optim::Adam adam;

  Reference(const Model& model, const Classifier& start)
      : embeddings(torch::empty({kToyWords, kToyDim})),
        weights(torch::empty({2, kToyDim})),
        biases(torch::empty({2})),
        adam(std::vector<at::Tensor>{copied(model, start)}) {
    adam.param_groups()[0].params() = {embeddings, weights, biases};
  }
  at::Tensor copied(const Model& model, const Classifier& start) {
    for (std::size_t i = 0; i < kToyWords; ++i) {
      for (std::size_t j = 0; j < kToyDim; ++j) {
        embeddings[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(j)] = model.vector(word_id(i))[j];
      }
    }
    for (std::int64_t label = 0; label < 2; ++label) {
      const Classifier::Output output = start.output(static_cast<std::size_t>(label));
      for (std::size_t j = 0; j < kToyDim; ++j)
        weights[label][static_cast<std::int64_t>(j)] = output.weights[j];
      biases[label] = output.bias;
    }
    for (at::Tensor* tensor : {&embeddings, &weights, &biases}) tensor->set_requires_grad(true);
    return embeddings;
  }

  void step(const Bags& bags, std::span<const std::uint32_t> batch) {
    std::vector<at::Tensor> rows;
    std::vector<std::int64_t> labels;
    for (const std::uint32_t document : batch) {
      at::Tensor mean = torch::zeros({kToyDim});
      for (const Bags::Entry& entry : bags.document(document)) {
        mean = mean + entry.share * embeddings[static_cast<std::int64_t>(index_of(entry.word))];
      }
      rows.push_back(mean);
      labels.push_back(bags.labels[document]);
    }
    const at::Tensor logits = torch::stack(rows).matmul(weights.t()) + biases;
    adam.zero_grad();
    torch::nn::functional::cross_entropy(logits, torch::tensor(labels)).backward();
    adam.step();
  }
};

TEST(Classifier, StepsEqualTorchsAutogradAndDenseAdam) {
  const auto model = toy_model();
  const Bags bags = toy_bags(300, Labels::signal);
  Classifier classifier(*model, 5);
  Reference reference(*model, classifier);
  Rng rng = Rng::seeded_not_private(17);
  for (int step = 0; step < 150; ++step) {
    std::vector<std::uint32_t> batch;
    // Of several sizes: Adam hides a gradient that is wrong by a constant factor.
    for (int i = 0; i <= step % 5; ++i) batch.push_back(static_cast<std::uint32_t>(uniform_below(rng, 300)));
    classifier.step(bags, batch);
    reference.step(bags, batch);
  }
  classifier.settle();
  double largest = 0;
  for (std::size_t i = 0; i < kToyWords; ++i) {
    const at::Tensor row = reference.embeddings[static_cast<std::int64_t>(i)].detach();
    for (std::size_t j = 0; j < kToyDim; ++j) {
      largest = std::max(largest, std::abs(static_cast<double>(classifier.embedding(word_id(i))[j]) -
                                           row[static_cast<std::int64_t>(j)].item<double>()));
    }
  }
  // 150 steps of 1e-3 each; Adam divides by gradients' sizes, which amplifies rounding of small ones.
  EXPECT_LT(largest, 2e-5);
  for (std::int64_t label = 0; label < 2; ++label) {
    const Classifier::Output output = classifier.output(static_cast<std::size_t>(label));
    EXPECT_NEAR(output.bias, reference.biases[label].item<double>(), 2e-5);
    for (std::size_t j = 0; j < kToyDim; ++j) {
      EXPECT_NEAR(output.weights[j], reference.weights[label][static_cast<std::int64_t>(j)].item<double>(),
                  2e-5);
    }
  }
}

TEST(Classifier, ScoresAreDifferencesOfLogits) {
  const auto model = toy_model();
  const Bags bags = toy_bags(4, Labels::signal);
  const Classifier classifier(*model, 5);
  const std::vector<float> scores = classifier.scores(bags, numbers(0, 4));
  for (std::size_t i = 0; i < 4; ++i) {
    double expected = classifier.output(1).bias - classifier.output(0).bias;
    for (const Bags::Entry& entry : bags.document(i)) {
      for (std::size_t j = 0; j < kToyDim; ++j) {
        expected += entry.share * classifier.embedding(entry.word)[j] *
                    (classifier.output(1).weights[j] - classifier.output(0).weights[j]);
      }
    }
    EXPECT_NEAR(scores[i], expected, 1e-5);
  }
}

}  // namespace
}  // namespace sotto::lab
