#include "lab/vickrey/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sotto/parameters.h"

namespace sotto::lab::vickrey {

namespace {

constexpr double kSteps[] = {0.25, 0.5, 0.75, 1};
constexpr std::size_t kLastRank = 5;

Settings full_settings() {
  return {
      .vectors = {kGlove, kStandIn, kWord2vec},
      .product_epsilons = {5, 10, 15, 20, 30, 50, 100},
      .laplace_epsilons = {6, 7, 8, 9, 11, 12, 13, 14, 17},
      .product_draws = 16'384,
      .task_epsilons = {5, 10, 20, 50, 100},
      .task_draws = 8192,
      .tasks = {{.name = "twitter",
                 .train = 7000,
                 .test = 1000,
                 .words = 40,
                 .domain_words = 20'000,
                 .epochs = 4,
                 .retrained = {10, 20, 50}},
                {.name = "imdb", .train = 5000, .test = 500, .words = 100, .epochs = 4, .retrained = {10}}},
      .hidden = 32};
}

void make_quick(Settings& settings) {
  settings.product_epsilons = {10, 100};
  settings.laplace_epsilons = {8, 12};
  settings.vectors = {kGlove};
  settings.product_draws = 4096;
  settings.task_epsilons = {10, 50};
  settings.task_draws = 2048;
  for (TaskSettings& task : settings.tasks) {
    task.train = 1500;
    task.test = 200;
    task.words = 40;
    task.epochs = 3;
    task.retrained = {10};
  }
  settings.hidden = 16;
}

}  // namespace

std::size_t Rule::looked_at() const {
  return (choice == Choice::two ? 2 : rank) + (input == Input::excluded ? 1 : 0);
}

std::string Noise::name() const {
  return lambda ? fmt::format("mahalanobis {}", number_text(*lambda)) : "laplace";
}

Settings settings_of(const RunRequest& request) {
  Settings out = full_settings();
  if (request.extent == Extent::quick) make_quick(out);
  return out;
}

Run::Settings record_of(const Settings& settings) {
  Run::Settings out = {
      {"product_epsilons", fmt::format("{}", fmt::join(settings.product_epsilons, ", "))},
      {"product_draws", fmt::format("{} and {}", settings.product_draws, 4 * settings.product_draws)},
      {"task_epsilons", fmt::format("{}", fmt::join(settings.task_epsilons, ", "))},
      {"task_draws", fmt::format("{} and {}", settings.task_draws, 4 * settings.task_draws)},
      {"hidden", std::to_string(settings.hidden)}};
  for (const TaskSettings& task : settings.tasks) {
    out.emplace_back(
        task.name,
        fmt::format("trained on at most {} texts, tested on at most {}, the first {} words of each, "
                    "{} epochs, retrained at epsilon {}",
                    task.train, task.test, task.words, task.epochs, fmt::join(task.retrained, ", ")));
  }
  return out;
}

std::string series_of_t(double t) {
  return fmt::format("vickrey t {}", number_text(t));
}
std::string series_of_rank(std::size_t rank) {
  return fmt::format("rank {}", rank);
}
std::string as_printed(const std::string& series) {
  return series + " as printed";
}

std::vector<Group> groups(Curves curves) {
  Group sphere{.series = {{.name = "laplace"}}};
  const auto add = [&](const std::string& name, Rule rule) {
    sphere.series.push_back({.name = name, .rule = rule});
    if (curves != Curves::all) return;
    rule.input = Rule::Input::excluded;
    sphere.series.push_back({.name = as_printed(name), .rule = rule});
  };
  for (const double t : kSteps) add(series_of_t(t), {.choice = Rule::Choice::two, .t = t});
  if (curves == Curves::all) {
    for (std::size_t rank = 2; rank <= kLastRank; ++rank) add(series_of_rank(rank), {.rank = rank});
  }
  std::vector<Group> out = {std::move(sphere)};
  for (const double lambda : {0.2, 1.0}) {
    const Noise noise{.lambda = lambda};
    out.push_back({.noise = noise, .series = {{.name = noise.name()}}});
  }
  return out;
}

Points::Layout privacy_layout() {
  return {
      .keys = {"data", "vectors", "series", "epsilon"},
      .values = {"certified_epsilon", "draws", "e_opt_low", "e_opt_high", "e_m_plug_in_n", "e_m_plug_in_4n",
                 "e_m_low", "e_m_high", "changed", "changed_low", "changed_high", "constant_guess", "loss",
                 "loss_low", "loss_high", "e_opt_label_low", "e_opt_label_high", "seconds"}};
}

Points::Layout tasks_layout() {
  return {.keys = {"data", "vectors", "trained_on", "series", "epsilon"},
          .values = {"loss", "loss_low", "loss_high", "added_loss", "added_low", "added_high", "tested",
                     "redacted", "changed"}};
}

Points::Layout choices_layout() {
  return {.keys = {"vectors", "first_epsilon", "budget"},
          .values = {"epsilon", "t", "loss", "e_m_plug_in", "e_opt_low", "e_opt_high", "draws"}};
}

Points::Layout figure1_layout() {
  return {.keys = {"mechanism", "place"}, .values = {"A", "B", "C", "D", "E"}};
}

}  // namespace sotto::lab::vickrey
