#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/run.h"

namespace sotto::lab::gumbel {

// What `--part` names. An experiment runs the parts in this order.
inline constexpr std::string_view kTable1 = "table1";
inline constexpr std::string_view kFigures = "figures";
inline constexpr std::string_view kTable2 = "table2";
inline constexpr std::string_view kTable3 = "table3";
inline constexpr std::string_view kBeyond = "beyond";

// What truncated-gumbel is compared with at equal N_w, and whether models are trained with it there too.
struct Rival {
  std::string_view mechanism;
  bool is_trained;
};
inline constexpr Rival kRivals[] = {{"gumbel-topk", true}, {"tem", true}, {"laplace", false}};

// A curve of figures 1 and 2: one mechanism at several strengths. What a strength is depends on the
// mechanism, because the epsilons of two mechanisms do not compare:
// - epsilon: the strength is epsilon itself;
// - log_epsilon: its natural logarithm, as in the paper; 0 stands for the smallest usable epsilon;
// - inverse_scale: 1/b of gumbel-topk, that is epsilon - 2 ln n / D0.
struct Curve {
  enum class Strength { epsilon, log_epsilon, inverse_scale };
  std::string mechanism;
  Strength strength;
  std::vector<double> strengths;
};

// The columns for which a model is trained on private copies. The other columns only attack the normal and
// the certified model.
struct TrainedColumns {
  std::vector<double> table2;
  std::vector<double> table3;
  std::vector<double> beyond;  // with the rivals that are trained
};

// The sizes of tables 2 and 3 for one data set. Texts are taken evenly from their part and cut after `length`
// words.
struct TaskSizes {
  std::string data;  // "imdb" or "snli"
  std::size_t training;
  std::size_t development;
  std::size_t test;      // for clean and certified accuracy, and as those who are no members
  std::size_t attacked;  // of the test texts
  std::size_t length;
  std::int64_t hidden;  // units of a layer
  std::size_t batch;
  double dropout;
  std::size_t normal_epochs;
  std::size_t certified_epochs;
  std::size_t ramp;  // epochs until certified training has its full strength
  std::size_t augmented_epochs;
  TrainedColumns trained = {};
};

// The sizes of everything that is computed.
struct Settings {
  std::vector<Curve> curves;
  std::size_t curve_words;  // words of the vocabulary whose N_w and S_w are measured
  std::vector<TaskSizes> tasks = {};
  std::vector<double> table2 = {};  // ln epsilon of truncated-gumbel; 0: the smallest usable
  std::vector<double> table3 = {};  // epsilon of laplace
  std::vector<double> beyond = {};  // columns of table 2 with which others are compared at equal N_w
  std::size_t copies = 4;           // private copies of a text in augmented training
  // Words that a mutation of the attack draws: 8, as many as Alzantot et al. 2018 try, and 1, as the paper's
  // words may be read. Every model is attacked both ways.
  std::vector<std::size_t> draws = {8, 1};
};

Settings settings_of(const RunRequest& request);
// The curve of a mechanism, which says how its strengths are meant.
const Curve& curve_of(const Settings& settings, std::string_view mechanism);
// For run.json.
Run::Settings record_of(const Settings& settings);
// The experiment with settings other than those of the program, for tests.
void run_experiment(const RunRequest& request, const Settings& settings);
[[nodiscard]] bool is_one_of(double column, const std::vector<double>& columns);

}  // namespace sotto::lab::gumbel
