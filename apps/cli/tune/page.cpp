#include "cli/tune/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/measure/page.h"
#include "html/page.h"
#include "html/text.h"

namespace sotto::cli {

namespace {

using html::Notice;

// Points of one family, in the order of the answer.
struct FamilyPoints {
  std::string name;
  std::vector<const TunePoint*> points = {};
};
// Those without an epsilon come last, so that a family has the same colour in every plot.
std::vector<FamilyPoints> families(const TuneSubject& subject) {
  std::vector<FamilyPoints> out;
  for (const TunePoint& point : subject.answer.points) {
    const std::string name = point.candidate.family();
    if (out.empty() || out.back().name != name) out.push_back({.name = name});
    out.back().points.push_back(&point);
  }
  std::stable_partition(out.begin(), out.end(), [](const FamilyPoints& family) {
    return family.points.front()->candidate.epsilon().has_value();
  });
  return out;
}

// Where a figure is drawn: its value, or the upper end of a bracket, the error of an attack that was carried
// out. The lower end moves with the number of draws.
std::optional<double> drawn_value(const TunePoint& point, std::string_view figure) {
  const Figure* found = point.find(figure);
  if (found != nullptr && !found->value && found->bracket) return found->bracket->high;
  return point.middle(figure);
}

html::Plot frontier_plot(const TuneSubject& subject) {
  const UtilityLoss loss = subject.bench.question().loss;
  html::Plot plot{
      .title = "Inference error against utility loss",
      .caption =
          "Up and to the left is better. Labels are epsilons. Where only draws are known the point is an "
          "upper bound, the error of the best attack that was carried out, so it looks better than a point "
          "without a bar; the bar reaches down to what is certain, and decisions use that end."};
  plot.x = {.label = fmt::format("L: {}", loss_meaning(loss)), .from = 0};
  plot.y = {.label = "E_opt", .from = 0};
  for (const FamilyPoints& family : families(subject)) {
    html::Series series{.name = family.name};
    for (const TunePoint* point : family.points) {
      const auto x = point->middle(loss_figure(loss));
      const auto y = drawn_value(*point, "e_opt");
      if (!x || !y) continue;
      html::Point drawn{.x = *x, .y = *y};
      if (const auto bounds = point->bounds("e_opt"); bounds && bounds->low < bounds->high) {
        drawn.low = bounds->low;
        drawn.high = bounds->high;
      }
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
html::Plot curve_plot(const TuneSubject& subject, const CurveStyle& style) {
  html::Plot plot{.title = style.title, .caption = style.caption};
  plot.x = {.label = "epsilon (nominal, in the mechanism's own unit)",
            .scale = html::Axis::Scale::logarithmic};
  plot.y = {.label = style.label, .from = 0};
  for (const FamilyPoints& family : families(subject)) {
    html::Series series{.name = family.name};
    for (const TunePoint* point : family.points) {
      const auto epsilon = point->candidate.epsilon();
      const auto y = drawn_value(*point, style.figure);
      if (!epsilon || !y) continue;
      html::Point drawn{.x = *epsilon, .y = *y};
      const auto bounds = point->bounds(style.figure);
      if (style.intervals && bounds && bounds->low < bounds->high) {
        drawn.low = bounds->low;
        drawn.high = bounds->high;
      }
      series.points.push_back(std::move(drawn));
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return plot;
}

void add_ceiling(const TuneSubject& subject, html::Plot& plot) {
  const double ceiling = subject.bench.question().prior.constant_guess();
  plot.y.to = std::min(1.0, 1.05 * ceiling) < ceiling ? ceiling : std::min(1.05 * ceiling, 1.05);
  plot.lines.push_back({.at = ceiling, .label = fmt::format("constant guess {}", html::number(ceiling))});
  if (subject.constraints.min_inference_error) {
    plot.lines.push_back({.at = *subject.constraints.min_inference_error, .label = "asked for"});
  }
}

Notice answer_box(const TuneSubject& subject) {
  const Choice& choice = subject.answer.choice;
  if (!subject.constraints.any()) {
    return {.tone = Notice::Tone::neutral,
            .title = "No constraint was given",
            .sentences = {
                "The frontier is shown; a bound on loss, inference error or certified epsilon chooses from "
                "it."}};
  }
  if (choice.recommended) {
    const TunePoint& point = subject.answer.points[*choice.recommended];
    const bool proven = point.status == Status::proven;
    const Strength strength = point.strength();
    Notice notice{
        .tone = !proven || strength == Strength::none ? Notice::Tone::bad
                : strength == Strength::ok            ? Notice::Tone::good
                                                      : Notice::Tone::caution,
        .title = (proven ? "Recommended for " : "NOT PRIVATE: the answer as the paper prints it, for ") +
                 constraints_text(subject),
        .sentences = {tradeoff_text(subject, point) + ".", privatize_line(subject, point)}};
    if (strength != Strength::ok) notice.sentences.push_back(strength_sentence(strength));
    if (subject.algorithm == "paper") return notice;
    for (const std::size_t index : undecided(subject.answer.points, *choice.recommended,
                                             subject.bench.question().loss, subject.constraints)) {
      notice.sentences.push_back("May be better, more draws would tell: " +
                                 tradeoff_text(subject, subject.answer.points[index]) + ".");
    }
    return notice;
  }
  Notice notice{.tone = Notice::Tone::bad, .title = "Nothing that was tried " + failure_text(subject)};
  if (choice.nearest) {
    notice.sentences.push_back("Nearest: " + tradeoff_text(subject, subject.answer.points[*choice.nearest]) +
                               ".");
  }
  return notice;
}

std::string ends_text(const TunePoint& point, std::string_view figure) {
  const auto bounds = point.bounds(figure);
  if (!bounds) return "-";
  if (bounds->low == bounds->high || !point.find(figure)->bracket) return html::number(*point.middle(figure));
  return fmt::format("{} to {}", html::number(bounds->low), html::number(bounds->high));
}

html::Table table_of(const TuneSubject& subject, const std::vector<std::size_t>& indexes,
                     std::string caption) {
  html::Table table{.caption = std::move(caption),
                    .headings = {"setting", "epsilon", "certified epsilon", "E_opt", "L", "N_w"}};
  for (const std::size_t index : indexes) {
    const TunePoint& point = subject.answer.points[index];
    const auto epsilon = point.candidate.epsilon();
    table.rows.push_back({point.candidate.family(), epsilon ? number_text(*epsilon) : "-",
                          point.certified_epsilon ? html::number_above(*point.certified_epsilon) : "none",
                          ends_text(point, "e_opt"),
                          ends_text(point, loss_figure(subject.bench.question().loss)),
                          ends_text(point, "n_w")});
  }
  return table;
}

void add_beside(html::Page& page, const TuneSubject& subject) {
  if (!subject.answer.choice.recommended) return;
  std::vector<std::size_t> same_epsilon;
  std::vector<std::size_t> same_error;
  for (const Beside& row : beside(subject, subject.answer.points[*subject.answer.choice.recommended])) {
    if (row.same_epsilon) same_epsilon.push_back(*row.same_epsilon);
    if (row.same_error) same_error.push_back(*row.same_error);
  }
  page.section("Beside it");
  if (!same_epsilon.empty()) {
    page.table(
        table_of(subject, same_epsilon, "With no larger certified epsilon: the largest of each family"));
  }
  if (!same_error.empty()) {
    page.table(table_of(subject, same_error, "With no smaller E_opt: the least L of each family"));
  }
}

}  // namespace

std::vector<std::pair<std::string, html::Plot>> tune_plots(const TuneSubject& subject) {
  const UtilityLoss loss = subject.bench.question().loss;
  html::Plot tradeoff = frontier_plot(subject);
  add_ceiling(subject, tradeoff);
  html::Plot error =
      curve_plot(subject, {.title = "Inference error against epsilon",
                           .figure = "e_opt",
                           .label = "E_opt",
                           .caption = "Epsilons of different mechanisms are not the same promise in "
                                      "practice: compare at equal E_opt as well.",
                           .intervals = true});
  add_ceiling(subject, error);
  html::Plot lost = curve_plot(subject, {.title = "Utility loss against epsilon",
                                         .figure = std::string(loss_figure(loss)),
                                         .label = "L",
                                         .caption = "What use is lost, by epsilon.",
                                         .intervals = true});
  if (subject.constraints.max_loss) {
    const double most = *subject.constraints.max_loss;
    lost.lines.push_back({.at = most, .label = "allowed"});
    tradeoff.lines.push_back(
        {.across = html::ReferenceLine::Across::vertical, .at = most, .label = "allowed loss"});
  }
  html::Plot unchanged = curve_plot(
      subject, {.title = "N_w: a word stays as it is",
                .figure = "n_w",
                .label = "probability, mean over 10 words",
                .caption = "Plausible deniability: the smaller, the more an unchanged word can be denied.",
                .intervals = false});
  unchanged.y.to = 1;
  html::Plot distinct =
      curve_plot(subject, {.title = "S_w: different words among 1,000 outputs of a word",
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

std::string tune_page(const TuneSubject& subject, const std::vector<std::string>& command) {
  const TuneQuestion& question = subject.bench.question();
  const TuneAnswer& answer = subject.answer;
  html::Page page(
      {.title = "Privacy against utility",
       .lead = "What the best adversary gets wrong (E_opt) against what use is lost (L), over mechanisms "
               "and epsilons, and the setting that serves best.",
       .version = SOTTO_VERSION,
       .command = public_command(command)});
  page.notice(answer_box(subject));
  page.facts({{.name = "model",
               .value = subject.bench.model()->origin().name,
               .note = "identity " + subject.bench.model()->identity()},
              {.name = "prior", .value = question.prior.description},
              {.name = "L", .value = loss_meaning(question.loss)},
              {.name = "ceiling of E_opt",
               .value = question.prior.constant_guess(),
               .note = "the error of always guessing the likeliest word"},
              {.name = "settings measured", .value = std::uint64_t{answer.points.size()}},
              {.name = "draws",
               .value = std::uint64_t{question.draws},
               .note = "for each setting without a closed law"}});
  page.section("Pictures");
  for (const auto& [name, plot] : tune_plots(subject)) page.plot(plot);
  page.section("The frontier");
  page.paragraph(
      "Settings with a proven guarantee that no other beats, E_opt judged by its low end and L by its "
      "high end. Where two ends are given, only draws of the mechanism are known.");
  page.table(table_of(subject, answer.frontier, "By loss, the smallest first"));
  add_beside(page, subject);
  if (!answer.skipped.empty()) {
    page.section("Not measured");
    html::Table table{.headings = {"setting", "why"}};
    for (const SkippedCandidate& skipped : answer.skipped) {
      table.rows.push_back({skipped.candidate.family(), skipped.reason});
    }
    page.table(table);
  }
  return page.html();
}

}  // namespace sotto::cli
