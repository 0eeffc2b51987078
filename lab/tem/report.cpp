#include "lab/tem/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/tem/results.h"

namespace sotto::lab {

namespace {

// One figure: a column of points.csv against nominal epsilon or a column of mechanisms.csv.
struct FigurePlan {
  const char* file;
  const char* title;
  const char* y_column;
  const char* y_label;
  const char* x_column;  // empty: nominal epsilon
  const char* x_label;
  html::Axis::Scale x_scale;
  Bounds y_ends;  // fixed: the interval of a few wild trials would flatten all curves
};
constexpr const char* kNominal = "nominal epsilon (per unit of Euclidean distance)";
constexpr const char* kCertified = "certified epsilon on this vocabulary";
constexpr const char* kError = "E_opt: how often the best adversary guesses a word wrongly";
constexpr const char* kAttack = "AUC of the membership attack";
constexpr html::Axis::Scale kLog = html::Axis::Scale::logarithmic;
constexpr html::Axis::Scale kLinear = html::Axis::Scale::linear;
constexpr Bounds kAccuracyEnds{.low = 0.4, .high = 0.9};
constexpr Bounds kAreaEnds{.low = 0.4, .high = 1};
constexpr Bounds kAttackEnds{.low = 0.45, .high = 0.65};
constexpr std::array<FigurePlan, 9> kFigures = {{
    {"figure-1a", "Figure 1a: accuracy on original reviews", "accuracy", "accuracy at threshold 0", "",
     kNominal, kLog, kAccuracyEnds},
    {"figure-1b", "Figure 1b: membership inference", "attack_auc", kAttack, "", kNominal, kLog, kAttackEnds},
    {"attack-loss", "Membership inference by the loss with the true label", "loss_attack_auc", kAttack, "",
     kNominal, kLog, kAttackEnds},
    {"accuracy-median", "Accuracy at the median score", "accuracy_median", "accuracy at the median score", "",
     kNominal, kLog, kAccuracyEnds},
    {"auc", "Sentiment: area under the curve", "auc", "AUC", "", kNominal, kLog, kAreaEnds},
    {"accuracy-certified", "Accuracy at equal certified epsilon", "accuracy_median",
     "accuracy at the median score", "certified_epsilon", kCertified, kLog, kAccuracyEnds},
    {"accuracy-eopt", "Accuracy at equal empirical privacy", "accuracy_median",
     "accuracy at the median score", "e_opt", kError, kLinear, kAccuracyEnds},
    {"attack-eopt", "Membership inference at equal empirical privacy", "attack_auc", kAttack, "e_opt", kError,
     kLinear, kAttackEnds},
    {"attack-loss-eopt", "Membership inference by the loss, at equal empirical privacy", "loss_attack_auc",
     kAttack, "e_opt", kError, kLinear, kAttackEnds},
}};

html::Plot plot_of(const FigurePlan& plan, const TemSettings& settings, const TemResults& results,
                   std::string_view note) {
  html::Plot plot{.title = plan.title,
                  .caption = fmt::format("IMDB reviews; means with 95% intervals. {}", note),
                  .x = {.label = plan.x_label, .scale = plan.x_scale},
                  .y = {.label = plan.y_label, .from = plan.y_ends.low, .to = plan.y_ends.high}};
  for (const TemSeries& series : settings.series) {
    html::Series curve{.name = series.name};
    for (const TemResult* result : results.of(series)) {
      const TrialMean mean = results.mean(*result, plan.y_column);
      if (series.is_baseline()) {
        plot.lines.push_back({.at = mean.mean, .label = fmt::format("{} {:.3f}", series.name, mean.mean)});
        continue;
      }
      curve.points.push_back(
          {.x = *plan.x_column == '\0' ? result->epsilon : results.known(*result, plan.x_column),
           .y = mean.mean,
           .low = mean.interval.low,
           .high = mean.interval.high});
    }
    if (!curve.points.empty()) plot.series.push_back(std::move(curve));
  }
  return plot;
}

std::string share_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f}", value) : "-";
}
// Without a closed law E_opt is known to lie between two ends.
bool has_bracket(const TemResults& results, const TemResult& result) {
  return results.known(result, "e_opt_high") - results.known(result, "e_opt_low") > 1e-6;
}
std::string error_text(const TemResults& results, const TemResult& result) {
  if (!has_bracket(results, result)) return share_text(results.known(result, "e_opt"));
  return fmt::format("{:.3f} to {:.3f}", results.known(result, "e_opt_low"),
                     results.known(result, "e_opt_high"));
}
std::string mean_text(const TrialMean& mean) {
  if (!std::isfinite(mean.interval.high)) return share_text(mean.mean);
  return fmt::format("{:.3f} ± {:.3f}", mean.mean, mean.interval.high - mean.mean);
}

std::string main_table(const TemResults& results) {
  std::string out =
      "| series | ε | certified ε | E_opt | unchanged, rank prior | unchanged, reviews | accuracy at 0 | "
      "accuracy at median | AUC | attack AUC (MLP) | attack AUC (loss) |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const TemResult& result : results.all()) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} |", result.series->name,
                       result.series->is_baseline() ? "" : number_text(result.epsilon),
                       share_text(results.known(result, "certified_epsilon")), error_text(results, result),
                       share_text(results.known(result, "unchanged")),
                       share_text(results.mean(result, "unchanged").mean));
    for (const char* column : {"accuracy", "accuracy_median", "auc", "attack_auc", "loss_attack_auc"}) {
      out += fmt::format(" {} |", mean_text(results.mean(result, column)));
    }
    out += '\n';
  }
  return out;
}

// What tem-2023 states in words, section 5.2; the rest of its figure 1 has no numbers.
struct Published {
  const char* series;
  const char* accuracy;
  const char* attack;
};
constexpr double kPublishedEpsilon = 2;
constexpr std::array<Published, 4> kPublished = {{{"laplace", "0.52", "0.50"},
                                                  {"tem paper", "0.75", "0.50"},
                                                  {"tem exact", "", ""},
                                                  {"tem flat", "", ""}}};

std::string published_table(const TemResults& results) {
  std::string out =
      "| series, ε = 2 | accuracy in the paper | accuracy here | attack AUC in the paper | attack AUC here "
      "(MLP) | (loss) |\n|---|---|---|---|---|---|\n";
  for (const TemResult& result : results.all()) {
    for (const Published& published : kPublished) {
      if (result.series->name != published.series || result.epsilon != kPublishedEpsilon) continue;
      out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", published.series, published.accuracy,
                         mean_text(results.mean(result, "accuracy")), published.attack,
                         mean_text(results.mean(result, "attack_auc")),
                         mean_text(results.mean(result, "loss_attack_auc")));
    }
  }
  return out;
}

// The curves read off at the same values of what they are compared by. Rows with one curve compare nothing.
struct Comparison {
  const char* x_column;
  const char* x_label;
  const char* y_column;
  std::vector<double> grid;
};
struct Curve {
  const TemSeries* series;
  std::string name;
  std::string x_column;
};
// A series of which E_opt has two ends is read off twice, as if one of them were the truth.
std::vector<Curve> curves_of(const Comparison& comparison, const TemSettings& settings,
                             const TemResults& results) {
  std::vector<Curve> curves;
  for (const TemSeries& series : settings.series) {
    if (series.is_baseline()) continue;
    const std::vector<const TemResult*> points = results.of(series);
    const bool twice =
        std::string_view(comparison.x_column) == "e_opt" &&
        std::ranges::any_of(points, [&](const TemResult* point) { return has_bracket(results, *point); });
    if (!twice) {
      curves.push_back({.series = &series, .name = series.name, .x_column = comparison.x_column});
      continue;
    }
    curves.push_back({.series = &series, .name = series.name + ", lowest E_opt", .x_column = "e_opt_low"});
    curves.push_back({.series = &series, .name = series.name + ", highest E_opt", .x_column = "e_opt_high"});
  }
  return curves;
}

std::string comparison_table(const Comparison& comparison, const TemSettings& settings,
                             const TemResults& results) {
  const std::vector<Curve> curves = curves_of(comparison, settings, results);
  std::string head = fmt::format("| {} |", comparison.x_label);
  std::string rule = "|---|";
  for (const Curve& curve : curves) {
    head += fmt::format(" {} |", curve.name);
    rule += "---|";
  }
  std::string out = head + '\n' + rule + '\n';
  for (const double x : comparison.grid) {
    std::string line = fmt::format("| {} |", number_text(x));
    std::size_t found = 0;
    for (const Curve& curve : curves) {
      const auto mean = results.read_off(
          *curve.series, {.x_column = curve.x_column, .y_column = comparison.y_column, .x = x});
      line += fmt::format(" {} |", mean ? mean_text(*mean) : "");
      found += mean ? 1 : 0;
    }
    if (found > 1) out += line + '\n';
  }
  return out;
}

std::string cost_table(const TemSettings& settings, const TemResults& results) {
  std::string out =
      "| series | certificate and E_opt, s a mechanism | privatising, s a point | training, s a point |\n"
      "|---|---|---|---|\n";
  for (const TemSeries& series : settings.series) {
    std::array<double, 3> sums{};
    const std::vector<const TemResult*> points = results.of(series);
    for (const TemResult* result : points) {
      sums[0] += results.known(*result, "seconds");
      sums[1] += results.mean(*result, "seconds_privatising").mean;
      sums[2] += results.mean(*result, "seconds_training").mean;
    }
    if (points.empty()) continue;
    const auto count = static_cast<double>(points.size());
    out += fmt::format("| {} | {:.1f} | {:.1f} | {:.1f} |\n", series.name, sums[0] / count, sums[1] / count,
                       sums[2] / count);
  }
  return out;
}

// Parts of a run may have more trials than others.
std::string trials_text(const TemResults& results) {
  const auto count = [](const TemResult& result) { return result.trials.size(); };
  const auto [fewest, most] = std::ranges::minmax_element(results.all(), {}, count);
  if (fewest == results.all().end()) return "0";
  return count(*fewest) == count(*most) ? fmt::format("{}", count(*most))
                                        : fmt::format("{} to {}", count(*fewest), count(*most));
}

std::string note_of(const Run& run, const TemSettings& settings, const TemResults& results) {
  return fmt::format(
      "{}Domain: {} ({} words). At most {} reviews in each of TR1, TR2, TE1, TE2; {} "
      "epochs, "
      "batch {}; {} trials, each with its own halves; seed {}.",
      run.request().extent == Extent::quick
          ? "A QUICK run: fewer reviews, epsilons and trials than the results pages have. "
          : "",
      run.model()->origin().name, run.model()->size(), settings.half, settings.epochs, settings.batch,
      trials_text(results), run.request().seed);
}

std::string tables_of(const TemSettings& settings, const TemResults& results, std::string_view note) {
  const std::vector<double> epsilons = {0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6};
  const std::vector<double> errors = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9};
  const auto table = [&](const char* x_column, const char* x_label, const char* y_column,
                         const std::vector<double>& grid) {
    return comparison_table({.x_column = x_column, .x_label = x_label, .y_column = y_column, .grid = grid},
                            settings, results);
  };
  std::string out = fmt::format(
      "{}\n\n## Every point\n\nMeans with 95% intervals (Student's t) over the trials. ε is nominal for "
      "laplace and "
      "`tem paper`, the certified target for `tem exact` and `tem flat`. The certificate of laplace is its "
      "theorem. E_opt and the first share of unchanged words are those of the mechanism under the rank prior "
      "(1 / (rank + 2.7) in the model's frequency order). The second share is counted over all tokens of the "
      "privatised training reviews; unknown words count as the anchor word.\n\n{}",
      note, main_table(results));
  out += fmt::format("\n## Beside the paper\n\n{}", published_table(results));
  out += "\n## At equal certified epsilon\n\nRead off between neighbouring points, trial by trial.\n";
  out += fmt::format("\nAccuracy at the median score:\n\n{}",
                     table("certified_epsilon", "certified ε", "accuracy_median", epsilons));
  out += fmt::format("\nAUC:\n\n{}", table("certified_epsilon", "certified ε", "auc", epsilons));
  out += "\n## At equal empirical privacy\n";
  out += fmt::format("\nAccuracy at the median score:\n\n{}",
                     table("e_opt", "E_opt", "accuracy_median", errors));
  out += fmt::format("\nAUC:\n\n{}", table("e_opt", "E_opt", "auc", errors));
  out += fmt::format("\nAttack AUC by the loss:\n\n{}", table("e_opt", "E_opt", "loss_attack_auc", errors));
  return out + fmt::format("\n## Time\n\n{}", cost_table(settings, results));
}

}  // namespace

void report_tem(const Run& run, const TemSettings& settings, const TemTables& tables) {
  const TemResults results(settings, tables);
  const std::string note = note_of(run, settings, results);
  for (const FigurePlan& plan : kFigures) {
    run.save_figure(plan.file, plot_of(plan, settings, results, note));
  }
  run.save_text("tables.md", tables_of(settings, results, note));
}

}  // namespace sotto::lab
