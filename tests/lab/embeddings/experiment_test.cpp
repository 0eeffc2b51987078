#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "lab/embeddings/adaptation.h"
#include "lab/embeddings/levels.h"
#include "lab/embeddings/report.h"

namespace sotto::lab::embeddings {
namespace {

namespace fs = std::filesystem;
using sotto::test::contents;
using ::testing::HasSubstr;

constexpr std::size_t kWords = 40;

std::string word(std::size_t i) {
  return std::string("w") + static_cast<char>('a' + i / 20) + static_cast<char>('a' + i % 20);
}

// Words 0 to 9 are said by who liked the film, 10 to 19 by who did not. The second embedding has three times
// the distances of the first and lacks the last word.
class EmbeddingsExperiment : public ::testing::Test {
 protected:
  EmbeddingsExperiment() {
    const fs::path data = folder_.path() / "data";
    for (const char* name : {"imdb", "embeddings", "opinion_lexicon"}) fs::create_directories(data / name);
    std::vector<std::string> words;
    std::vector<float> vectors;
    std::ofstream other(data / "embeddings/word2vec.GoogleNews.300d_8k.vec");
    other << kWords - 1 << " 3\n";
    for (std::size_t i = 0; i < kWords; ++i) {
      words.push_back(word(i));
      const float group = i < 10 ? 5.0F : i < 20 ? -5.0F : 0.0F;
      const float vector[] = {group + 1.0F, static_cast<float>(i) * 0.1F, static_cast<float>(i % 3)};
      vectors.insert(vectors.end(), std::begin(vector), std::end(vector));
      if (i + 1 == kWords) continue;
      other << word(i) << ' ' << 3 * vector[0] << ' ' << 3 * vector[1] << ' ' << 3 * vector[2] << '\n';
    }
    other.close();
    Model::from_words(words, vectors, 3)->save(folder_.path() / "m.sotto", Model::Existing::refuse);
    std::ofstream positive(data / "opinion_lexicon/positive-words.txt");
    std::ofstream negative(data / "opinion_lexicon/negative-words.txt");
    for (std::size_t i = 0; i < 10; ++i) positive << word(i) << '\n';
    for (std::size_t i = 10; i < 20; ++i) negative << word(i) << '\n';
    Rng rng = Rng::seeded_not_private(1);
    for (const char* part : {"train", "test"}) {
      std::ofstream out(data / "imdb" / (std::string("imdb_") + part + ".tsv"));
      out << "id\tlabel\trating\tjia_split\ttext\n";
      for (std::size_t i = 0; i < 120; ++i) {
        out << i << '\t' << i % 2 << "\t5\ttrain\t";
        for (int j = 0; j < 12; ++j) {
          const std::size_t own = (i % 2 == 1 ? 0 : 10) + uniform_below(rng, 10);
          out << word(j % 3 == 0 ? own : 20 + uniform_below(rng, 20)) << ' ';
        }
        out << '\n';
      }
    }
  }

  [[nodiscard]] RunRequest request(const char* output) const {
    return {.data = folder_.path() / "data",
            .output = folder_.path() / output,
            .model = folder_.path() / "m.sotto",
            .threads = 2,
            .seed = 3};
  }
  static Settings settings() {
    Settings out = settings_of({.extent = Extent::quick});
    out.groups = {{.name = "two", .embeddings = {"glove-100", "word2vec-300"}}};
    out.curves = {{.places = {.mechanism = "tem",
                              .strength = gumbel::Curve::Strength::epsilon,
                              .strengths = {0.3, 0.9, 2.7}},
                   .takes_metric = true},
                  {.places = {.mechanism = "laplace",
                              .strength = gumbel::Curve::Strength::epsilon,
                              .strengths = {0.9}}},
                  {.places = {.mechanism = "gumbel-topk",
                              .strength = gumbel::Curve::Strength::inverse_scale,
                              .strengths = {1}}}};
    out.draws = 3000;
    out.errors = {0.5};
    out.losses = {4};
    out.half = 60;
    out.epochs = 10;
    out.batch = 4;
    out.adaptation_words = kWords;
    return out;
  }
  [[nodiscard]] Points points(const char* output, const char* name, Points::Layout layout) const {
    return {folder_.path() / output / name, std::move(layout)};
  }

  sotto::test::TemporaryFolder folder_;
};

TEST_F(EmbeddingsExperiment, FillsItsFolder) {
  run_experiment(request("out"), settings());
  const Points laws = points("out", "laws.csv", laws_layout());
  EXPECT_EQ(laws.rows().size(), 2 * 5U + 3U);  // two embeddings, and tem in the other metric
  const auto at = [&](const char* embedding, const char* epsilon, const char* column) {
    const auto row = laws.find(std::vector<std::string>{"two", embedding, "euclidean", "tem", epsilon});
    return row ? row->values[laws.value(column)] : std::nan("");
  };
  // Three times the distances at a third of the epsilon is the same law: what does not depend on the unit of
  // distance is equal, and the certificate is a third. (gamma depends on epsilon in the same way.)
  for (const char* column : {"e_opt", "flipped", "not_kept", "n_w", "s_w"}) {
    EXPECT_NEAR(at("glove-100", "0.9", column), at("word2vec-300", "0.3", column), 1e-5) << column;
  }
  EXPECT_NEAR(at("glove-100", "0.9", "certified_loss"), at("word2vec-300", "0.3", "certified_loss"), 1e-5);
  EXPECT_NEAR(at("glove-100", "0.9", "certified_epsilon"), 3 * at("word2vec-300", "0.3", "certified_epsilon"),
              1e-5);
  const Points levels = points("out", "levels.csv", levels_layout());
  EXPECT_EQ(levels.rows().size(), 3 * 2U);
  for (const Points::Row& row : levels.rows()) {
    ASSERT_EQ(row.values[levels.value("reached")], 1);
    if (row.keys[3] == kByError) {
      EXPECT_NEAR(row.values[levels.value("e_opt")], 0.5, 0.001);
    } else {
      EXPECT_NEAR(row.values[levels.value("certified_loss")], 4, 0.01);
    }
  }
  EXPECT_EQ(points("out", "accuracy.csv", accuracy_layout()).rows().size(), 2 * (1 + 3 * 2U));
  EXPECT_EQ(points("out", "adaptation.csv", adaptation_layout()).rows().size(), 2 * 3U);
  EXPECT_EQ(points("out", "betrayal.csv", betrayal_layout()).rows().size(), 2 * 3 * 2U);
  for (const char* file : {"two-eopt-epsilon.svg", "two-eopt-loss.svg", "two-polarity-eopt.svg",
                           "two-range.svg", "adaptation.svg"}) {
    EXPECT_THAT(contents(folder_.path() / "out" / file), HasSubstr("</svg>")) << file;
  }
  EXPECT_THAT(contents(folder_.path() / "out/tables.md"), HasSubstr("| glove-100 angular |"));
}

TEST_F(EmbeddingsExperiment, AStoppedRunGoesOnToTheSameRows) {
  run_experiment(request("whole"), settings());
  fs::create_directory(folder_.path() / "stopped");
  const char* const tables[] = {"spaces.csv",   "laws.csv",       "levels.csv",
                                "accuracy.csv", "adaptation.csv", "betrayal.csv"};
  fs::copy_file(folder_.path() / "whole/run.json", folder_.path() / "stopped/run.json");
  for (const char* name : tables) {
    std::string text = contents(folder_.path() / "whole" / name);
    text.resize(text.size() / 2);  // as a kill leaves it
    std::ofstream(folder_.path() / "stopped" / name) << text;
  }
  run_experiment(request("stopped"), settings());
  const auto sorted = [&](const char* output, const char* name) {
    std::istringstream lines(contents(folder_.path() / output / name));
    std::vector<std::string> out;
    for (std::string line; std::getline(lines, line);) out.push_back(line);
    std::ranges::sort(out);
    return out;
  };
  for (const char* name : tables) EXPECT_EQ(sorted("stopped", name), sorted("whole", name)) << name;
}

TEST(ReadOff, FollowsStraightLinesAndStopsAtTheEnds) {
  const std::vector<CurvePoint> curve = {{4, 40}, {1, 10}, {std::nan(""), 1}, {2, 30}};
  EXPECT_EQ(read_off(curve, 1.5), 20);
  EXPECT_EQ(read_off(curve, 3), 35);
  EXPECT_EQ(read_off(curve, 4), 40);
  EXPECT_FALSE(read_off(curve, 0.9));
  EXPECT_FALSE(read_off(curve, 4.1));
}

// Two halves of two documents each. Word 3 is in one document of the first half only, words 4 and 5 in one of
// the second half only.
class Evidences : public ::testing::Test {
 protected:
  Evidences() {
    for (const std::vector<std::size_t>& words :
         {std::vector<std::size_t>{0, 1, 3}, {0, 2}, {0, 1, 4}, {0, 2, 5}}) {
      std::vector<WordId> ids;
      for (const std::size_t w : words) ids.push_back(word_id(w));
      bags_.add(ids, 1);
    }
  }
  Bags bags_;
  Halves halves_{.first = {0, 1}, .second = {2, 3}};
};

TEST_F(Evidences, RareWordsAreInOneDocumentOfOneHalf) {
  const RareWords rare = rare_words(bags_, halves_, 7);
  EXPECT_THAT(rare.in, ::testing::ElementsAre(word_id(3)));
  EXPECT_THAT(rare.out, ::testing::ElementsAre(word_id(4), word_id(5)));
}

TEST_F(Evidences, AttacksOrderWordsAndDocumentsByTheEvidence) {
  const Evidence perfect = {1, 1, 1, 1, 0, 0, 0};
  const RareWords rare = rare_words(bags_, halves_, 7);
  EXPECT_EQ(word_attack(perfect, rare), 1);
  EXPECT_EQ(document_attack(perfect, bags_, halves_), 1);
  const Evidence none(7, 1.0F);
  EXPECT_EQ(word_attack(none, rare), 0.5);
  EXPECT_EQ(document_attack(none, bags_, halves_), 0.5);
  EXPECT_THAT(document_counts(bags_, 7), ::testing::ElementsAre(4, 2, 2, 1, 1, 1, 0));
}

TEST(MovedWords, AreThoseWhoseDistancesToAllProbesChanged) {
  const std::vector<std::string> words = {"wa", "wb", "wc", "wd", "we"};
  const std::vector<float> before = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0};
  std::vector<float> after = before;
  after[1] = 0.5F;  // word 0
  after[7] = 0.7F;  // word 3, a probe
  const auto evidence =
      moved_words(Model::from_words(words, before, 2), Model::from_words(words, after, 2), 2);
  // Word 4 is a probe itself, and the only other probe has moved: few probes take it for a moved word.
  EXPECT_THAT(evidence, ::testing::ElementsAre(1, 0, 0, 1, 1));
}

}  // namespace
}  // namespace sotto::lab::embeddings
