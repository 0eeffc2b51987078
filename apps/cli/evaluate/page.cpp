#include <fmt/format.h>

#include "cli/evaluate/text.h"
#include "html/page.h"
#include "html/text.h"
#include "shared/console.h"

namespace sotto::cli {
namespace {

using Chosen = double (*)(const EvaluationRow& row);

// Accuracy on clear text of both learners against a figure of each row.
html::Plot accuracy_plot(const api::EvaluateAnswer& answer, const char* title, const char* label, Chosen x) {
  html::Plot plot{.title = title,
                  .caption =
                      "Tested on clear text. Labels are epsilons; bars are one standard deviation over the "
                      "draws."};
  plot.x = {.label = label};
  plot.y = {.label = "accuracy"};
  const Evaluation& found = answer.evaluation;
  plot.lines = {{.at = found.clear, .label = fmt::format("clear text {:.3f}", found.clear)},
                {.at = found.majority, .label = fmt::format("most frequent class {:.3f}", found.majority)}};
  const auto add = [&](const char* name, AccuracyRange EvaluationRow::*range) {
    html::Series series{.name = name};
    for (std::size_t i = 0; i < answer.evaluation.rows.size(); ++i) {
      const EvaluationRow& row = answer.evaluation.rows[i];
      const AccuracyRange& own = row.*range;
      html::Point point{.x = x(row), .y = own.mean};
      if (own.deviation > 0) {
        point.low = own.mean - own.deviation;
        point.high = own.mean + own.deviation;
      }
      point.label = number_text(answer.mechanisms[i].claim.epsilon);
      series.points.push_back(std::move(point));
    }
    plot.series.push_back(std::move(series));
  };
  add("lifted", &EvaluationRow::lifted_on_clear);
  add("direct", &EvaluationRow::direct_on_clear);
  return plot;
}

}  // namespace

std::string evaluate_page(const api::EvaluateAnswer& answer, const EvaluateLine& line, std::string command) {
  const Evaluation& found = answer.evaluation;
  html::Page page(
      {.title = "Accuracy on private text",
       .lead = "What a classifier loses when it is trained on private text instead of clear text.",
       .version = SOTTO_VERSION,
       .command = std::move(command)});
  const auto chosen = answer.chosen();
  page.notice(
      {.tone = chosen ? html::Notice::Tone::good : html::Notice::Tone::caution,
       .title = chosen ? fmt::format("epsilon {} loses at most {:.3f}, by {} training",
                                     number_text(answer.mechanisms[*chosen].claim.epsilon), answer.max_drop,
                                     api::better_learner(found.rows[*chosen]))
                       : fmt::format("every row loses more than {:.3f}", answer.max_drop),
       .sentences = {chosen ? line(answer.mechanisms[*chosen]) : "Try a larger epsilon, or public text.",
                     std::string(api::kEvaluateNote)}});
  page.facts({{.name = "trained and tested on clear text", .value = fmt::format("{:.3f}", found.clear)},
              {.name = "most frequent class", .value = fmt::format("{:.3f}", found.majority)},
              {.name = "texts to learn from", .value = std::uint64_t{found.trained}},
              {.name = "texts to test on", .value = std::uint64_t{found.tested}},
              {.name = "public texts", .value = std::uint64_t{answer.public_texts}}});
  html::Table table{.caption = "Accuracy; direct: private words are taken for the true ones.",
                    .headings = {"epsilon", "words kept", "E_opt", "direct, clear", "lifted, clear",
                                 "direct, private", "lifted, private"}};
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const EvaluationRow& row = found.rows[i];
    table.rows.push_back({number_text(answer.mechanisms[i].claim.epsilon), percent(row.unchanged),
                          attacker_text(row.e_opt), accuracy_text(row.direct_on_clear),
                          accuracy_text(row.lifted_on_clear), accuracy_text(row.direct_on_private),
                          accuracy_text(row.lifted_on_private)});
  }
  page.table(table);
  page.plot(
      accuracy_plot(answer, "Accuracy against the attacker's error", "E_opt", [](const EvaluationRow& row) {
        return row.e_opt.value.value_or((row.e_opt.interval.low + row.e_opt.interval.high) / 2);
      }));
  page.plot(accuracy_plot(answer, "Accuracy against words that stay", "expected share of words unchanged",
                          [](const EvaluationRow& row) { return row.unchanged; }));
  return page.html();
}

}  // namespace sotto::cli
