#pragma once
#include <filesystem>
#include <fstream>
#include <string>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "lab/run.h"
#include "sotto/model.h"

namespace sotto::lab::gumbel {

// A data folder in the layout of the lab, with a model, small enough for a test. Words wa.. to wj.. are said
// by who liked the film (and in hypotheses that follow), the next ten by who did not; the rest says nothing.
class SmallWorld {
 public:
  static constexpr std::size_t kWords = 60;

  SmallWorld() {
    namespace fs = std::filesystem;
    std::vector<std::string> words;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < kWords; ++i) {
      words.push_back(word(i));
      const float group = i < 10 ? 3.0F : i < 20 ? -3.0F : 0.0F;
      vectors.insert(vectors.end(), {group, static_cast<float>(i) * 0.11F, static_cast<float>(i % 7) * 0.5F,
                                     static_cast<float>(i % 5) * 0.4F});
    }
    Model::from_words(words, vectors, 4)->save(folder_.path() / "m.sotto", Model::Existing::refuse);
    for (const char* part : {"imdb", "snli", "counterfitted"}) {
      fs::create_directories(folder_.path() / "data" / part);
    }
    write_reviews("train", 120);
    write_reviews("test", 60);
    std::ofstream unlabelled = open("imdb/imdb_unsup.txt");
    for (std::size_t i = 0; i < kWords; ++i) unlabelled << word(i) << "<br />" << word(i) << '\n';
    write_pairs("snli_train_subset18k", 120);
    write_pairs("snli_train_subset2k", 20);
    write_pairs("snli_train_first3k", 20);
    write_pairs("snli_dev_tokenized", 60);
    write_pairs("snli_test_tokenized", 60);
    std::ofstream neighbours = open("counterfitted/counterfitted_neighbors.json");
    neighbours << '{';
    for (std::size_t i = 0; i < kWords; i += 2) {
      neighbours << (i == 0 ? "" : ", ") << '"' << word(i) << "\": [\"" << word(i + 1) << "\", \"unknown\"]";
    }
    neighbours << '}';
  }

  [[nodiscard]] RunRequest request(const char* output, std::vector<std::string> parts = {}) const {
    return {.data = folder_.path() / "data",
            .output = folder_.path() / output,
            .model = folder_.path() / "m.sotto",
            .extent = Extent::quick,
            .threads = 1,
            .seed = 5,
            .parts = std::move(parts)};
  }
  [[nodiscard]] std::filesystem::path path(const char* name) const { return folder_.path() / name; }
  static std::string word(std::size_t i) {
    return std::string("w") + static_cast<char>('a' + i / 20) + static_cast<char>('a' + i % 20);
  }

 private:
  [[nodiscard]] std::ofstream open(const std::string& name) const {
    return std::ofstream(folder_.path() / "data" / name);
  }
  std::string said(std::size_t label, std::size_t length) {
    std::string text;
    for (std::size_t j = 0; j < length; ++j) {
      const std::size_t own = (label == 1 ? 0 : 10) + uniform_below(rng_, 10);
      text += word(j % 2 == 0 && label < 2 ? own : 20 + uniform_below(rng_, kWords - 20));
      text += ' ';
    }
    return text;
  }
  void write_reviews(const std::string& part, std::size_t count) {
    std::ofstream out = open("imdb/imdb_" + part + ".tsv");
    out << "id\tlabel\trating\tjia_split\ttext\n";
    for (std::size_t i = 0; i < count; ++i) {
      out << i << '\t' << i % 2 << "\t5\t" << (i % 5 == 0 ? "dev" : "train") << '\t' << said(i % 2, 12)
          << '\n';
    }
  }
  void write_pairs(const std::string& name, std::size_t count) {
    const char* labels[] = {"contradiction", "neutral", "entailment"};
    std::ofstream out = open("snli/" + name + ".tsv");
    out << "label\tpremise\thypothesis\n";
    for (std::size_t i = 0; i < count; ++i) {
      out << labels[i % 3] << '\t' << said(2, 6) << '\t' << said((i + 1) % 3, 5) << '\n';
    }
  }

  test::TemporaryFolder folder_;
  Rng rng_ = Rng::seeded_not_private(1);
};

}  // namespace sotto::lab::gumbel
