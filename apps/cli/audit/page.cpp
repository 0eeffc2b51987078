#include "cli/audit/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/pages/bound_cells.h"
#include "cli/pages/mechanism_plots.h"
#include "html/page.h"
#include "html/text.h"
#include "shared/console.h"
#include "shared/flag_names.h"
#include "sotto/forecast.h"

namespace sotto::cli {

namespace {

using html::Fact;
using html::Notice;

constexpr std::size_t kMostPairs = 20;

Notice verdict_box(const api::AuditAnswer& answer) {
  const Strength strength = strength_of(answer.expected_unchanged.value_or(0));
  const bool passed = answer.result.verdict == AuditVerdict::pass;
  Notice notice{.tone = answer.violated() || (passed && strength == Strength::none) ? Notice::Tone::bad
                        : passed && strength == Strength::ok                        ? Notice::Tone::good
                        : answer.result.verdict == AuditVerdict::nothing_claimed    ? Notice::Tone::neutral
                                                                                    : Notice::Tone::caution,
                .title = with_flags(answer.verdict())};
  if (strength != Strength::ok)
    notice.sentences.push_back(
        strength_sentence(strength, answer.is_of_vectors() ? Released::vectors : Released::words));
  if (answer.mechanism) notice.sentences.push_back(answer.mechanism->claim.guarantee);
  notice.sentences.push_back(fmt::format(
      "A subject that keeps its claim is called VIOLATED with probability at most {:g}, all pairs and events "
      "together. PASS proves nothing about pairs and events not drawn.",
      answer.result.level));
  return notice;
}

std::string finite_or_infinite(double value) {
  return std::isfinite(value) ? html::number(value) : "infinite";
}

std::vector<Fact> audit_figures(const api::AuditAnswer& answer) {
  const AuditResult& result = answer.result;
  const Model& model = answer.space->model();
  std::vector<Fact> facts = {
      {.name = "subject", .value = answer.subject},
      {.name = "claimed epsilon",
       .value = std::isfinite(answer.claimed_epsilon) ? number_text(answer.claimed_epsilon) : "none"},
      {.name = "realised epsilon",
       .value = finite_or_infinite(shown_below(result.realised_epsilon_bound)),
       .note = "at least, by the draws; a lower bound"},
      {.name = "pairs of words", .value = std::uint64_t{result.pairs.size()}},
      {.name = "draws for each word of a pair", .value = std::uint64_t{answer.draws}},
      {.name = "events tested", .value = std::uint64_t{result.hypotheses}},
      {.name = "draws in all", .value = result.total_draws},
      {.name = "reach",
       .value = finite_or_infinite(shown_above(result.reach.largest_loss)),
       .note = "a claimed loss above this cannot be refuted by so many draws"},
      {.name = "pairs within reach", .value = std::uint64_t{result.reach.pairs_within}}};
  if (answer.replay) {
    facts.push_back({.name = "noise repeats",
                     .value = answer.replay->repeats ? "yes" : "no",
                     .note = fmt::format("the same {} lines were given twice", answer.replay->lines)});
  }
  facts.push_back({.name = "metric", .value = std::string(metric_name(answer.space->metric()))});
  facts.push_back({.name = "words", .value = std::uint64_t{model.size()}});
  facts.push_back({.name = "model", .value = model.origin().name, .note = "identity " + model.identity()});
  return facts;
}

double per_distance(const AuditPair& pair, double loss) {
  return pair.distance > 0 ? loss / pair.distance : loss > 0 ? std::numeric_limits<double>::infinity() : 0;
}

void add_pairs(html::Page& page, const api::AuditAnswer& answer) {
  std::vector<const AuditFinding*> findings;
  for (const AuditFinding& finding : answer.result.pairs) findings.push_back(&finding);
  // The nearest to its claim, or furthest above it, first.
  std::ranges::stable_sort(findings, [](const AuditFinding* one, const AuditFinding* other) {
    return one->proven_loss() - one->pair.claimed_loss > other->proven_loss() - other->pair.claimed_loss;
  });
  page.section("Pairs");
  html::Table table{.caption = findings.size() > kMostPairs ? fmt::format("The {} most telling of {} pairs",
                                                                          kMostPairs, findings.size())
                                                            : "All pairs, the most telling first",
                    .headings = {"pair", "kind", "distance", "claimed loss", "at least", "by the law"}};
  for (std::size_t i = 0; i < std::min(kMostPairs, findings.size()); ++i) {
    const AuditPair& pair = findings[i]->pair;
    table.rows.push_back(
        {fmt::format("{}, {}", answer.text(pair.first), answer.text(pair.second)),
         std::string(kind_name(pair.kind)), pair.distance, shown_above(pair.claimed_loss),
         shown_below(findings[i]->loss_bound),
         pair.exact_loss ? html::Cell(*pair.exact_loss) : html::Cell(std::string("not known"))});
  }
  page.table(table);
}

void add_loss_plot(html::Page& page, const api::AuditAnswer& answer) {
  html::Plot plot{
      .title = "Realised epsilon by distance",
      .caption =
          "For each pair, the loss that the draws prove, over its distance. What is proved to lie "
          "above the line breaks the claim; far pairs are out of reach of draws."};
  plot.x.label = "distance between the two words";
  plot.y.label = "loss / distance";
  plot.y.from = 0;
  html::Series drawn{.name = "proved by the draws", .mark = html::Series::Mark::points};
  html::Series exact{.name = "by the law", .mark = html::Series::Mark::points};
  for (const AuditFinding& finding : answer.result.pairs) {
    const AuditPair& pair = finding.pair;
    if (pair.kind == AuditPair::Kind::unknown) continue;
    drawn.points.push_back({.x = pair.distance, .y = per_distance(pair, finding.loss_bound)});
    if (pair.exact_loss)
      exact.points.push_back({.x = pair.distance, .y = per_distance(pair, *pair.exact_loss)});
  }
  double highest = std::isfinite(answer.claimed_epsilon) ? answer.claimed_epsilon : 0;
  for (const auto* series : {&drawn, &exact}) {
    for (const html::Point& point : series->points) {
      if (std::isfinite(point.y)) highest = std::max(highest, point.y);
    }
  }
  if (highest > 0) plot.y.to = 1.1 * highest;
  plot.series = {std::move(drawn)};
  if (!exact.points.empty()) plot.series.push_back(std::move(exact));
  if (std::isfinite(answer.claimed_epsilon)) {
    plot.lines = {{.across = html::ReferenceLine::Across::horizontal,
                   .at = answer.claimed_epsilon,
                   .label = fmt::format("claimed {}", html::number_above(answer.claimed_epsilon))}};
  }
  page.plot(plot);
}

}  // namespace

std::string audit_page(const api::AuditAnswer& answer, const std::vector<std::string>& command,
                       const Work& work) {
  html::Page page(
      {.title = fmt::format("Audit of {}", answer.mechanism ? std::string(answer.mechanism->info->name)
                                                            : "an outside program"),
       .lead = "Outputs were drawn for pairs of words, to see whether the claim can be true. A loss that "
               "is proved here is a lower bound; an upper bound is a matter for `sotto certify`.",
       .version = SOTTO_VERSION,
       .command = html::shell_line(command)});
  page.notice(verdict_box(answer));
  page.section("Key figures");
  page.facts(audit_figures(answer));
  add_pairs(page, answer);
  page.section("Loss by distance");
  add_loss_plot(page, answer);
  if (answer.deniability) {
    page.section("Deniability");
    add_deniability(page, *answer.deniability);
  }
  if (answer.mechanism && answer.mechanism->words && answer.mechanism->token.empty()) {
    page.section("Outputs");
    add_output_ranks(page, *answer.mechanism, work);
  }
  return page.html();
}

}  // namespace sotto::cli
