#pragma once
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "lab/run.h"
#include "sotto/model.h"

namespace sotto::lab {

// A data folder in the layout of the lab, with a model m.sotto beside it, small enough for a test. Words 0 to
// 9 are said by who liked the film, 10 to 19 by who did not; the others say nothing.
class SmallData {
 public:
  static std::string word(std::size_t i) {
    return std::string("w") + static_cast<char>('a' + i / 20) + static_cast<char>('a' + i % 20);
  }
  // 1 for the words of who liked the film, -1 for those of who did not, 0 for the others.
  static float side(std::size_t i) { return i < 10 ? 1.0F : i < 20 ? -1.0F : 0.0F; }

  SmallData(std::size_t words, const std::function<std::vector<float>(std::size_t)>& vector_of)
      : words_(words) {
    std::vector<std::string> texts;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < words; ++i) {
      texts.push_back(word(i));
      const std::vector<float> vector = vector_of(i);
      vectors.insert(vectors.end(), vector.begin(), vector.end());
    }
    Model::from_words(texts, vectors, vectors.size() / words)->save(model(), Model::Existing::refuse);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path data() const { return path() / "data"; }
  [[nodiscard]] std::filesystem::path model() const { return path() / "m.sotto"; }
  // A new file of the data folder.
  [[nodiscard]] std::ofstream open(const std::string& name) const {
    std::filesystem::create_directories((data() / name).parent_path());
    return std::ofstream(data() / name);
  }
  // Every `step`-th word is one of who liked the film (label 1) or did not (label 0), the others say nothing.
  // With another label no word says anything.
  std::string said(std::size_t label, std::size_t length, std::size_t step) {
    std::string text;
    for (std::size_t j = 0; j < length; ++j) {
      const std::size_t own = (label == 1 ? 0 : 10) + uniform_below(rng_, 10);
      text += word(j % step == 0 && label < 2 ? own : 20 + uniform_below(rng_, words_ - 20));
      text += ' ';
    }
    return text;
  }
  // imdb_<part>.tsv: labels 0 and 1 by turns, one review in five for development.
  void write_reviews(const std::string& part, std::size_t count, std::size_t length, std::size_t step) {
    std::ofstream out = open("imdb/imdb_" + part + ".tsv");
    out << "id\tlabel\trating\tjia_split\ttext\n";
    for (std::size_t i = 0; i < count; ++i) {
      out << i << '\t' << i % 2 << "\t5\t" << (i % 5 == 0 ? "dev" : "train") << '\t'
          << said(i % 2, length, step) << '\n';
    }
  }
  // The opinion lexicon: the words of both sides.
  void write_lexicon() const {
    std::ofstream positive = open("opinion_lexicon/positive-words.txt");
    std::ofstream negative = open("opinion_lexicon/negative-words.txt");
    for (std::size_t i = 0; i < 10; ++i) {
      positive << word(i) << '\n';
      negative << word(i + 10) << '\n';
    }
  }

 private:
  test::TemporaryFolder folder_;
  std::size_t words_;
  Rng rng_ = Rng::seeded_not_private(1);
};

}  // namespace sotto::lab
