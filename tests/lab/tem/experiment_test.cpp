#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "lab/tem/results.h"
#include "lab/tem/settings.h"
#include "sotto/error.h"

namespace sotto::lab {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::size_t kWords = 40;

// Words 0 to 9 are said by who liked the film, 10 to 19 by who did not; their vectors lie apart.
std::string word(std::size_t i) {
  return std::string("w") + static_cast<char>('a' + i / 20) + static_cast<char>('a' + i % 20);
}

std::string contents(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

class TemExperiment : public ::testing::Test {
 protected:
  TemExperiment() {
    Rng rng = Rng::seeded_not_private(1);
    std::vector<std::string> words;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < kWords; ++i) {
      words.push_back(word(i));
      const float group = i < 10 ? 5.0F : i < 20 ? -5.0F : 0.0F;
      vectors.insert(vectors.end(), {group, static_cast<float>(i) * 0.1F, static_cast<float>(i % 3)});
    }
    Model::from_words(words, vectors, 3)->save(folder_.path() / "m.sotto", Model::Existing::refuse);
    fs::create_directories(folder_.path() / "data/imdb");
    for (const char* part : {"train", "test"}) {
      std::ofstream out(folder_.path() / "data/imdb" / (std::string("imdb_") + part + ".tsv"));
      out << "id\tlabel\trating\tjia_split\ttext\n";
      for (std::size_t i = 0; i < 200; ++i) {
        out << i << '\t' << i % 2 << "\t5\ttrain\t";
        for (int j = 0; j < 12; ++j) {
          const std::size_t own = (i % 2 == 1 ? 0 : 10) + uniform_below(rng, 10);
          out << word(j % 3 == 0 ? own : 20 + uniform_below(rng, 20)) << (j % 5 == 0 ? "<br />" : " ");
        }
        out << '\n';
      }
    }
  }

  [[nodiscard]] RunRequest request(const char* output, unsigned threads = 2) const {
    return {.data = folder_.path() / "data",
            .output = folder_.path() / output,
            .model = folder_.path() / "m.sotto",
            .threads = threads,
            .seed = 3};
  }
  static TemSettings settings() {
    TemSettings settings = tem_settings(Extent::quick);
    settings.epochs = 15;
    settings.half = 60;
    settings.batch = 4;
    settings.draws = 2000;
    for (TemSeries& series : settings.series) {
      if (!series.is_baseline()) series.epsilons = {0.2, 20};
    }
    return settings;
  }
  // Rows of points.csv without the seconds, in the order of their keys.
  [[nodiscard]] std::vector<Points::Row> rows(const char* output) const {
    const Points points(folder_.path() / output / "points.csv", tem_points_layout());
    std::vector<Points::Row> rows = points.rows();
    for (Points::Row& row : rows) row.values.resize(points.value("seconds_privatising"));
    std::ranges::sort(rows, {}, &Points::Row::keys);
    return rows;
  }
  [[nodiscard]] double mean(const char* output, const std::string& series, const std::string& epsilon,
                            const char* column) const {
    const Points points(folder_.path() / output / "points.csv", tem_points_layout());
    double sum = 0;
    double count = 0;
    for (const Points::Row& row : points.rows()) {
      if (row.keys[0] != series || row.keys[1] != epsilon) continue;
      sum += row.values[points.value(column)];
      ++count;
    }
    return sum / count;
  }

  test::TemporaryFolder folder_;
};

TEST_F(TemExperiment, FillsItsFolder) {
  run_tem(request("out"), settings());
  EXPECT_EQ(rows("out").size(), 2 * (4 * 2 + 3U));
  for (const char* file : {"figure-1a.svg", "figure-1b.svg", "accuracy-median.svg", "auc.svg",
                           "accuracy-certified.svg", "accuracy-eopt.svg", "attack-eopt.svg"}) {
    EXPECT_THAT(contents(folder_.path() / "out" / file), HasSubstr("</svg>")) << file;
  }
  const std::string tables = contents(folder_.path() / "out/tables.md");
  for (const char* text : {"| identity |", "| redact |", "At equal certified epsilon", "At equal empirical",
                           "| unchanged, rank prior | unchanged, reviews |", "1 / (rank + 2.7)"}) {
    EXPECT_THAT(tables, HasSubstr(text));
  }
  // Words stay at a large epsilon, and say nothing at a small one.
  EXPECT_GT(mean("out", "identity", "none", "auc"), 0.95);
  EXPECT_GT(mean("out", "tem paper", "20", "auc"), 0.95);
  EXPECT_GT(mean("out", "laplace", "20", "auc"), 0.95);
  EXPECT_EQ(mean("out", "identity", "none", "unchanged"), 1);
  EXPECT_EQ(mean("out", "redact", "none", "unchanged"), 0);  // its token stands for every word
  EXPECT_LT(mean("out", "uniform", "none", "unchanged"), 0.1);
  EXPECT_LT(mean("out", "tem paper", "0.2", "unchanged"), 0.3);
}

TEST_F(TemExperiment, AStoppedRunGoesOnToTheSameRows) {
  run_tem(request("whole"), settings());
  // As a kill leaves it: a third of the lines, and half of the next one.
  fs::create_directory(folder_.path() / "stopped");
  for (const char* name : {"run.json", "mechanisms.csv", "points.csv"}) {
    std::string text = contents(folder_.path() / "whole" / name);
    if (std::string_view(name).ends_with(".csv")) text.resize(text.size() / 3);
    std::ofstream(folder_.path() / "stopped" / name) << text;
  }
  const std::string kept = contents(folder_.path() / "stopped/points.csv");
  run_tem(request("stopped"), settings());
  EXPECT_EQ(rows("stopped"), rows("whole"));
  // What was there was not computed again.
  EXPECT_TRUE(contents(folder_.path() / "stopped/points.csv").starts_with(kept.substr(0, kept.rfind('\n'))));
}

TEST_F(TemExperiment, DoesNotDependOnTheNumberOfThreads) {
  TemSettings fewer = settings();
  std::erase_if(fewer.series, [](const TemSeries& series) { return series.name != "tem paper"; });
  run_tem(request("one", 1), fewer);
  run_tem(request("three", 3), fewer);
  EXPECT_EQ(rows("one"), rows("three"));
}

TEST_F(TemExperiment, MoreTrialsGoOnWhereFewerEnded) {
  TemSettings fewer = settings();
  std::erase_if(fewer.series, [](const TemSeries& series) { return series.name != "uniform"; });
  run_tem(request("out"), fewer);
  const std::vector<Points::Row> before = rows("out");
  fewer.trials += 1;
  run_tem(request("out"), fewer);
  const std::vector<Points::Row> after = rows("out");
  ASSERT_EQ(after.size(), before.size() + 1);
  EXPECT_TRUE(std::ranges::equal(before, std::span(after).first(before.size())));
}

TEST_F(TemExperiment, PartsMeasureTheirPlacesAndTheReportHasAll) {
  TemSettings some = settings();
  some.trials = 1;
  some.parts = {"baselines", "paper:20"};
  run_tem(request("out"), some);
  EXPECT_EQ(rows("out").size(), 3 + 1U);
  some.parts = {"paper"};
  run_tem(request("out"), some);
  EXPECT_EQ(rows("out").size(), 3 + 2U);
  const std::string tables = contents(folder_.path() / "out/tables.md");
  for (const char* text : {"| identity |", "| tem paper | 0.2 |", "| tem paper | 20 |", " 1 trials,"}) {
    EXPECT_THAT(tables, HasSubstr(text));
  }
  some.trials = 2;
  run_tem(request("out"), some);
  EXPECT_THAT(contents(folder_.path() / "out/tables.md"), HasSubstr(" 1 to 2 trials,"));
}

TEST_F(TemExperiment, CurvesAreReadOffTrialByTrial) {
  TemSettings two = settings();
  std::erase_if(two.series, [](const TemSeries& series) { return series.name != "laplace"; });
  two.series[0].epsilons = {1, 3};
  Points points(folder_.path() / "p.csv", tem_points_layout());
  Points mechanisms(folder_.path() / "m.csv", tem_mechanisms_layout());
  for (const char* epsilon : {"1", "3"}) {
    const double x = epsilon[0] - '0';
    mechanisms.add({.keys = {"laplace", epsilon}, .values = {x, 1 - x / 10, 0, 0, 0, 0, 0, 0, 0}});
    for (const char* trial : {"1", "2"}) {
      points.add(
          {.keys = {"laplace", epsilon, trial}, .values = {0, x + (trial[0] - '1'), 0, 0, 0, 0, 0, 0}});
    }
  }
  const TemResults results(two, {.points = points, .mechanisms = mechanisms});
  const auto at = [&](double x) {
    return results.read_off(two.series[0],
                            {.x_column = "certified_epsilon", .y_column = "accuracy_median", .x = x});
  };
  ASSERT_TRUE(at(1.5));
  EXPECT_NEAR(at(1.5)->mean, 2.0, 1e-12);
  EXPECT_NEAR(at(3)->mean, 3.5, 1e-12);
  EXPECT_FALSE(at(0.5));
  EXPECT_FALSE(at(3.5));
  EXPECT_NEAR(
      results.read_off(two.series[0], {.x_column = "e_opt", .y_column = "accuracy_median", .x = 0.8})->mean,
      2.5, 1e-12);
}

TEST(TemSettings, APartMayNameAnEpsilonOfItsOwn) {
  const TemSettings one = tem_settings(RunRequest{.trials = 5, .parts = {"paper:5.50"}});
  EXPECT_EQ(one.trials, 5U);
  const std::vector<TemPlace> places = wanted_places(one);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].series->name, "tem paper");
  EXPECT_EQ(places[0].epsilon, "5.5");
  EXPECT_TRUE(std::ranges::is_sorted(places[0].series->epsilons));
  // One that is there already is not added again.
  EXPECT_EQ(places_of(tem_settings(RunRequest{.parts = {"exact:2"}})).size(),
            places_of(tem_settings(Extent::full)).size());
  EXPECT_THROW(tem_settings(RunRequest{.parts = {"paper:0"}}), Error);
  EXPECT_THROW(tem_settings(RunRequest{.parts = {"paper:x"}}), Error);
}

TEST(TemSettings, TheFullRunIsThePapers) {
  const TemSettings full = tem_settings(Extent::full);
  EXPECT_EQ(full.half, 12'500U);
  EXPECT_EQ(full.epochs, 20U);
  EXPECT_EQ(full.batch, 64U);
  EXPECT_GE(full.trials, 3U);
  ASSERT_EQ(full.series.size(), 4 + 3U);
  for (const TemSeries& series : full.series) {
    if (!series.is_baseline()) {
      EXPECT_GE(series.epsilons.size(), 6U) << series.name;
    }
  }
}

}  // namespace
}  // namespace sotto::lab
