#include "lab/gumbel/attack_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sotto/parameters.h"

namespace sotto::lab::gumbel {

namespace {

// N_w of a noise as attacks.csv names it: a column of its own curve, or "as" a column of truncated-gumbel.
std::optional<double> unchanged_of(const Points& deniability, const std::string& data,
                                   const std::string& mechanism, const std::string& strength) {
  const bool borrowed = strength.starts_with("as ");
  const auto row = deniability.find(std::vector<std::string>{data, borrowed ? "truncated-gumbel" : mechanism,
                                                             borrowed ? strength.substr(3) : strength});
  if (!row) return std::nullopt;
  return row->values[deniability.value("n_w")];
}

html::Plot plot_of(const std::string& data, const std::string& training, const Settings& settings,
                   const ReportTables& tables) {
  const Points& attacks = tables.attacks;
  html::Plot plot{
      .title =
          fmt::format("{}, {} training: accuracy under attack", data == "imdb" ? "IMDB" : "SNLI", training),
      .caption = "Each point is an attack by one mechanism; bars are 95% intervals over the texts.",
      .x = {.label = "N_w: probability that a word stays", .from = 0.2, .to = 1.02},
      .y = {.label = "accuracy under attack", .from = 0, .to = 1}};
  for (const Curve& curve : settings.curves) {
    html::Series series{.name = curve.mechanism};
    for (const Points::Row& row : attacks.rows()) {
      if (row.keys[0] != data || row.keys[1] != training || row.keys[4] != curve.mechanism) continue;
      if (row.keys[6] != number_text(static_cast<double>(settings.draws.front()))) continue;
      const std::optional<double> x = unchanged_of(tables.deniability, data, row.keys[4], row.keys[5]);
      if (!x) continue;
      series.points.push_back({.x = *x,
                               .y = row.values[attacks.value("adversarial")],
                               .low = row.values[attacks.value("adversarial_low")],
                               .high = row.values[attacks.value("adversarial_high")]});
    }
    std::ranges::sort(series.points, {}, &html::Point::x);
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

void draw_attacks(const Run& run, const Settings& settings, const ReportTables& tables) {
  for (const std::string data : {"imdb", "snli"}) {
    for (const std::string training : {"normal", "certified", "augmented"}) {
      const html::Plot plot = plot_of(data, training, settings, tables);
      if (!plot.series.empty()) run.save_figure(fmt::format("attack-{}-{}", data, training), plot);
    }
  }
}

}  // namespace sotto::lab::gumbel
