#include "lab/privemb/linear_model.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "sotto/error.h"
#include "sotto/rng.h"

namespace sotto::lab {
namespace {

constexpr std::size_t kDim = 7;

struct ToySet {
  std::vector<double> values;
  std::vector<int> labels;
  std::vector<std::uint32_t> rows;
};

// Classes as shifted clouds that overlap.
ToySet toy_set(const std::vector<int>& classes, std::size_t count, std::uint64_t seed) {
  Rng rng = Rng::seeded_not_private(seed);
  const auto uniform = [&rng] {
    return static_cast<double>(uniform_below(rng, 1'000'003)) / 1'000'003 - 0.5;
  };
  ToySet set;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t own = uniform_below(rng, classes.size());
    set.labels.push_back(classes[own]);
    for (std::size_t j = 0; j < kDim; ++j) set.values.push_back(uniform() + (j == own ? 0.4 : 0));
  }
  set.rows.resize(count);
  std::iota(set.rows.begin(), set.rows.end(), 0U);
  return set;
}

void write_set(const std::filesystem::path& path, const ToySet& set) {
  std::ofstream out(path);
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    out << set.labels[i];
    for (std::size_t j = 0; j < kDim; ++j) out << fmt::format(" {}:{:.17g}", j + 1, set.values[i * kDim + j]);
    out << '\n';
  }
}

std::vector<double> numbers_after(const std::filesystem::path& path, const std::string& line_before) {
  std::ifstream in(path);
  std::string line;
  while (!line_before.empty() && std::getline(in, line) && line != line_before) {
  }
  std::vector<double> numbers;
  for (double number = 0; in >> number;) numbers.push_back(number);
  return numbers;
}

bool runs(const std::string& command) {
  // NOLINTNEXTLINE(bugprone-command-processor,cert-env33-c): the tools of liblinear, on paths of our own
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

// Libraries of BLAS add in different orders. The tools get the one that liblinear uses in this process, which
// is the first of those that are linked.
std::string with_our_blas(const std::string& command) {
  Dl_info found{};
  void* const dot = dlsym(RTLD_DEFAULT, "ddot_");
  if (dot == nullptr || dladdr(dot, &found) == 0) return command;
  return fmt::format("LD_PRELOAD={} {}", found.dli_fname, command);
}

struct ToolCase {
  const char* name;
  Loss loss;
  int solver;
  double cost;
  std::vector<int> classes;
};

void PrintTo(const ToolCase& given, std::ostream* out) {
  *out << given.name;
}

class LinearModelTool : public ::testing::TestWithParam<ToolCase> {};

TEST_P(LinearModelTool, EqualsTheCommandLineToolsOfLiblinear) {
  if (!runs("command -v liblinear-train") || !runs("command -v liblinear-predict")) {
    GTEST_SKIP() << "liblinear-train and liblinear-predict are not installed (Debian: liblinear-tools)";
  }
  const ToolCase& given = GetParam();
  const ToySet train = toy_set(given.classes, 300, 11);
  const ToySet test = toy_set(given.classes, 200, 12);
  const test::TemporaryFolder folder;
  const std::string base = folder.path().string();
  write_set(folder.path() / "train", train);
  write_set(folder.path() / "test", test);
  ASSERT_TRUE(runs(with_our_blas(fmt::format("liblinear-train -s {} -c {} -B 1 {}/train {}/model",
                                             given.solver, given.cost, base, base))));
  ASSERT_TRUE(
      runs(with_our_blas(fmt::format("liblinear-predict {}/test {}/model {}/out", base, base, base))));

  const FeatureRows features(train.values, kDim);
  const LinearModel model =
      LinearModel::train({features, train.labels, train.rows}, {.loss = given.loss, .cost = given.cost});
  const std::vector<double> weights = numbers_after(folder.path() / "model", "w");
  ASSERT_EQ(model.weights().size(), weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_DOUBLE_EQ(model.weights()[i], weights[i]);
  const std::vector<double> predicted = numbers_after(folder.path() / "out", "");
  ASSERT_EQ(predicted.size(), test.labels.size());
  const FeatureRows test_features(test.values, kDim);
  for (std::uint32_t i = 0; i < predicted.size(); ++i) {
    EXPECT_EQ(model.predict(test_features, i), static_cast<int>(predicted[i])) << "row " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LinearModelTool,
                         ::testing::Values(ToolCase{"svm", Loss::squared_hinge, 2, 1, {1, -1}},
                                           ToolCase{"svm_of_three", Loss::squared_hinge, 2, 4, {2, 0, 1}},
                                           ToolCase{"logistic", Loss::logistic, 0, 0.25, {0, 1}},
                                           ToolCase{
                                               "logistic_of_five", Loss::logistic, 0, 8, {0, 1, 2, 3, 4}}),
                         [](const auto& one) { return one.param.name; });

TEST(LinearModel, LearnsASeparableSetAndScoresAgreeWithPredictions) {
  const std::vector<double> values = {-2, -1, 1, 2, -3, 3};
  const std::vector<int> labels = {0, 0, 1, 1, 0, 1};
  const std::vector<std::uint32_t> rows = {2, 0, 1, 3};
  const FeatureRows features(values, 1);
  for (const Loss loss : {Loss::logistic, Loss::squared_hinge}) {
    const LinearModel model = LinearModel::train({features, labels, rows}, {.loss = loss, .cost = 10});
    const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4, 5};
    EXPECT_EQ(model.accuracy({features, labels, all}), 1);
    EXPECT_GT(model.score(features, 5, 1), 0);
    EXPECT_LT(model.score(features, 4, 1), 0);
    EXPECT_EQ(model.score(features, 4, 0), -model.score(features, 4, 1));
  }
}

TEST(LinearModel, OneClassIsAlwaysPredicted) {
  const std::vector<double> values = {1, 2};
  const std::vector<int> labels = {4, 4};
  const std::vector<std::uint32_t> rows = {0, 1};
  const FeatureRows features(values, 1);
  const LinearModel model = LinearModel::train({features, labels, rows}, {});
  EXPECT_EQ(model.predict(features, 1), 4);
}

TEST(LinearModel, AWarmStartEndsWhereAColdOneDoes) {
  const ToySet set = toy_set({0, 1, 2}, 400, 3);
  const FeatureRows features(set.values, kDim);
  const Examples examples{features, set.labels, set.rows};
  const LinearModel small = LinearModel::train(examples, {.cost = 0.5});
  const LinearModel cold = LinearModel::train(examples, {.cost = 1});
  const LinearModel warm = LinearModel::train(examples, {.cost = 1}, &small);
  int differ = 0;
  for (const std::uint32_t row : set.rows) {
    differ += cold.predict(features, row) != warm.predict(features, row) ? 1 : 0;
  }
  EXPECT_LE(differ, 8);  // 2%: both stop within the tolerance
}

TEST(LinearModel, ResultsDoNotDependOnOtherThreads) {
  const ToySet set = toy_set({0, 1}, 500, 4);
  const FeatureRows features(set.values, kDim);
  const Examples examples{features, set.labels, set.rows};
  const LinearModel alone = LinearModel::train(examples, {.loss = Loss::squared_hinge});
  std::vector<std::vector<double>> weights(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : weights) {
      threads.emplace_back(
          [&] { own = LinearModel::train(examples, {.loss = Loss::squared_hinge}).weights(); });
    }
  }
  for (const auto& own : weights) EXPECT_EQ(own, alone.weights());
}

TEST(LinearModel, RefusesPartsOfRowsAndNoExamples) {
  const std::vector<double> values = {1, 2, 3};
  EXPECT_THROW(FeatureRows(values, 2), Error);
  const FeatureRows features(values, 3);
  const std::vector<int> labels = {1};
  EXPECT_THROW(LinearModel::train({features, labels, {}}, {}), Error);
}

}  // namespace
}  // namespace sotto::lab
