#pragma once
#include "lab/small_data.h"

namespace sotto::lab::gumbel {

// Small data of 60 words: reviews, and pairs of SNLI. Hypotheses that follow have the words of who liked the
// film, neutral ones those of who did not.
class SmallWorld : private SmallData {
 public:
  static constexpr std::size_t kWords = 60;
  using SmallData::word;

  SmallWorld()
      : SmallData(kWords, [](std::size_t i) -> std::vector<float> {
          return {3 * side(i), static_cast<float>(i) * 0.11F, static_cast<float>(i % 7) * 0.5F,
                  static_cast<float>(i % 5) * 0.4F};
        }) {
    write_reviews("train", 120, 12, 2);
    write_reviews("test", 60, 12, 2);
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
    return {.data = data(),
            .output = path(output),
            .model = model(),
            .extent = Extent::quick,
            .threads = 1,
            .seed = 5,
            .parts = std::move(parts)};
  }
  [[nodiscard]] std::filesystem::path path(const char* name) const { return SmallData::path() / name; }

 private:
  void write_pairs(const std::string& name, std::size_t count) {
    const char* labels[] = {"contradiction", "neutral", "entailment"};
    std::ofstream out = open("snli/" + name + ".tsv");
    out << "label\tpremise\thypothesis\n";
    for (std::size_t i = 0; i < count; ++i) {
      out << labels[i % 3] << '\t' << said(2, 6, 2) << '\t' << said((i + 1) % 3, 5, 2) << '\n';
    }
  }
};

}  // namespace sotto::lab::gumbel
