#include "cli/tune/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html/page.h"
#include "html/text.h"
#include "shared/flag_names.h"

namespace sotto::cli {

namespace {

using html::Notice;

// Points of one family, in the order of the answer.
struct FamilyPoints {
  std::string name;
  std::vector<const TunePoint*> points = {};
};
// Those without an epsilon come last, so that a family has the same colour in every plot.
std::vector<FamilyPoints> families(const api::TuneAnswer& answer) {
  std::vector<FamilyPoints> out;
  for (const TunePoint& point : answer.found.points) {
    const std::string name = point.candidate.family();
    if (out.empty() || out.back().name != name) out.push_back({.name = name});
    out.back().points.push_back(&point);
  }
  std::stable_partition(out.begin(), out.end(), [](const FamilyPoints& family) {
    return family.points.front()->candidate.epsilon().has_value();
  });
  return out;
}

// Where the figure lies between two ends.
void add_bar(html::Point& drawn, const std::optional<Bounds>& bounds) {
  if (!bounds || !(bounds->low < bounds->high)) return;
  drawn.low = bounds->low;
  drawn.high = bounds->high;
}

html::Plot frontier_plot(const api::TuneAnswer& answer) {
  const UtilityLoss loss = answer.loss;
  html::Plot plot{
      .title = "Inference error against utility loss",
      .caption =
          "Up and to the left is better. Labels are epsilons. Where only draws are known the point is an "
          "upper bound, the error of the best attack that was carried out, so it looks better than a point "
          "without a bar; the bar reaches down to what is certain, and decisions use that end."};
  plot.x = {.label = fmt::format("L: {}", loss_meaning(loss)), .from = 0};
  plot.y = {.label = "E_opt", .from = 0};
  for (const FamilyPoints& family : families(answer)) {
    html::Series series{.name = family.name};
    for (const TunePoint* point : family.points) {
      const auto x = point->middle(loss_quantity(loss));
      const auto y = point->drawn("e_opt");
      if (!x || !y) continue;
      html::Point drawn{.x = *x, .y = *y};
      add_bar(drawn, point->bounds("e_opt"));
      if (const auto epsilon = point->candidate.epsilon()) drawn.label = number_text(*epsilon);
      series.points.push_back(std::move(drawn));
    }
    plot.series.push_back(std::move(series));
  }
  plot.size.height = 460;
  return plot;
}

struct CurveStyle {
  const char* title;
  std::string figure;
  std::string label;
  const char* caption;
  bool intervals;
};
html::Plot curve_plot(const api::TuneAnswer& answer, const CurveStyle& style) {
  html::Plot plot{.title = style.title, .caption = style.caption};
  plot.x = {.label = "epsilon (nominal, in the mechanism's own unit)",
            .scale = html::Axis::Scale::logarithmic};
  plot.y = {.label = style.label, .from = 0};
  for (const FamilyPoints& family : families(answer)) {
    html::Series series{.name = family.name};
    for (const TunePoint* point : family.points) {
      const auto epsilon = point->candidate.epsilon();
      const auto y = point->drawn(style.figure);
      if (!epsilon || !y) continue;
      html::Point drawn{.x = *epsilon, .y = *y};
      if (style.intervals) add_bar(drawn, point->bounds(style.figure));
      series.points.push_back(std::move(drawn));
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return plot;
}

void add_ceiling(const api::TuneAnswer& answer, html::Plot& plot) {
  const double ceiling = answer.prior.constant_guess;
  plot.y.to = std::min(1.0, 1.05 * ceiling) < ceiling ? ceiling : std::min(1.05 * ceiling, 1.05);
  plot.lines.push_back({.at = ceiling, .label = fmt::format("constant guess {}", html::number(ceiling))});
  if (answer.constraints.min_inference_error) {
    plot.lines.push_back({.at = *answer.constraints.min_inference_error, .label = "asked for"});
  }
}

Notice answer_box(const api::TuneAnswer& answer, const PrivatizeLine& line) {
  if (!answer.constraints.any()) {
    return {.tone = Notice::Tone::neutral,
            .title = "No constraint was given",
            .sentences = {
                "The frontier is shown; a bound on loss, inference error or certified epsilon chooses from "
                "it."}};
  }
  if (const TunePoint* point = answer.recommended()) {
    const bool proven = point->status == Status::proven;
    const Strength strength = answer.recommended_strength();
    Notice notice{
        .tone = !proven || strength == Strength::none ? Notice::Tone::bad
                : strength == Strength::ok            ? Notice::Tone::good
                                                      : Notice::Tone::caution,
        .title = (proven ? "Recommended for " : "NOT PRIVATE: the answer as the paper prints it, for ") +
                 answer.constraints_text(),
        .sentences = {answer.tradeoff_text(*point) + ".", line.recommended(answer)}};
    if (strength != Strength::ok) notice.sentences.push_back(strength_sentence(strength));
    for (const std::size_t index : answer.may_be_better()) {
      notice.sentences.push_back(
          "May be better, more draws would tell: " + answer.tradeoff_text(answer.found.points[index]) + ".");
    }
    return notice;
  }
  Notice notice{.tone = Notice::Tone::bad, .title = "Nothing that was tried " + answer.failure_text()};
  if (const TunePoint* point = answer.nearest()) {
    notice.sentences.push_back("Nearest: " + answer.tradeoff_text(*point) + ".");
  }
  return notice;
}

std::string ends_text(const TunePoint& point, std::string_view figure) {
  const auto bounds = point.bounds(figure);
  if (!bounds) return "-";
  if (bounds->low == bounds->high || !point.find(figure)->bracket) return html::number(*point.middle(figure));
  return fmt::format("{} to {}", html::number(bounds->low), html::number(bounds->high));
}

html::Table table_of(const api::TuneAnswer& answer, const std::vector<std::size_t>& indexes,
                     std::string caption) {
  html::Table table{.caption = std::move(caption),
                    .headings = {"setting", "nominal epsilon", "certified epsilon", "E_opt", "L", "N_w"}};
  for (const std::size_t index : indexes) {
    const TunePoint& point = answer.found.points[index];
    const auto epsilon = point.candidate.epsilon();
    table.rows.push_back({point.candidate.family(), epsilon ? number_text(*epsilon) : "-",
                          !point.certified_epsilon          ? "none"
                          : point.certified_by == "theorem" ? "not computed"
                                                            : html::number_above(*point.certified_epsilon),
                          ends_text(point, "e_opt"), ends_text(point, loss_quantity(answer.loss)),
                          ends_text(point, "n_w")});
  }
  return table;
}

void add_beside(html::Page& page, const api::TuneAnswer& answer) {
  if (answer.recommended() == nullptr) return;
  std::vector<std::size_t> same_epsilon;
  std::vector<std::size_t> same_error;
  for (const api::Beside& row : answer.beside()) {
    if (row.same_epsilon) same_epsilon.push_back(*row.same_epsilon);
    if (row.same_error) same_error.push_back(*row.same_error);
  }
  page.section("Beside it");
  if (!same_epsilon.empty()) {
    page.table(
        table_of(answer, same_epsilon, "With no larger certified epsilon: the largest of each family"));
  }
  if (!same_error.empty()) {
    page.table(table_of(answer, same_error, "With no smaller E_opt: the least L of each family"));
  }
}

}  // namespace

std::vector<std::pair<std::string, html::Plot>> tune_plots(const api::TuneAnswer& answer) {
  const UtilityLoss loss = answer.loss;
  html::Plot tradeoff = frontier_plot(answer);
  add_ceiling(answer, tradeoff);
  html::Plot error =
      curve_plot(answer, {.title = "Inference error against epsilon",
                          .figure = "e_opt",
                          .label = "E_opt",
                          .caption = "Epsilons of different mechanisms are not the same promise in "
                                     "practice: compare at equal E_opt as well.",
                          .intervals = true});
  add_ceiling(answer, error);
  html::Plot lost = curve_plot(answer, {.title = "Utility loss against epsilon",
                                        .figure = std::string(loss_quantity(loss)),
                                        .label = "L",
                                        .caption = "What use is lost, by epsilon.",
                                        .intervals = true});
  if (answer.constraints.max_loss) {
    const double most = *answer.constraints.max_loss;
    lost.lines.push_back({.at = most, .label = "allowed"});
    tradeoff.lines.push_back(
        {.across = html::ReferenceLine::Across::vertical, .at = most, .label = "allowed loss"});
  }
  html::Plot unchanged = curve_plot(
      answer, {.title = "N_w: a word stays as it is",
               .figure = "n_w",
               .label = "probability, mean over 10 words",
               .caption = "Plausible deniability: the smaller, the more an unchanged word can be denied.",
               .intervals = false});
  unchanged.y.to = 1;
  html::Plot distinct =
      curve_plot(answer, {.title = "S_w: different words among 1,000 outputs of a word",
                          .figure = "s_w",
                          .label = "words, mean over 10 words",
                          .caption = "Plausible deniability: the more words may come out, the better.",
                          .intervals = false});
  return {{"frontier", tradeoff},
          {"inference-error", error},
          {"loss", lost},
          {"n_w", unchanged},
          {"s_w", distinct}};
}

std::string tune_page(const api::TuneAnswer& answer, const PrivatizeLine& line, std::string command) {
  html::Page page(
      {.title = "Privacy against utility",
       .lead = "What the best adversary gets wrong (E_opt) against what use is lost (L), over mechanisms "
               "and epsilons, and the setting that serves best.",
       .version = SOTTO_VERSION,
       .command = std::move(command)});
  page.notice(answer_box(answer, line));
  page.facts({{.name = "model",
               .value = answer.model->origin().name,
               .note = "identity " + answer.model->identity()},
              {.name = "prior", .value = answer.prior.description},
              {.name = "L", .value = loss_meaning(answer.loss)},
              {.name = "ceiling of E_opt",
               .value = answer.prior.constant_guess,
               .note = "the error of always guessing the likeliest word"},
              {.name = "settings measured", .value = std::uint64_t{answer.found.points.size()}},
              {.name = "draws",
               .value = std::uint64_t{answer.draws},
               .note = "for each setting without a closed law"}});
  if (const auto notes = answer.algorithm_notes(); !notes.empty()) {
    page.section("What Algorithm 2 lacks");
    for (const std::string& note : notes) page.paragraph(with_flags(note));
  }
  page.section("Pictures");
  for (const auto& [name, plot] : tune_plots(answer)) page.plot(plot);
  page.section("The frontier");
  page.paragraph(
      "Settings with a proven guarantee that no other beats, E_opt judged by its low end and L by its "
      "high end. Where two ends are given, only draws of the mechanism are known.");
  page.table(table_of(answer, answer.found.frontier, "By loss, the smallest first"));
  add_beside(page, answer);
  if (!answer.found.skipped.empty()) {
    page.section("Not measured");
    html::Table table{.headings = {"setting", "why"}};
    for (const SkippedCandidate& skipped : answer.found.skipped) {
      table.rows.push_back({skipped.candidate.family(), with_flags(skipped.reason)});
    }
    page.table(table);
  }
  return page.html();
}

}  // namespace sotto::cli
