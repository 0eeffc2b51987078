#include "lab/gumbel/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "sotto/parameters.h"

namespace sotto::lab::gumbel {

namespace {

struct Statistic {
  const char* column;
  const char* deviation;
  const char* file;
  const char* label;
};
constexpr Statistic kUnchanged = {"n_w", "n_w_deviation", "nw", "N_w: probability that a word stays"};
constexpr Statistic kDistinct = {"s_w", "s_w_deviation", "sw", "S_w: different words in 1,000 draws"};

const char* title_of(const std::string& data) {
  return data == "imdb" ? "IMDB" : "SNLI";
}

html::Axis axis_of(const Curve& curve) {
  switch (curve.strength) {
    case Curve::Strength::log_epsilon:
      return {.label = "ln epsilon"};
    case Curve::Strength::inverse_scale:
      return {.label = "1 / b = epsilon - 2 ln n / D0", .scale = html::Axis::Scale::logarithmic};
    case Curve::Strength::epsilon:
      break;
  }
  return {.label = "epsilon", .scale = html::Axis::Scale::logarithmic};
}

std::optional<Points::Row> row_at(const Points& table, const std::string& data, const Curve& curve,
                                  double strength) {
  return table.find(std::vector<std::string>{data, curve.mechanism, number_text(strength)});
}

void draw_curve(const Run& run, const Curve& curve, const Statistic& statistic, const Points& table) {
  html::Plot plot{.title = fmt::format("Figure 1: {}, {}", curve.mechanism, statistic.label),
                  .caption =
                      "Mean over public words of the vocabulary; the band is one standard deviation of "
                      "the words.",
                  .x = axis_of(curve),
                  .y = {.label = statistic.label}};
  if (&statistic == &kUnchanged) plot.y.from = 0, plot.y.to = 1.05;
  for (const std::string data : {"imdb", "snli"}) {
    html::Series series{.name = title_of(data), .interval = html::Series::Interval::band};
    for (const double strength : curve.strengths) {
      const auto row = row_at(table, data, curve, strength);
      if (!row) continue;
      const double y = row->values[table.value(statistic.column)];
      const double deviation = row->values[table.value(statistic.deviation)];
      const double epsilon = row->values[table.value("epsilon")];
      const double top = &statistic == &kUnchanged ? 1.0 : 1000.0;
      series.points.push_back(
          {.x = curve.strength == Curve::Strength::log_epsilon ? std::log(epsilon) : strength,
           .y = y,
           .low = std::max(0.0, y - deviation),
           .high = std::min(top, y + deviation)});
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  run.save_figure(fmt::format("figure-1-{}-{}", curve.mechanism, statistic.file), plot);
}

void draw_range(const Run& run, const Settings& settings, const std::string& data, const Points& table) {
  html::Plot plot{.title = fmt::format("Figure 2: S_w against N_w on {}", title_of(data)),
                  .caption = "Fewer different words at the same N_w is a smaller range of substitutions.",
                  .x = {.label = kUnchanged.label, .from = 0, .to = 1.02},
                  .y = {.label = kDistinct.label, .scale = html::Axis::Scale::logarithmic}};
  for (const Curve& curve : settings.curves) {
    html::Series series{.name = curve.mechanism};
    for (const double strength : curve.strengths) {
      const auto row = row_at(table, data, curve, strength);
      if (!row) continue;
      series.points.push_back({.x = row->values[table.value("n_w")], .y = row->values[table.value("s_w")]});
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  run.save_figure(fmt::format("figure-2-{}", data), plot);
}

std::string epsilon_cell(double epsilon) {
  return epsilon < 1e5 ? fmt::format("{:.5g}", epsilon) : fmt::format("{:.3g}", epsilon);
}

}  // namespace

void draw_figures(const Run& run, const Settings& settings, const Points& deniability) {
  for (const Curve& curve : settings.curves) {
    draw_curve(run, curve, kUnchanged, deniability);
    draw_curve(run, curve, kDistinct, deniability);
  }
  for (const std::string data : {"imdb", "snli"}) draw_range(run, settings, data, deniability);
}

std::string figures_text(const Settings& settings, const Points& table1, const Points& deniability,
                         const Points& claims) {
  std::string out =
      "## Table 1\n\n| data | part | texts | tokens | different words | length | known tokens | words of the "
      "vocabulary |\n|---|---|---|---|---|---|---|---|\n";
  for (const Points::Row& row : table1.rows()) {
    const auto& v = row.values;
    out += fmt::format("| {} | {} | {} | {} | {} | {:.2f} ± {:.2f} | {:.1f}% | {} |\n", row.keys[0],
                       row.keys[1], v[0], v[1], v[2], v[3], v[4], 100 * v[5], v[6]);
  }
  out +=
      "\n## Figures 1 and 2\n\n| data | mechanism | strength | ε | N_w | its 95% interval | S_w | its 95% "
      "interval | known |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const std::string data : {"imdb", "snli"}) {
    for (const Curve& curve : settings.curves) {
      for (const double strength : curve.strengths) {
        const auto row = row_at(deniability, data, curve, strength);
        if (!row) continue;
        const auto& v = row->values;
        out += fmt::format(
            "| {} | {} | {} | {} | {:.4f} | {:.4f} to {:.4f} | {:.2f} | {:.2f} to {:.2f} | {} |\n", data,
            curve.mechanism, number_text(strength), epsilon_cell(v[0]), v[1], v[2], v[3], v[5], v[6], v[7],
            v[9] > 0 ? "by its law" : "by draws");
      }
    }
  }
  out +=
      "\n## Lemma 1 and appendix C\n\n| place | claim | candidates | ε | printed bound (mean) | exact (mean) "
      "| "
      "words that break the bound |\n|---|---|---|---|---|---|---|\n";
  for (const Points::Row& row : claims.rows()) {
    const auto& v = row.values;
    out += fmt::format("| {} | {} | {} | {} | {:.4f} | {:.4f} | {:.1f}% |\n", row.keys[0],
                       row.keys[1] == "lemma 1" ? "lemma 1: at most" : "appendix C: at least", row.keys[2],
                       epsilon_cell(v[0]), v[1], v[2], 100 * v[3]);
  }
  return out;
}

}  // namespace sotto::lab::gumbel
