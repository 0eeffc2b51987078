#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "lab/vickrey/settings.h"
#include "sotto/model.h"

namespace sotto::lab::vickrey {

// A model and a data folder of 40 words: 0 to 9 are said by who liked the film (or saw a fire) and are in the
// positive list, 10 to 19 by the others and are in the negative list; the rest is everywhere. The words from
// 30 on are in no list of substitutes.
class SmallWorld {
 public:
  static constexpr std::size_t kWords = 40;
  static std::string word(std::size_t i) {
    return std::string("w") + static_cast<char>('a' + i / 20) + static_cast<char>('a' + i % 20);
  }

  SmallWorld() {
    namespace fs = std::filesystem;
    std::vector<std::string> words;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < kWords; ++i) {
      words.push_back(word(i));
      const float group = i < 10 ? 3.0F : i < 20 ? -3.0F : 0.0F;
      vectors.insert(vectors.end(), {group, static_cast<float>(i) * 0.2F, static_cast<float>(i % 3)});
    }
    Model::from_words(words, vectors, 3)->save(folder_.path() / "m.sotto", Model::Existing::refuse);
    const fs::path data = folder_.path() / "data";
    for (const char* name : {"imdb", "disaster_tweets", "opinion_lexicon", "counterfitted"}) {
      fs::create_directories(data / name);
    }
    Rng rng = Rng::seeded_not_private(1);
    const auto text = [&](std::size_t label) {
      std::string out;
      for (int j = 0; j < 9; ++j) {
        const std::size_t own = (label == 1 ? 0 : 10) + uniform_below(rng, 10);
        out += word(j % 3 == 0 ? own : 20 + uniform_below(rng, 20)) + ' ';
      }
      return out;
    };
    for (const char* part : {"train", "test"}) {
      std::ofstream out(data / "imdb" / (std::string("imdb_") + part + ".tsv"));
      out << "id\tlabel\trating\tjia_split\ttext\n";
      for (std::size_t i = 0; i < 200; ++i)
        out << i << '\t' << i % 2 << "\t5\ttrain\t" << text(i % 2) << '\n';
    }
    std::ofstream tweets(data / "disaster_tweets/train.csv");
    tweets << "id,text,target\n";
    for (std::size_t i = 0; i < 300; ++i) tweets << i << ',' << text(i % 2) << ',' << i % 2 << '\n';
    std::ofstream positive(data / "opinion_lexicon/positive-words.txt");
    std::ofstream negative(data / "opinion_lexicon/negative-words.txt");
    for (std::size_t i = 0; i < 10; ++i) {
      positive << word(i) << '\n';
      negative << word(i + 10) << '\n';
    }
    std::ofstream substitutes(data / "counterfitted/counterfitted_neighbors.json");
    substitutes << "{";
    for (std::size_t i = 0; i < 30; ++i) {
      substitutes << (i > 0 ? ", " : "") << '"' << word(i) << "\": [\"" << word((i + 1) % 30) << "\"]";
    }
    substitutes << ", \"" << word(30) << "\": []}";
  }

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] RunRequest request(const char* output) const {
    return {.data = path() / "data",
            .output = path() / output,
            .model = path() / "m.sotto",
            .threads = 2,
            .seed = 3};
  }
  static Settings settings() {
    return {.parts = {},
            .vectors = {kGlove},
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

 private:
  sotto::test::TemporaryFolder folder_;
};

}  // namespace sotto::lab::vickrey
