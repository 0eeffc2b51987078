#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "lab/embeddings/adaptation.h"
#include "lab/embeddings/levels.h"
#include "lab/embeddings/report.h"
#include "lab/small_data.h"

namespace sotto::lab::embeddings {
namespace {

namespace fs = std::filesystem;
using sotto::test::contents;
using ::testing::HasSubstr;

constexpr std::size_t kWords = 40;

std::string word(std::size_t i) {
  return SmallData::word(i);
}
std::vector<float> vector_of(std::size_t i) {
  return {5 * SmallData::side(i) + 1, static_cast<float>(i) * 0.1F, static_cast<float>(i % 3)};
}

// The second embedding has three times the distances of the first and lacks the last word.
class EmbeddingsExperiment : public ::testing::Test {
 protected:
  EmbeddingsExperiment() {
    std::ofstream other = data_.open("embeddings/word2vec.GoogleNews.300d_8k.vec");
    other << kWords - 1 << " 3\n";
    for (std::size_t i = 0; i + 1 < kWords; ++i) {
      other << word(i);
      for (const float x : vector_of(i)) other << ' ' << 3 * x;
      other << '\n';
    }
    data_.write_lexicon();
    data_.write_reviews("train", 120, 12, 3);
    data_.write_reviews("test", 120, 12, 3);
  }

  [[nodiscard]] RunRequest request(const char* output) const {
    return {.data = data_.data(),
            .output = data_.path() / output,
            .model = data_.model(),
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
    return {data_.path() / output / name, std::move(layout)};
  }

  SmallData data_{kWords, vector_of};
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
    EXPECT_THAT(contents(data_.path() / "out" / file), HasSubstr("</svg>")) << file;
  }
  EXPECT_THAT(contents(data_.path() / "out/tables.md"), HasSubstr("| glove-100 angular |"));
}

TEST_F(EmbeddingsExperiment, AStoppedRunGoesOnToTheSameRows) {
  run_experiment(request("whole"), settings());
  fs::create_directory(data_.path() / "stopped");
  const char* const tables[] = {"spaces.csv",   "laws.csv",       "levels.csv",
                                "accuracy.csv", "adaptation.csv", "betrayal.csv"};
  fs::copy_file(data_.path() / "whole/run.json", data_.path() / "stopped/run.json");
  for (const char* name : tables) {
    std::string text = contents(data_.path() / "whole" / name);
    text.resize(text.size() / 2);  // as a kill leaves it
    std::ofstream(data_.path() / "stopped" / name) << text;
  }
  run_experiment(request("stopped"), settings());
  const auto sorted = [&](const char* output, const char* name) {
    std::istringstream lines(contents(data_.path() / output / name));
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
