#include "lab/gumbel/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/error.h"

namespace sotto::lab::gumbel {

namespace {

using Strength = Curve::Strength;

std::vector<TaskSizes> full_tasks() {
  return {
      {.data = "snli",
       .training = 30'000,
       .development = 2'000,
       .test = 10'000,
       .attacked = 1'000,
       .length = 60,
       .hidden = 100,
       .batch = 32,
       .dropout = 0.1,
       .normal_epochs = 8,
       .certified_epochs = 16,
       .ramp = 10,
       .augmented_epochs = 2,
       .trained = {.table2 = {0, 14, 23, 38, 62}, .table3 = {9, 40, 80, 150, 200}, .beyond = {0, 14, 38}}},
      {.data = "imdb",
       .training = 8'000,
       .development = 1'000,
       .test = 1'000,
       .attacked = 200,
       .length = 150,
       .hidden = 100,
       .batch = 32,
       .dropout = 0.2,
       .normal_epochs = 6,
       .certified_epochs = 10,
       .ramp = 7,
       .augmented_epochs = 2,
       .trained = {.table2 = {0, 14, 23, 38, 62}, .table3 = {9, 40, 80, 150, 200}, .beyond = {0, 14, 38}}}};
}

std::vector<TaskSizes> quick_tasks() {
  std::vector<TaskSizes> tasks = full_tasks();
  for (TaskSizes& task : tasks) {
    task.training = task.data == "imdb" ? 600 : 3'000;
    task.development = 200;
    task.test = 200;
    task.attacked = task.data == "imdb" ? 20 : 50;
    task.length = std::min<std::size_t>(task.length, 80);
    task.hidden = 40;
    task.normal_epochs = 4;
    task.certified_epochs = 6;
    task.ramp = 4;
    task.augmented_epochs = 2;
    task.trained = {.table2 = {0, 38}, .table3 = {9, 40}, .beyond = {0}};
  }
  return tasks;
}

}  // namespace

Settings settings_of(const RunRequest& request) {
  Settings settings{.curves = {}, .curve_words = 200};
  if (request.extent == Extent::quick) {
    settings.curve_words = 20;
    settings.tasks = quick_tasks();
    settings.table2 = {0, 38};
    settings.table3 = {9, 40};
    settings.beyond = {0};
    settings.curves = {{"laplace", Strength::epsilon, {4, 9, 40}},
                       {"truncated-gumbel", Strength::log_epsilon, {0, 14, 38}},
                       {"gumbel-topk", Strength::inverse_scale, {0.1, 1}},
                       {"tem", Strength::epsilon, {2, 3}}};
    return settings;
  }
  settings.tasks = full_tasks();
  settings.table2 = {0, 14, 23, 38, 62};
  settings.table3 = {9, 40, 80, 150, 200};
  settings.beyond = {0, 14, 38};
  settings.curves = {
      {"laplace", Strength::epsilon, {1, 2, 4, 6, 8, 9, 10, 12, 14, 17, 20, 40, 80, 150, 200}},
      {"truncated-gumbel", Strength::log_epsilon, {0, 7, 10, 14, 17, 23, 30, 38, 50, 62, 74, 86}},
      {"gumbel-topk", Strength::inverse_scale, {0.01, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2, 3, 5}},
      {"tem", Strength::epsilon, {0.5, 1, 1.5, 2, 2.25, 2.5, 2.75, 3, 3.5, 4, 5, 6, 8}}};
  return settings;
}

const Curve& curve_of(const Settings& settings, std::string_view mechanism) {
  const auto found = std::ranges::find(settings.curves, mechanism, &Curve::mechanism);
  if (found == settings.curves.end()) throw Error(ErrorCode::internal, "a mechanism without a curve");
  return *found;
}

Run::Settings record_of(const Settings& settings) {
  Run::Settings record = {{"curve_words", fmt::format("{}", settings.curve_words)},
                          {"copies", fmt::format("{}", settings.copies)}};
  for (const TaskSizes& task : settings.tasks) {
    record.emplace_back(
        task.data,
        fmt::format(
            "training {}, development {}, test {}, attacked {}, length {}, hidden {}, batch {}, dropout "
            "{}, epochs {} normal, {} certified of which {} ramp, {} augmented",
            task.training, task.development, task.test, task.attacked, task.length, task.hidden, task.batch,
            task.dropout, task.normal_epochs, task.certified_epochs, task.ramp, task.augmented_epochs));
  }
  return record;
}

bool is_one_of(double column, const std::vector<double>& columns) {
  return std::ranges::find(columns, column) != columns.end();
}

}  // namespace sotto::lab::gumbel
