#pragma once
#include "lab/small_data.h"
#include "lab/vickrey/settings.h"

namespace sotto::lab::vickrey {

// Small data of 40 words. Tweets are as reviews are: who saw a fire says the words of who liked the film. The
// words from 30 on are in no list of substitutes.
class SmallWorld : public SmallData {
 public:
  static constexpr std::size_t kWords = 40;

  SmallWorld()
      : SmallData(kWords, [](std::size_t i) -> std::vector<float> {
          return {3 * side(i), static_cast<float>(i) * 0.2F, static_cast<float>(i % 3)};
        }) {
    write_reviews("train", 200, 9, 3);
    write_reviews("test", 200, 9, 3);
    std::ofstream tweets = open("disaster_tweets/train.csv");
    tweets << "id,text,target\n";
    for (std::size_t i = 0; i < 300; ++i) tweets << i << ',' << said(i % 2, 9, 3) << ',' << i % 2 << '\n';
    write_lexicon();
    std::ofstream substitutes = open("counterfitted/counterfitted_neighbors.json");
    substitutes << "{";
    for (std::size_t i = 0; i < 30; ++i) {
      substitutes << (i > 0 ? ", " : "") << '"' << word(i) << "\": [\"" << word((i + 1) % 30) << "\"]";
    }
    substitutes << ", \"" << word(30) << "\": []}";
  }

  [[nodiscard]] RunRequest request(const char* output) const {
    return {.data = data(), .output = path() / output, .model = model(), .threads = 2, .seed = 3};
  }
  static Settings settings() {
    return {.vectors = {kGlove},
            .product_epsilons = {1, 30},
            .laplace_epsilons = {3},
            .product_draws = 1000,
            .task_epsilons = {0.5, 50},
            .task_draws = 500,
            .tasks = {{.name = "twitter",
                       .train = 200,
                       .test = 30,
                       .words = 9,
                       .domain_words = 40,
                       .epochs = 40,
                       .retrained = {50}},
                      {.name = "imdb", .train = 200, .test = 40, .words = 9, .epochs = 40}},
            .hidden = 8};
  }
};

}  // namespace sotto::lab::vickrey
