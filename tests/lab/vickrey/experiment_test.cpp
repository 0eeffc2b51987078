#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "lab/vickrey/lstm.h"
#include "lab/vickrey/task.h"
#include "lab/vickrey/world.h"

namespace sotto::lab::vickrey {
namespace {

namespace fs = std::filesystem;
using sotto::test::contents;
using ::testing::HasSubstr;

class VickreyExperiment : public ::testing::Test {
 protected:
  // Without the seconds, in the order of their keys.
  [[nodiscard]] std::vector<Points::Row> privacy_rows(const char* output) const {
    const Points points(world_.path() / output / "privacy.csv", privacy_layout());
    std::vector<Points::Row> rows = points.rows();
    for (Points::Row& row : rows) {
      row.values.resize(points.value("seconds"));
      // NaN is not equal to itself.
      for (double& value : row.values) value = std::isnan(value) ? -1 : value;
    }
    std::ranges::sort(rows, {}, &Points::Row::keys);
    return rows;
  }
  [[nodiscard]] std::vector<Points::Row> task_rows(const char* output) const {
    std::vector<Points::Row> rows = Points(world_.path() / output / "tasks.csv", tasks_layout()).rows();
    std::ranges::sort(rows, {}, &Points::Row::keys);
    return rows;
  }
  [[nodiscard]] double task_value(const char* output, const std::vector<std::string>& keys,
                                  const char* column) const {
    const Points points(world_.path() / output / "tasks.csv", tasks_layout());
    const auto row = points.find(keys);
    return row ? row->values[points.value(column)] : -1;
  }

  SmallWorld world_;
};

TEST_F(VickreyExperiment, FillsItsFolder) {
  run_experiment(world_.request("out"), SmallWorld::settings());
  // Product Reviews: 17 curves of spherical noise and 2 of mahalanobis at two epsilons, and laplace at a
  // third one; two tasks with 7 curves at two epsilons.
  EXPECT_EQ(privacy_rows("out").size(), 2U * 19 + 1 + 2 * 7 * 2);
  // Two tasks with 7 curves at two epsilons and the clear text; 5 curves retrained.
  EXPECT_EQ(task_rows("out").size(), 2U * (7 * 2 + 1) + 5);
  const Points tasks(world_.path() / "out/tasks.csv", tasks_layout());
  for (const Points::Row& row : tasks.rows()) {
    // A difference may be negative: its interval is not cut at 0.
    const auto cell = [&](const char* column) { return row.values[tasks.value(column)]; };
    EXPECT_NEAR(cell("added_low") + cell("added_high"), 2 * cell("added_loss"), 1e-9);
  }
  for (const char* name :
       {"figure1-laplace", "figure1-vickrey", "products-glove-error", "products-glove-frontier",
        "products-glove-posterior", "products-glove-figure3-error", "products-glove-figure3-frontier",
        "products-glove-as-printed-error", "imdb-glove-error", "imdb-glove-frontier", "twitter-glove-error",
        "twitter-glove-frontier", "twitter-glove-retrained"}) {
    EXPECT_THAT(contents(world_.path() / "out" / (std::string(name) + ".svg")), HasSubstr("</svg>")) << name;
  }
  const std::string tables = contents(world_.path() / "out/tables.md");
  for (const char* text :
       {"## products, glove", "## imdb, glove", "Algorithm 2 as printed", "| mahalanobis 1 |",
        "L by what the model was trained on", "L without redaction"}) {
    EXPECT_THAT(tables, HasSubstr(text));
  }
  // The texts are separable, words stay at epsilon 50, and hardly at 0.5.
  EXPECT_LT(task_value("out", {"imdb", kGlove, kClean, kNoRedaction, "none"}, "loss"), 0.1);
  EXPECT_LT(task_value("out", {"imdb", kGlove, kClean, "laplace", "50"}, "loss"), 0.15);
  EXPECT_LT(task_value("out", {"imdb", kGlove, kClean, "laplace", "50"}, "changed"), 0.2);
  EXPECT_GT(task_value("out", {"imdb", kGlove, kClean, "laplace", "0.5"}, "changed"), 0.5);
  EXPECT_GT(task_value("out", {"imdb", kGlove, kClean, "laplace", "0.5"}, "loss"), 0.15);
}

TEST_F(VickreyExperiment, AStoppedRunGoesOnToTheSameRows) {
  const auto run = [&](const char* output) {
    RunRequest request = world_.request(output);
    request.parts = {"products", "imdb"};
    run_experiment(request, SmallWorld::settings());
  };
  run("whole");
  fs::create_directory(world_.path() / "stopped");
  for (const char* name : {"run.json", "privacy.csv", "tasks.csv"}) {
    std::string text = contents(world_.path() / "whole" / name);
    // As a kill leaves it: half of the lines, and a part of the next one.
    if (std::string_view(name).ends_with(".csv")) text.resize(text.size() / 2);
    std::ofstream(world_.path() / "stopped" / name) << text;
  }
  run("stopped");
  EXPECT_EQ(privacy_rows("stopped"), privacy_rows("whole"));
  EXPECT_EQ(task_rows("stopped"), task_rows("whole"));
}

TEST_F(VickreyExperiment, WordsOutsideTheCounterfittedListAreNeverChanged) {
  Settings settings = SmallWorld::settings();
  const lab::Run run(world_.request("out"), "vickrey", record_of(settings));
  const Task task = load_task(run, settings.tasks[1], kGlove, run.model());
  // Of 40 words 30 have a substitute; the 31st is listed without one.
  EXPECT_EQ(task.domain.model->size(), 30U);
  const Redactable tokens = redactable(task.test, task.domain);
  ASSERT_GT(tokens.words.size(), 0U);
  ASSERT_LT(tokens.words.size(), task.test.words.size());
  // Every word of the domain becomes the next one: nothing stays that may change.
  std::vector<WordId> outputs;
  for (const WordId in : tokens.words) outputs.push_back(word_id((index_of(in) + 1) % 30));
  const Texts out = redacted(task.test, task.domain, tokens, outputs);
  EXPECT_EQ(out.ends, task.test.ends);
  EXPECT_EQ(out.labels, task.test.labels);
  for (std::size_t i = 0; i < out.words.size(); ++i) {
    const std::string before(run.model()->word(word_id(static_cast<std::size_t>(task.test.words[i]))));
    const std::string after(run.model()->word(word_id(static_cast<std::size_t>(out.words[i]))));
    const bool is_listed = before < SmallWorld::word(30);
    EXPECT_EQ(before != after, is_listed) << before;
    if (is_listed) {
      EXPECT_LT(after, SmallWorld::word(30));
    }
  }
}

TEST(TextLstm, LearnsWhatOnlyTheOrderOfWordsTells) {
  // Class 1: "wab waa", class 0: "waa wab", among three other words. A bag of words cannot tell them apart.
  const auto model = Model::from_words({"waa", "wab", "wac"}, {1, 0, 0, 1, -1, -1}, 2);
  Rng rng = Rng::seeded_not_private(5);
  const auto make = [&](std::size_t count) {
    Texts texts;
    for (std::size_t i = 0; i < count; ++i) {
      const auto label = static_cast<std::uint8_t>(i % 2);
      const std::size_t before = uniform_below(rng, 4);
      texts.words.insert(texts.words.end(), before, 2);
      texts.words.push_back(label == 1 ? 1 : 0);
      texts.words.push_back(label == 1 ? 0 : 1);
      texts.words.insert(texts.words.end(), 3 - before, i % 3 == 0 ? Texts::kUnknown : 2);
      texts.ends.push_back(texts.words.size());
      texts.labels.push_back(label);
    }
    texts.ends.push_back(texts.words.size());  // an empty text
    texts.labels.push_back(0);
    return texts;
  };
  TextLstm lstm(model, {.hidden = 8, .epochs = 25, .batch = 16, .learning_rate = 0.02, .seed = 1});
  lstm.train(make(200));
  const Texts test = make(100);
  const std::vector<float> scores = lstm.scores(test);
  ASSERT_EQ(scores.size(), 101U);
  int right = 0;
  for (std::size_t i = 0; i < 100; ++i) right += (scores[i] > 0) == (test.labels[i] == 1) ? 1 : 0;
  EXPECT_GE(right, 95);
  // The same seed gives the same model.
  TextLstm first(model, {.hidden = 4, .epochs = 1, .seed = 2});
  TextLstm second(model, {.hidden = 4, .epochs = 1, .seed = 2});
  first.train(test);
  second.train(test);
  EXPECT_EQ(first.scores(test), second.scores(test));
}

TEST(VickreySettings, TheFullRunHasThePapersCurves) {
  const Settings full = settings_of({});
  EXPECT_EQ(full.vectors.front(), kGlove);
  EXPECT_EQ(full.product_epsilons.back(), 100);
  EXPECT_EQ(full.task_epsilons.back(), 100);
  EXPECT_EQ(groups(Curves::figure2).size(), 3U);
  EXPECT_EQ(groups(Curves::figure2).front().series.size(), 5U);  // laplace and four t
}

}  // namespace
}  // namespace sotto::lab::vickrey
