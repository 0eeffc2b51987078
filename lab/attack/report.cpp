#include "lab/attack/report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace sotto::lab::attack {

namespace {

// Columns of attacks.csv that have an interval.
struct Share {
  const char* column;
  const char* low;
  const char* high;
};
constexpr Share kError = {"error", "error_low", "error_high"};
constexpr Share kReplaced = {"error_replaced", "error_replaced_low", "error_replaced_high"};
constexpr std::array kShown = {"output", "mask", "context-free", "bigram", "trigram", "cache", "combined"};

double cell(const Points& table, const Points::Row& row, std::string_view column) {
  return row.values[table.value(column)];
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f}", value) : "-";
}

std::string with_interval(const Points& table, const Points::Row& row, const Share& share) {
  return fmt::format("{} ({} to {})", number(cell(table, row, share.column)),
                     number(cell(table, row, share.low)), number(cell(table, row, share.high)));
}

std::optional<Points::Row> prototype_row(const Settings& settings, const Points& attacks, double epsilon,
                                         const char* attacker) {
  return attacks.find(std::vector<std::string>{"reviews", settings.rivals.front().mechanism, kChosen,
                                               number_text(epsilon), attacker});
}

// The attack on one rival at one level; empty if it was not run.
std::optional<Points::Row> equal_row(const Points& attacks, const Points& levels,
                                     const std::array<std::string, 3>& place, const char* attacker) {
  const auto level = levels.find(place);
  if (!level) return std::nullopt;
  return attacks.find(std::vector<std::string>{place[0], place[1], place[2],
                                               number_text(cell(levels, *level, "epsilon")), attacker});
}

void draw_epsilons(const Run& run, const Settings& settings, const Points& attacks) {
  html::Plot errors{.title = "tem on reviews: how often attackers guess a word wrongly",
                    .caption = "All tokens; bars are 95% intervals over documents.",
                    .x = {.label = "epsilon (per unit of Euclidean distance)"},
                    .y = {.label = "share of wrong guesses", .from = 0, .to = 1}};
  html::Plot recovered{.title = "tem on reviews: replaced words that attackers recover",
                       .caption = "Of the tokens that the mechanism changed; 95% intervals over documents.",
                       .x = errors.x,
                       .y = {.label = "share recovered", .from = 0, .to = 0.4}};
  for (const char* attacker : kShown) {
    html::Series error{.name = attacker};
    html::Series share{.name = attacker};
    for (const double epsilon : settings.epsilons) {
      const auto row = prototype_row(settings, attacks, epsilon, attacker);
      if (!row) continue;
      error.points.push_back({.x = epsilon,
                              .y = cell(attacks, *row, kError.column),
                              .low = cell(attacks, *row, kError.low),
                              .high = cell(attacks, *row, kError.high)});
      share.points.push_back({.x = epsilon,
                              .y = 1 - cell(attacks, *row, kReplaced.column),
                              .low = 1 - cell(attacks, *row, kReplaced.high),
                              .high = 1 - cell(attacks, *row, kReplaced.low)});
    }
    if (error.points.empty()) continue;
    errors.series.push_back(std::move(error));
    recovered.series.push_back(std::move(share));
  }
  run.save_figure("epsilons-error", errors);
  run.save_figure("epsilons-recovered", recovered);
}

void draw_equal(const Run& run, const Settings& settings, const Points& attacks, const Points& levels) {
  for (const std::string corpus : {"tweets", "reviews"}) {
    html::Plot plot{
        .title = fmt::format("{}: replaced words that the attacker combined recovers", corpus),
        .caption = "Mechanisms at equal E_opt; bars are 95% intervals over documents.",
        .x = {.label = "error of the attacker without context on this text", .from = 0.2, .to = 0.8},
        .y = {.label = "share recovered, of the replaced", .from = 0}};
    for (const Rival& rival : settings.rivals) {
      html::Series series{.name = rival.mechanism};
      for (const double level : settings.levels) {
        const std::array<std::string, 3> place = {corpus, rival.mechanism, number_text(level)};
        const auto alone = equal_row(attacks, levels, place, "context-free");
        const auto best = equal_row(attacks, levels, place, "combined");
        if (!alone || !best) continue;
        series.points.push_back({.x = cell(attacks, *alone, kError.column),
                                 .y = 1 - cell(attacks, *best, kReplaced.column),
                                 .low = 1 - cell(attacks, *best, kReplaced.high),
                                 .high = 1 - cell(attacks, *best, kReplaced.low)});
      }
      if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
    if (!plot.series.empty()) run.save_figure(fmt::format("equal-{}", corpus), plot);
  }
}

std::string epsilons_text(const Settings& settings, const Points& attacks) {
  std::string out;
  for (const Share& share : {kError, kReplaced}) {
    out += fmt::format("\n## tem on reviews: {}\n\n| attacker |", share.column);
    std::string rule = "\n|---|";
    for (const double epsilon : settings.epsilons) {
      out += fmt::format(" {} |", number_text(epsilon));
      rule += "---|";
    }
    out += rule;
    for (const char* attacker : kShown) {
      out += fmt::format("\n| `{}` |", attacker);
      for (const double epsilon : settings.epsilons) {
        const auto row = prototype_row(settings, attacks, epsilon, attacker);
        out += fmt::format(" {} |", row ? with_interval(attacks, *row, share) : "");
      }
    }
    out += '\n';
  }
  return out;
}

std::string equal_text(const Settings& settings, const Points& attacks, const Points& levels) {
  std::string out;
  for (const std::string corpus : {"tweets", "reviews"}) {
    out += fmt::format(
        "\n## Equal E_opt: {}\n\n| E_opt | mechanism | epsilon | bracket | replaced | `output` | "
        "`context-free` "
        "| `bigram` | `combined` | replaced, `context-free` | replaced, `combined` |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|\n",
        corpus);
    for (const double level : settings.levels) {
      for (const Rival& rival : settings.rivals) {
        const std::array<std::string, 3> place = {corpus, rival.mechanism, number_text(level)};
        const auto found = levels.find(place);
        if (!found) continue;
        const bool reached = cell(levels, *found, "reached") > 0;
        out += fmt::format("| {} | `{}` | {:.6g}{} | {} to {} |", number_text(level), rival.mechanism,
                           cell(levels, *found, "epsilon"), reached ? "" : " (smallest; level not reached)",
                           number(cell(levels, *found, "e_opt_low")),
                           number(cell(levels, *found, "e_opt_high")));
        const auto alone = equal_row(attacks, levels, place, "context-free");
        out += alone
                   ? fmt::format(" {} |",
                                 number(cell(attacks, *alone, "replaced") / cell(attacks, *alone, "tokens")))
                   : " |";
        for (const char* attacker : {"output", "context-free", "bigram", "combined"}) {
          const auto row = equal_row(attacks, levels, place, attacker);
          out += fmt::format(" {} |", row ? with_interval(attacks, *row, kError) : "");
        }
        for (const char* attacker : {"context-free", "combined"}) {
          const auto row = equal_row(attacks, levels, place, attacker);
          out += fmt::format(" {} |", row ? with_interval(attacks, *row, kReplaced) : "");
        }
        out += '\n';
      }
    }
  }
  return out;
}

}  // namespace

void report(const Run& run, const Settings& settings, const Points& attacks, const Points& levels) {
  draw_epsilons(run, settings, attacks);
  draw_equal(run, settings, attacks, levels);
  run.save_text("tables.md", epsilons_text(settings, attacks) + equal_text(settings, attacks, levels));
}

}  // namespace sotto::lab::attack
