#include "cli/measure/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/plot_data.h"
#include "cli/pages/mechanism_plots.h"
#include "html/page.h"
#include "html/text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

using html::Fact;
using html::Notice;

std::string page_value(const Quantity& figure) {
  if (figure.kind == QuantityKind::unavailable) return "not available";
  if (figure.value) return html::number(*figure.value);
  const Bounds ends = figure.bracket.value_or(figure.interval);
  return fmt::format("{} to {}", html::number(ends.low), html::number(ends.high));
}

std::string page_interval(const Quantity& figure) {
  if (figure.kind == QuantityKind::unavailable) return "";
  if (figure.kind == QuantityKind::exact && figure.interval.low == figure.interval.high) return "exact";
  return fmt::format("{} to {}", html::number(figure.interval.low), html::number(figure.interval.high));
}

// With spaces, where a line may break: "e_opt_copies_2" as "E_opt copies 2".
std::string shown_name(std::string name) {
  for (const std::string_view symbol : {"e_opt", "e_post", "n_w", "s_w"}) {
    if (!name.starts_with(symbol)) continue;
    std::string rest = name.substr(symbol.size());
    std::ranges::replace(rest, '_', ' ');
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name.substr(0, symbol.size()) + rest;
  }
  std::ranges::replace(name, '_', ' ');
  return name;
}

// The error of the best adversary beside its ceiling.
Notice measure_headline(const api::MeasureAnswer& answer) {
  const BandMeasurement& all = answer.measurement.overall();
  const Quantity* best = all.find("e_opt");
  const Quantity* ceiling = all.find("constant_guess");
  const Quantity* changed = all.find("loss_changed");
  Notice notice{.tone = Notice::Tone::neutral, .title = "What the best adversary learns"};
  if (best == nullptr || ceiling == nullptr) return notice;
  notice.title = fmt::format("The best adversary is wrong with probability {}", page_value(*best));
  notice.sentences.push_back(
      fmt::format("An attacker who ignores the output and always guesses the likeliest word is wrong with "
                  "probability {}: "
                  "no mechanism can do better than that ceiling.",
                  page_value(*ceiling)));
  if (changed != nullptr) {
    notice.sentences.push_back(
        fmt::format("A word is replaced by another with probability {}.", page_value(*changed)));
  }
  notice.sentences.emplace_back(
      "The adversary looks at one word at a time; context and repeated words help a real one.");
  return notice;
}

std::vector<Fact> measure_facts(const api::MeasureAnswer& answer) {
  const Mechanism& mechanism = answer.built.mechanism;
  const Model& model = mechanism.space->model();
  std::vector<Fact> facts = {
      {.name = "mechanism", .value = api::setting_text(mechanism)},
      {.name = "status", .value = std::string(status_name(mechanism.claim.status))},
      {.name = "certified epsilon",
       .value = answer.built.certificate ? html::number_above(answer.built.certificate->realised_epsilon)
                                         : "not computed"},
      {.name = "prior", .value = answer.prior.description},
      {.name = "method",
       .value = mechanism.vectors ? html::count(answer.measurement.draws) + " released vectors, each with "
                                                                            "its exact posterior"
                : answer.measurement.closed_law ? "the exact law"
                                                : html::count(answer.measurement.draws) + " draws"}};
  if (answer.labels) {
    facts.push_back({.name = "labels",
                     .value = fmt::format("{} words under {} labels", html::count(answer.labels->words),
                                          answer.labels->names.size())});
  }
  if (answer.seeded) facts.push_back({.name = "randomness", .value = "seeded"});
  facts.push_back({.name = "model", .value = model.origin().name, .note = "identity " + model.identity()});
  return facts;
}

void add_figures(html::Page& page, const BandMeasurement& band) {
  page.section("Figures");
  html::Table table{.headings = {"figure", "value", "between", "meaning"}};
  for (const Quantity& figure : band.quantities) {
    table.rows.push_back(
        {shown_name(figure.name), page_value(figure), page_interval(figure), figure.meaning});
  }
  page.table(table);
}

void add_ranks(html::Page& page, const BandMeasurement& band) {
  if (band.ranks.empty()) return;
  page.section("Where the output lies");
  html::Histogram histogram{
      .title = "Rank of the output among the neighbours of the input",
      .caption = "0 is the word itself, 1 its nearest neighbour; words weighted by the prior."};
  histogram.x.label = "rank of the output";
  histogram.y.label = "probability";
  histogram.y.from = 0;
  html::Bars bars;
  for (const RankShare& rank : band.ranks) {
    histogram.bins.push_back(
        {.from = static_cast<double>(rank.first),
         .to = static_cast<double>(rank.last),
         .name = rank.first == rank.last
                     ? html::count(rank.first)
                     : fmt::format("{} to {}", html::count(rank.first), html::count(rank.last))});
    bars.heights.push_back(rank.share);
  }
  histogram.series = {std::move(bars)};
  page.plot(histogram);
}

void add_averaging(html::Page& page, const api::MeasureAnswer& answer) {
  html::Series series{.name = "E_opt"};
  for (const auto& [releases, error] : answer.averaging()) {
    series.points.push_back({.x = static_cast<double>(releases),
                             .y = *error->value,
                             .low = error->interval.low,
                             .high = error->interval.high});
  }
  if (series.points.size() < 2) return;
  page.section("The same text released again");
  html::Plot plot{.title = "E_opt against the number of releases",
                  .caption =
                      "Releases add up: an adversary who sees several outputs of one word needs less "
                      "luck. Bars are 95% intervals."};
  plot.x = {.label = "releases of the same text", .scale = html::Axis::Scale::logarithmic};
  plot.y = {.label = "probability of a wrong guess", .from = 0, .to = 1};
  plot.series = {std::move(series)};
  plot.lines.push_back(
      {.at = answer.prior.constant_guess,
       .label = fmt::format("constant guess {}", html::number(answer.prior.constant_guess))});
  page.plot(plot);
}

void add_word_bands(html::Page& page, const api::MeasureAnswer& answer) {
  const Measurement& measurement = answer.measurement;
  if (measurement.bands.size() < 2) return;
  page.section(answer.bands == BandsBy::density ? "By local density" : "By frequency");
  html::Table table{.caption = answer.bands_text(), .headings = {"figure"}};
  for (const BandMeasurement& band : measurement.bands) table.headings.push_back(band.name);
  std::vector<html::Cell> words = {"words"};
  std::vector<html::Cell> prior = {"prior"};
  for (const BandMeasurement& band : measurement.bands) {
    words.emplace_back(std::uint64_t{band.words});
    prior.emplace_back(band.prior);
  }
  table.rows = {words, prior};
  for (const Quantity& figure : measurement.bands.back().quantities) {
    std::vector<html::Cell> row = {shown_name(figure.name)};
    for (const BandMeasurement& band : measurement.bands) {
      const Quantity* own = band.find(figure.name);
      row.emplace_back(own == nullptr ? std::string("-") : page_value(*own));
    }
    table.rows.push_back(std::move(row));
  }
  page.table(table);
}

}  // namespace

std::string measure_page(const api::MeasureAnswer& answer, std::string command, const Work& work) {
  const Mechanism& mechanism = answer.built.mechanism;
  html::Page page(
      {.title = fmt::format("What {} reveals{}", mechanism.info->name,
                            std::isfinite(mechanism.claim.epsilon) && mechanism.claim.epsilon > 0
                                ? " at epsilon " + number_text(mechanism.claim.epsilon)
                                : ""),
       .lead = "What the best adversary, who knows the mechanism and how likely each word is, learns from an "
               "output, and what use is left of it.",
       .version = SOTTO_VERSION,
       .command = std::move(command)});
  page.notice(measure_headline(answer));
  page.facts(measure_facts(answer));
  const BandMeasurement& all = answer.measurement.overall();
  add_figures(page, all);
  add_ranks(page, all);
  if (mechanism.words && mechanism.token.empty()) {
    page.section("Deniability");
    add_deniability(page, api::plotted_deniability(mechanism, work));
  }
  add_averaging(page, answer);
  add_word_bands(page, answer);
  return page.html();
}

}  // namespace sotto::cli
