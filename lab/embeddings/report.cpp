#include "lab/embeddings/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "lab/embeddings/figures.h"
#include "lab/embeddings/results.h"
#include "lab/statistics.h"

namespace sotto::lab::embeddings {

namespace {

constexpr double kErrors[] = {0.9, 0.8, 0.7, 0.5, 0.3};
// As epsilon grows, the loss of tem rises to about 17 nats and then falls to ln((n-1)(1-beta)/beta), 15.8 for
// 7,443 words: no level lies where one loss has two epsilons.
constexpr double kLosses[] = {8, 10, 12, 14, 24, 40, 80};

std::string share(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f}", value) : "";
}
std::string share(const std::optional<double>& value) {
  return value ? share(*value) : "";
}
std::string between(double low, double high) {
  return high - low > 1e-6 ? fmt::format("{:.3f} to {:.3f}", low, high) : share(low);
}
std::string mean_text(const std::vector<double>& values) {
  const TrialMean mean = trial_mean(values);
  if (!std::isfinite(mean.interval.high)) return share(mean.mean);
  return fmt::format("{:.3f} ± {:.3f}", mean.mean, mean.interval.high - mean.mean);
}

std::string spaces_table(const Points& spaces) {
  std::string out =
      "## The spaces\n\n| group | embedding | metric | words | dimensions | smallest distance | median "
      "nearest | mean distance | largest | words with a polarity "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Points::Row& row : spaces.rows()) {
    const auto& v = row.values;
    out += fmt::format("| {} | {} | {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {} |\n", row.keys[0],
                       row.keys[1], row.keys[2], v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
  }
  return out;
}

std::string laws_table(const LawResults& results) {
  std::string out =
      "\n## Every law\n\n| group | embedding | metric | mechanism | ε | certified ε | certified / ε | "
      "certified loss | E_opt | N_w | S_w | polarity flipped | polarity not kept |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const LawResults::Curve& curve : results.curves()) {
    for (const Points::Row* row : curve.rows) {
      const auto at = [&](std::string_view column) { return results.value(*row, column); };
      out +=
          fmt::format("| {} | {} | {} | {} | {:.5g} | {:.4g} | {} | {:.4g} | {} | {} | {:.1f} | {} | {} |\n",
                      curve.group, curve.embedding, curve.metric, curve.mechanism, at("epsilon"),
                      at("certified_epsilon"), share(at("certified_epsilon") / at("epsilon")),
                      at("certified_loss"), between(at("e_opt_low"), at("e_opt_high")), share(at("n_w")),
                      at("s_w"), share(at("flipped")), share(at("not_kept")));
    }
  }
  return out;
}

// One line for each level and mechanism, one column for each space.
std::string read_off_table(const LawResults& results, const std::string& group, std::string_view x_column,
                           std::span<const double> grid, std::string_view y_column) {
  const std::vector<std::string> spaces = results.spaces_of(group);
  std::string out = fmt::format("\n| {} | mechanism |", x_column);
  for (const std::string& space : spaces) out += fmt::format(" {} |", space);
  out += "\n|---|---|";
  for (std::size_t i = 0; i < spaces.size(); ++i) out += "---|";
  out += '\n';
  for (const std::string& mechanism : results.mechanisms_of(group)) {
    for (const double level : grid) {
      std::string line = fmt::format("| {} | {} |", number_text(level), mechanism);
      std::size_t found = 0;
      for (const std::string& space : spaces) {
        const LawResults::Curve* curve = results.find(group, space, mechanism);
        const auto value =
            curve == nullptr ? std::nullopt : read_off(results.line(*curve, x_column, y_column), level);
        line += fmt::format(" {} |", y_column == "s_w" && value              ? fmt::format("{:.1f}", *value)
                                     : y_column == "certified_loss" && value ? fmt::format("{:.1f}", *value)
                                                                             : share(value));
        found += value ? 1 : 0;
      }
      if (found > 1) out += line + '\n';
    }
  }
  return out;
}

std::string comparisons(const LawResults& results, const Settings& settings) {
  std::string out;
  for (const Group& group : settings.groups) {
    const auto table = [&](const char* title, std::string_view x, std::span<const double> grid,
                           std::string_view y) {
      out += fmt::format("\n{}, group {}:\n{}", title, group.name,
                         read_off_table(results, group.name, x, grid, y));
    };
    out += fmt::format("\n## Group {}, read off between neighbouring points\n", group.name);
    table("E_opt at equal nominal epsilon", "epsilon", std::array{1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0},
          "e_opt");
    table("Polarity flipped at equal nominal epsilon", "epsilon",
          std::array{1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0}, "flipped");
    table("Polarity flipped at equal certified loss", "certified_loss", kLosses, "flipped");
    table("E_opt at equal certified loss", "certified_loss", kLosses, "e_opt");
    table("Polarity flipped at equal E_opt", "e_opt", kErrors, "flipped");
    table("Polarity not kept at equal E_opt", "e_opt", kErrors, "not_kept");
    table("Certified loss at equal E_opt", "e_opt", kErrors, "certified_loss");
    table("N_w at equal E_opt", "e_opt", kErrors, "n_w");
    table("S_w at equal E_opt", "e_opt", kErrors, "s_w");
  }
  return out;
}

// Rows by their keys without the last one, which is the trial.
using Grouped = std::vector<std::pair<std::vector<std::string>, std::vector<Points::Row>>>;
Grouped by_place(const Points& points) {
  Grouped out;
  for (const Points::Row& row : points.rows()) {
    const std::vector<std::string> place(row.keys.begin(), row.keys.end() - 1);
    auto found = std::ranges::find(out, place, &Grouped::value_type::first);
    if (found == out.end()) found = out.insert(out.end(), {place, {}});
    found->second.push_back(row);
  }
  return out;
}
std::vector<double> column(const std::vector<Points::Row>& rows, std::size_t index) {
  std::vector<double> out;
  for (const Points::Row& row : rows) out.push_back(row.values[index]);
  return out;
}

std::string accuracy_table(const Points& levels, const Points& accuracy) {
  std::string out =
      "\n## Classifiers: tem at equal E_opt and at equal certified loss\n\nMeans with 95% intervals "
      "(Student's t) over the trials. All classifiers start at the same public vectors.\n\n"
      "| embedding | metric | equal | level | ε | certified loss | E_opt | unchanged | accuracy at median | "
      "AUC "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [place, rows] : by_place(accuracy)) {
    const auto level = levels.find(place);
    out += fmt::format("| {} | {} | {} | {} |", place[1], place[2], place[3], place[4]);
    if (level) {
      out += fmt::format(" {:.4g} | {:.2f} | {:.3f} |", level->values[levels.value("epsilon")],
                         level->values[levels.value("certified_loss")], level->values[levels.value("e_opt")]);
    } else {
      out += " | | |";
    }
    out += fmt::format(" {} | {} | {} |\n", share(trial_mean(column(rows, accuracy.value("unchanged"))).mean),
                       mean_text(column(rows, accuracy.value("accuracy_median"))),
                       mean_text(column(rows, accuracy.value("auc"))));
  }
  return out;
}

std::string adaptation_tables(const Points& adaptation, const Points& betrayal) {
  std::string out =
      "\n## Vectors fine-tuned on private text\n\n| vectors of the mechanism | E_opt | ε | certified loss | "
      "unchanged | accuracy at median | AUC |\n|---|---|---|---|---|---|---|\n";
  for (const auto& [place, rows] : by_place(adaptation)) {
    const auto mean = [&](std::string_view name) {
      return trial_mean(column(rows, adaptation.value(name))).mean;
    };
    out += fmt::format("| {} | {:.3f} | {:.3f} | {:.2f} | {:.3f} | {} | {} |\n", place[0], mean("e_opt"),
                       mean("epsilon"), mean("certified_loss"), mean("unchanged"),
                       mean_text(column(rows, adaptation.value("accuracy_median"))),
                       mean_text(column(rows, adaptation.value("auc"))));
  }
  out +=
      "\nAUC of telling what is in the private half from what is in the other half:\n\n| the observer sees | "
      "E_opt of the release | about | in | out | AUC |\n|---|---|---|---|---|---|\n";
  for (const auto& [place, rows] : by_place(betrayal)) {
    out += fmt::format("| {} | {} | {} | {:.0f} | {:.0f} | {} |\n", place[0], place[1], place[2],
                       trial_mean(column(rows, betrayal.value("in"))).mean,
                       trial_mean(column(rows, betrayal.value("out"))).mean,
                       mean_text(column(rows, betrayal.value("auc"))));
  }
  return out;
}

}  // namespace

void report(const Run& run, const Settings& settings, const Tables& tables) {
  const LawResults results(tables.laws);
  draw_figures(run, settings, results, tables);
  run.save_text("tables.md", spaces_table(tables.spaces) + laws_table(results) +
                                 comparisons(results, settings) +
                                 accuracy_table(tables.levels, tables.accuracy) +
                                 adaptation_tables(tables.adaptation, tables.betrayal));
}

}  // namespace sotto::lab::embeddings
