#include "lab/learn/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/points.h"
#include "lab/statistics.h"

namespace sotto::lab::learning {

namespace {

constexpr const char* kError = "E_opt: how often the best attacker guesses a word wrongly";

struct Titled {
  std::string_view name;  // of a task
  std::string_view title;
};
constexpr Titled kTasks[] = {{"reviews", "Reviews"},
                             {"tweets", "Tweets"},
                             {"mr", "Film sentences (MR)"},
                             {"sst", "Film sentences (SST)"},
                             {"trec", "Questions (TREC)"}};

// The draws of one learner at one place.
struct Result {
  std::string task;
  std::string series;
  std::string epsilon;
  std::string public_texts;
  std::string learner;
  std::vector<Points::Row> draws = {};
};

class Results {
 public:
  explicit Results(const Tables& tables) : tables_(tables) {
    for (Points::Row& row : tables.points.rows()) {
      const auto is_same = [&](const Result& one) {
        return one.task == row.keys[0] && one.series == row.keys[1] && one.epsilon == row.keys[2] &&
               one.public_texts == row.keys[3] && one.learner == row.keys[4];
      };
      auto found = std::ranges::find_if(all_, is_same);
      if (found == all_.end()) {
        found = all_.insert(all_.end(), {.task = row.keys[0],
                                         .series = row.keys[1],
                                         .epsilon = row.keys[2],
                                         .public_texts = row.keys[3],
                                         .learner = row.keys[4]});
      }
      found->draws.push_back(std::move(row));
    }
  }

  [[nodiscard]] const std::vector<Result>& all() const noexcept { return all_; }
  // A column of points.csv, by draw.
  [[nodiscard]] std::vector<double> values(const Result& result, std::string_view column) const {
    std::vector<double> out;
    for (const Points::Row& row : result.draws) out.push_back(row.values[tables_.points.value(column)]);
    return out;
  }
  [[nodiscard]] TrialMean mean(const Result& result, std::string_view column) const {
    return trial_mean(values(result, column));
  }
  // A column of mechanisms.csv; NaN if there is none.
  [[nodiscard]] double known(const Result& result, std::string_view column) const {
    const std::vector<std::string> keys = {result.task, result.series, result.epsilon};
    const auto found = tables_.mechanisms.find(keys);
    return found ? found->values[tables_.mechanisms.value(column)] : kNone;
  }

 private:
  Tables tables_;
  std::vector<Result> all_;
};

bool is_baseline(const Result& result) {
  return result.epsilon == "none";
}

html::Point point_of(const Results& results, const Result& result, double x) {
  const TrialMean mean = results.mean(result, "accuracy");
  return {.x = x, .y = mean.mean, .low = mean.interval.low, .high = mean.interval.high};
}

// Accuracy against E_opt; `most`: the public texts of the places that are drawn.
html::Plot accuracy_plot(const Results& results, std::string_view task, std::string_view series,
                         std::string_view most, std::string caption) {
  html::Plot plot{.title = "Trained on private text, tested on clear text",
                  .caption = std::move(caption),
                  .x = {.label = kError},
                  .y = {.label = "accuracy"}};
  for (const std::string_view learner : {kDirect, kRehearsed, kFused}) {
    html::Series curve{.name = std::string(learner)};
    for (const Result& one : results.all()) {
      if (one.task != task || one.series != series || one.public_texts != most || one.learner != learner) {
        continue;
      }
      curve.points.push_back(point_of(results, one, results.known(one, "e_opt")));
    }
    std::ranges::sort(curve.points, {}, &html::Point::x);
    if (!curve.points.empty()) plot.series.push_back(std::move(curve));
  }
  for (const Result& one : results.all()) {
    if (one.task != task || !is_baseline(one) || one.public_texts != most) continue;
    if (one.learner != kClearFeatures && one.learner != kPublicBest) continue;
    const double at = results.mean(one, "accuracy").mean;
    plot.lines.push_back(
        {.at = at,
         .label =
             fmt::format("{} {:.3f}", one.learner == kClearFeatures ? "clear text" : "public only", at)});
  }
  return plot;
}

// Against the number of public texts, at one place of the first plot.
html::Plot public_plot(const Results& results, const Place& place, std::string caption) {
  html::Plot plot{.title = "How much public text is needed",
                  .caption = std::move(caption),
                  .x = {.label = "public reviews without labels", .scale = html::Axis::Scale::logarithmic},
                  .y = {.label = "accuracy on clear text"}};
  for (const std::string_view learner : {kDirect, kRehearsed, kFused}) {
    html::Series curve{.name = std::string(learner)};
    for (const Result& one : results.all()) {
      if (one.task != place.task || one.series != place.series || one.epsilon != place.epsilon() ||
          one.learner != learner) {
        continue;
      }
      curve.points.push_back(point_of(results, one, std::stod(one.public_texts)));
    }
    std::ranges::sort(curve.points, {}, &html::Point::x);
    if (!curve.points.empty()) plot.series.push_back(std::move(curve));
  }
  return plot;
}

// The lifted learner behind each mechanism and metric, on reviews.
html::Plot mechanisms_plot(const Results& results, std::string caption) {
  html::Plot plot{.title = "Mechanisms and metrics at equal E_opt",
                  .caption = std::move(caption),
                  .x = {.label = kError},
                  .y = {.label = "accuracy on clear text"}};
  for (const Result& one : results.all()) {
    if (one.task != "reviews" || one.learner != kRehearsed) continue;
    const std::string name = fmt::format("{}, {} public texts", one.series, one.public_texts);
    auto found = std::ranges::find(plot.series, name, &html::Series::name);
    if (found == plot.series.end()) found = plot.series.insert(found, {.name = name});
    found->points.push_back(point_of(results, one, results.known(one, "e_opt")));
  }
  for (html::Series& curve : plot.series) std::ranges::sort(curve.points, {}, &html::Point::x);
  return plot;
}

std::string share_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f}", value) : "";
}
std::string mean_text(const TrialMean& mean) {
  if (!std::isfinite(mean.interval.high)) return share_text(mean.mean);
  return fmt::format("{:.3f} ± {:.3f}", mean.mean, mean.interval.high - mean.mean);
}
std::string settings_text(const Results& results, const Result& result, std::string_view column) {
  std::string out;
  for (const double value : results.values(result, column)) {
    if (std::isfinite(value)) out += fmt::format("{}{}", out.empty() ? "" : ", ", number_text(value));
  }
  return out;
}

std::string table_of(const Results& results, std::string_view task) {
  std::string out =
      "| mechanism | ε | E_opt | unchanged | public texts | learner | accuracy | at the median | AUC | on "
      "private text | features | L2 |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Result& one : results.all()) {
    if (one.task != task) continue;
    out += fmt::format("| {} | {} | {} | {} | {} | {} |", is_baseline(one) ? "" : one.series,
                       is_baseline(one) ? "" : one.epsilon, share_text(results.known(one, "e_opt")),
                       share_text(results.known(one, "unchanged")), one.public_texts, one.learner);
    for (const char* column : {"accuracy", "accuracy_median", "auc", "private_accuracy"}) {
      out += fmt::format(" {} |", mean_text(results.mean(one, column)));
    }
    out += fmt::format(" {} | {} |\n", settings_text(results, one, "features"),
                       settings_text(results, one, "penalty"));
  }
  return out;
}

// What a metric that knows the task gives away.
std::string given_away_table(const Points& points) {
  std::string out =
      "| mechanism | ε | what the best attacker guesses | words | error with the plain vectors | error with "
      "the "
      "scores | without any output |\n|---|---|---|---|---|---|---|\n";
  for (const Points::Row& row : points.rows()) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.keys[0], row.keys[1], row.keys[2],
                       number_text(row.values[0]), share_text(row.values[1]), share_text(row.values[2]),
                       share_text(row.values[3]));
  }
  return out;
}

std::string attackers_table(const Points& points) {
  std::string out =
      "| mechanism | ε | attacker | words | error | of content words | of replaced words |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Points::Row& row : points.rows()) {
    const auto error = [&](std::string_view column) {
      const double value = row.values[points.value(column)];
      const double high = row.values[points.value(fmt::format("{}_high", column))];
      return std::isfinite(value) ? fmt::format("{:.3f} ± {:.3f}", value, high - value) : std::string();
    };
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.keys[1], row.keys[2], row.keys[3],
                       number_text(row.values[points.value("tokens")]), error("error"),
                       error("error_content"), error("error_replaced"));
  }
  return out;
}

}  // namespace

void report(const Run& run, const Settings& settings, const Tables& found) {
  const Results results(found);
  const Place& first = settings.places.front();  // of reviews
  std::size_t most = 0;
  for (const Place& place : settings.places) {
    if (place.task == "reviews") most = std::max(most, place.public_texts);
  }
  const std::string quick =
      run.request().extent == Extent::quick ? "A QUICK run: fewer texts, epsilons and draws. " : "";
  const auto caption_of = [&](std::string_view what) {
    return fmt::format("{}{}; means with 95% intervals over draws of the noise.", quick, what);
  };
  const std::string caption = caption_of("IMDB reviews, tem with gamma inf");
  run.save_figure("accuracy-eopt",
                  accuracy_plot(results, "reviews", first.series, fmt::format("{}", most), caption));
  run.save_figure("public-texts", public_plot(results, first, caption));
  run.save_figure("mechanisms", mechanisms_plot(results, caption_of("IMDB reviews, settings by rehearsal")));
  std::string tables =
      fmt::format("{}Means with 95% intervals (Student's t) over draws of the noise.\n", quick);
  for (const Titled& task : kTasks) {
    tables += fmt::format("\n## {}\n\n{}", task.title, table_of(results, task.name));
  }
  tables += fmt::format("\n## What a metric that knows the task gives away\n\n{}",
                        given_away_table(found.given_away));
  tables += fmt::format("\n## Attackers who read whole texts\n\n{}", attackers_table(found.attackers));
  run.save_text("tables.md", tables);
}

}  // namespace sotto::lab::learning
