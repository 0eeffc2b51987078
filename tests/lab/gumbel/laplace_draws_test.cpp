#include "lab/gumbel/laplace_draws.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/samplers.h"
#include "sotto/certificate.h"
#include "sotto/parameters.h"

namespace sotto::lab::gumbel {
namespace {

// 400 words in 8 dimensions: more than a head has.
std::shared_ptr<const Model> some_model() {
  Rng rng = Rng::seeded_not_private(3);
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < 400; ++i) {
    words.push_back("w" + std::string(1, static_cast<char>('a' + i / 20)) +
                    std::string(1, static_cast<char>('a' + i % 20)));
    for (std::size_t j = 0; j < 8; ++j) vectors.push_back(static_cast<float>(gaussian(rng)));
  }
  return Model::from_words(words, vectors, 8);
}

TEST(LaplaceDraws, AreTheWordsOfTheMechanismFromTheSameRandomNumbers) {
  const std::shared_ptr<const Model> model = some_model();
  std::vector<WordId> in;
  for (std::size_t i = 0; i < 3'000; ++i) in.push_back(word_id(i * 7 % model->size()));
  // Noise that always, sometimes and hardly ever reaches beyond a head.
  for (const double epsilon : {1.0, 4.0, 8.0, 40.0}) {
    const Mechanism mechanism =
        build_mechanism("laplace", model, {{"epsilon", number_text(epsilon)}}, {.threads = 1}).mechanism;
    std::vector<WordId> wanted(in.size());
    Rng rng = Rng::seeded_not_private(8);
    mechanism.words->sample_batch(in, wanted, rng);
    std::vector<WordId> drawn(in.size());
    Rng again = Rng::seeded_not_private(8);
    LaplaceDraws(Space::make(model, Metric::euclidean), epsilon).sample_batch(in, drawn, again);
    EXPECT_EQ(drawn, wanted) << epsilon;
    if (epsilon < 10) {  // some words change, or the test would say little
      EXPECT_NE(drawn, in) << epsilon;
    }
  }
}

}  // namespace
}  // namespace sotto::lab::gumbel
