#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "lab/gumbel/adversarial.h"
#include "lab/gumbel/settings.h"
#include "lab/gumbel/small_world.h"

namespace sotto::lab::gumbel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

std::string contents(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

class GumbelExperiment : public ::testing::Test {
 protected:
  Settings settings(const char* output) const {
    Settings settings = settings_of(world_.request(output));
    for (TaskSizes& task : settings.tasks) {
      task.attacked = 6;
      task.hidden = 8;
      task.batch = 4;
      task.normal_epochs = task.data == "imdb" ? 20 : 3;
      task.certified_epochs = 3;
      task.ramp = 2;
      task.augmented_epochs = 1;
    }
    settings.table2 = {0, 14, 38};
    settings.table3 = {9};
    settings.beyond = {0};
    return settings;
  }
  void run(const char* output) { run_experiment(world_.request(output), settings(output)); }
  // Rows of a table without the seconds, which its last columns have.
  [[nodiscard]] std::vector<Points::Row> rows(const std::string& file, Points::Layout layout,
                                              std::size_t timed) const {
    std::vector<Points::Row> rows = Points(world_.path(file.c_str()), std::move(layout)).rows();
    for (Points::Row& row : rows) row.values.resize(row.values.size() - timed);
    std::ranges::sort(rows, {}, &Points::Row::keys);
    return rows;
  }
  // NaN stands for "none" in some cells, and equals nothing.
  static std::string text_of(const std::vector<Points::Row>& rows) {
    std::ostringstream out;
    out.precision(12);
    for (const Points::Row& row : rows) {
      for (const std::string& key : row.keys) out << key << ' ';
      for (const double value : row.values) out << value << ' ';
      out << '\n';
    }
    return out.str();
  }

  SmallWorld world_;
};

TEST_F(GumbelExperiment, FillsItsFolderAndAStoppedRunGoesOnToTheSameRows) {
  run("whole");
  const std::string models = text_of(rows("whole/models.csv", models_layout(), 2));
  const std::string attacks = text_of(rows("whole/attacks.csv", attacks_layout(), 1));
  // Two data sets; normal, certified and one augmented model for each column.
  EXPECT_GE(std::ranges::count(models, '\n'), 2 * (2 + 3));
  const std::string tables = contents(world_.path("whole/tables.md"));
  for (const char* text : {"## Table 1", "Table 2 on imdb", "Table 3 on snli", "## Membership inference",
                           "lemma 1: at most", "| 35.30 |"}) {
    EXPECT_THAT(tables, HasSubstr(text));
  }
  // Column 14 attacks the models, but none is trained on its copies.
  EXPECT_THAT(tables, HasSubstr("| not trained |"));
  EXPECT_THAT(attacks, HasSubstr("imdb certified none none truncated-gumbel 14 8 "));
  EXPECT_THAT(attacks, HasSubstr("imdb certified none none truncated-gumbel 14 1 "));
  EXPECT_THAT(models, Not(HasSubstr("truncated-gumbel 14 ")));
  EXPECT_THAT(contents(world_.path("whole/figure-2-imdb.svg")), HasSubstr("</svg>"));
  EXPECT_THAT(contents(world_.path("whole/attack-snli-augmented.svg")), HasSubstr("</svg>"));

  // Training learns; more noise changes more words; no attack makes a text right.
  const Points trained(world_.path("whole/models.csv"), models_layout());
  const auto normal = trained.find(std::vector<std::string>{"imdb", "normal", "none", "none"});
  ASSERT_TRUE(normal);
  EXPECT_GT(normal->values[trained.value("clean")], 0.85);
  const auto kept = trained.find(std::vector<std::string>{"imdb", "augmented", "truncated-gumbel", "38"});
  const auto changed = trained.find(std::vector<std::string>{"imdb", "augmented", "truncated-gumbel", "0"});
  ASSERT_TRUE(kept && changed);
  EXPECT_GT(kept->values[trained.value("unchanged")], changed->values[trained.value("unchanged")]);
  const Points attacked(world_.path("whole/attacks.csv"), attacks_layout());
  for (const Points::Row& row : attacked.rows()) {
    EXPECT_LE(row.values[attacked.value("adversarial")], row.values[attacked.value("clean")]);
  }

  // As a kill leaves it: half of the lines, a part of the next one, and one model's weights lost.
  fs::create_directory(world_.path("stopped"));
  for (const auto& entry : fs::directory_iterator(world_.path("whole"))) {
    std::string text = contents(entry.path());
    if (entry.path().extension() == ".csv") text.resize(text.size() / 2);
    if (entry.path().filename() == "weights-snli-normal-none-none.bin") continue;
    std::ofstream(world_.path("stopped") / entry.path().filename(), std::ios::binary) << text;
  }
  run("stopped");
  EXPECT_EQ(text_of(rows("stopped/models.csv", models_layout(), 2)), models);
  EXPECT_EQ(text_of(rows("stopped/attacks.csv", attacks_layout(), 1)), attacks);
}

TEST(GumbelSettings, TheFullRunHasTheColumnsOfThePaper) {
  const Settings full = settings_of({.extent = Extent::full});
  EXPECT_EQ(full.table2, (std::vector<double>{0, 14, 23, 38, 62}));
  EXPECT_EQ(full.table3, (std::vector<double>{9, 40, 80, 150, 200}));
  EXPECT_EQ(full.copies, 4U);
  EXPECT_EQ(full.draws, (std::vector<std::size_t>{8, 1}));
  EXPECT_GE(full.beyond.size(), 3U);
  for (const TaskSizes& task : full.tasks) {
    EXPECT_EQ(task.attacked, task.data == "imdb" ? 200U : 1000U);
    EXPECT_GE(task.trained.table2.size(), 3U);
    EXPECT_GE(task.trained.table3.size(), 3U);
    EXPECT_GE(task.trained.beyond.size(), 2U);
  }
}

}  // namespace
}  // namespace sotto::lab::gumbel
