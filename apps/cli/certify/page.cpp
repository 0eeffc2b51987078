#include "cli/certify/page.h"

#include <fmt/format.h>

#include <cmath>

#include "api/plot_data.h"
#include "cli/pages/bound_cells.h"
#include "cli/pages/mechanism_plots.h"
#include "cli/pages/status_words.h"
#include "core/odds_text.h"
#include "html/page.h"
#include "html/text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

using api::CertifyAnswer;
using api::upper_text;
using html::Fact;
using html::Notice;

std::string page_word(const CertifyAnswer& answer, WordId id) {
  return std::string(answer.model->word(id));
}

std::string lead(const CertifyAnswer& answer) {
  if (answer.is_of_vectors()) {
    return fmt::format(
        "How far the public projection stretches the distances between the {} of the model, against the "
        "sensitivity that the noise is made for.",
        counted(answer.model->size(), "word"));
  }
  const auto n = static_cast<double>(answer.model->size());
  if (answer.certificate) {
    return fmt::format(
        "What one word of this model may lose, computed over all {} pairs of its {} words from the exact "
        "law, not "
        "sampled{}.",
        html::count(static_cast<std::uint64_t>(n * (n - 1) / 2)), html::count(answer.model->size()),
        answer.kind() == "exact upper bound" ? "; a margin for rounding is included" : "");
  }
  return fmt::format(
      "What is known of the loss of one word of this model of {} words. It could not be computed.",
      html::count(answer.model->size()));
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

Notice guarantee_box(const CertifyAnswer& answer) {
  const Claim& claim = answer.mechanism.claim;
  const bool certain = answer.certificate || answer.stretch || claim.status == Status::proven;
  // A proven guarantee may hide nothing: the box is green only if most words are expected to change.
  const Strength strength = answer.strength().value_or(Strength::weak);
  Notice notice{.tone = !answer.passes() || strength == Strength::none ? Notice::Tone::bad
                        : certain && strength == Strength::ok          ? Notice::Tone::good
                                                                       : Notice::Tone::caution,
                .title = capitalised(answer.verdict()),
                .sentences = {claim.guarantee}};
  if (answer.strength() && strength != Strength::ok)
    notice.sentences.insert(notice.sentences.begin(), answer.strength_text());
  if (!claim.caveat.empty()) notice.sentences.push_back(capitalised(claim.caveat) + ".");
  if (!answer.is_of_vectors()) {
    notice.sentences.emplace_back(
        "The losses of the words of a text add up, and another release of the same text adds again.");
  }
  return notice;
}

std::string certified_value(std::optional<double> value) {
  if (!value) return "not computed";
  return std::isfinite(*value) ? html::number(*value) : "infinite";
}

// Distances are cut only if some are longer.
bool is_cut(const CertifyAnswer& answer) {
  return answer.gamma() && answer.certificate && *answer.gamma() < answer.certificate->largest_distance;
}

std::vector<Fact> stretch_figures(const CertifyAnswer& answer) {
  std::vector<Fact> facts = {
      {.name = "nominal epsilon", .value = number_text(answer.mechanism.claim.epsilon)},
      {.name = "certified epsilon", .value = upper_text(*answer.certified_epsilon()), .note = "upper bound"},
      {.name = "stretch between words",
       .value = upper_text(answer.stretch->vocabulary),
       .note = "over all pairs"},
      {.name = "stretch of any vectors",
       .value = upper_text(answer.stretch->spectral),
       .note = "spectral norm"},
      {.name = "words", .value = std::uint64_t{answer.model->size()}},
      {.name = "model", .value = answer.model->origin().name, .note = answer.model->identity()}};
  for (const auto& [name, value] : answer.mechanism.facts) facts.push_back({.name = name, .value = value});
  return facts;
}

std::vector<Fact> certificate_figures(const CertifyAnswer& answer) {
  const Mechanism& mechanism = answer.mechanism;
  const Model& model = mechanism.space->model();
  const auto certified = answer.certified_epsilon();
  std::vector<Fact> facts = {
      {.name = "nominal epsilon", .value = upper_text(mechanism.claim.epsilon)},
      {.name = "certified epsilon",
       .value = certified ? upper_text(*certified) : "unknown",
       .note = std::string(answer.kind())},
      {.name = "additive loss",
       .value = answer.additive_loss() ? upper_text(*answer.additive_loss()) : "not computed",
       .note = "on top of epsilon * d for each word, for all rounding"},
      {.name = "largest loss of one word",
       .value = answer.largest_word_loss() ? upper_text(*answer.largest_word_loss()) : "no bound is known",
       .note = answer.largest_word_loss()
                   ? fmt::format("Lmax: whoever sees one output becomes {} between any two words",
                                 surer_text(*answer.largest_word_loss()))
                   : ""},
      {.name = "status", .value = status_words(mechanism.claim.status)},
      {.name = "strength",
       .value = std::string(strength_name(*answer.strength())),
       .note = percent(answer.expected->unchanged) + " of the words are expected to stay as they are"},
      {.name = "mechanism", .value = api::setting_text(mechanism)}};
  if (answer.slope()) {
    facts.push_back({.name = "slope of the law", .value = *answer.slope()});
    facts.push_back(
        {.name = "gamma",
         .value = certified_value(answer.gamma()),
         .note = is_cut(answer) ? "distances are cut here" : "beyond the largest distance: cuts nothing"});
  }
  facts.push_back({.name = "metric", .value = std::string(metric_name(mechanism.space->metric()))});
  facts.push_back({.name = "words", .value = std::uint64_t{model.size()}});
  if (answer.smallest_distance()) {
    facts.push_back({.name = "smallest distance D0", .value = *answer.smallest_distance()});
    facts.push_back({.name = "largest distance D", .value = *answer.largest_distance()});
  }
  if (const auto nearest = answer.median_nearest()) {
    facts.push_back({.name = "median distance to the nearest word",
                     .value = *nearest,
                     .note = "over words by their public frequency"});
    facts.push_back(
        {.name = "epsilon times that", .value = certified_value(*nearest * mechanism.claim.epsilon)});
  }
  if (const auto unchanged = answer.mean_unchanged()) {
    facts.push_back({.name = "mean N_w", .value = *unchanged, .note = "a word stays as it is"});
  }
  if (answer.sampled) {
    const api::SampledBound& sampled = *answer.sampled;
    facts.push_back({.name = "epsilon of a pair",
                     .value = certified_value(shown_below(sampled.epsilon)),
                     .note = fmt::format(
                         "\"{}\" and \"{}\", a lower bound from {}", page_word(answer, sampled.pair.first),
                         page_word(answer, sampled.pair.second), counted(sampled.pairs, "pair"))});
  }
  facts.push_back({.name = "model", .value = model.origin().name, .note = "identity " + model.identity()});
  return facts;
}

void add_worst_pairs(html::Page& page, const CertifyAnswer& answer) {
  if (!answer.certificate || answer.certificate->worst_pairs.empty()) return;
  page.section("Worst pairs");
  html::Table table{.caption = "The pairs of words with the largest loss per distance",
                    .headings = {"word", "other word", "distance", "loss", "realised epsilon"}};
  for (const PairLoss& pair : answer.certificate->worst_pairs) {
    table.rows.push_back({page_word(answer, pair.first), page_word(answer, pair.second), pair.distance,
                          shown_above(pair.loss), shown_above(pair.epsilon)});
  }
  page.table(table);
}

void add_distance_bands(html::Page& page, const CertifyAnswer& answer) {
  if (!answer.certificate || answer.certificate->bands.empty()) return;
  page.section("Loss by distance");
  html::Plot plot{
      .title = "Realised epsilon by distance",
      .caption = fmt::format(
          "The worst pair of each band of distance. What stays below the nominal epsilon keeps the claim.{}",
          is_cut(answer) ? " Beyond gamma the loss of a pair grows no more, and its "
                           "share of the distance falls."
                         : "")};
  plot.x.label = "distance between the two words";
  plot.y.label = "loss / distance";
  plot.y.from = 0;
  html::Series series{.name = "worst pair of the band"};
  double highest = *answer.certified_epsilon();
  for (const PairLoss& pair : answer.certificate->bands) {
    series.points.push_back({.x = pair.distance, .y = pair.epsilon});
    if (std::isfinite(pair.epsilon)) highest = std::max(highest, pair.epsilon);
  }
  plot.series = {std::move(series)};
  const double nominal = answer.mechanism.claim.epsilon;
  if (std::isfinite(nominal)) highest = std::max(highest, nominal);
  if (std::isfinite(highest)) plot.y.to = 1.1 * highest;
  const auto line = [&](double at, const std::string& label) {
    plot.lines.push_back({.across = html::ReferenceLine::Across::horizontal, .at = at, .label = label});
  };
  const double certified = *answer.certified_epsilon();
  // Lines that fall together have one label.
  if (std::abs(nominal - certified) < 0.02 * certified) {
    line(certified, fmt::format("certified and nominal {}", html::number_above(certified)));
  } else {
    if (std::isfinite(nominal)) line(nominal, fmt::format("nominal {}", html::number_above(nominal)));
    if (std::isfinite(certified)) line(certified, fmt::format("certified {}", html::number_above(certified)));
  }
  page.plot(plot);
}

}  // namespace

std::string certify_page(const CertifyAnswer& answer, const std::vector<std::string>& command,
                         const Work& work) {
  html::Page page({.title = fmt::format("Certificate of {}{}", answer.mechanism.info->name,
                                        std::isfinite(answer.mechanism.claim.epsilon)
                                            ? " at epsilon " + number_text(answer.mechanism.claim.epsilon)
                                            : ""),
                   .lead = lead(answer),
                   .version = SOTTO_VERSION,
                   .command = html::shell_line(command)});
  page.notice(guarantee_box(answer));
  if (answer.is_of_vectors()) {
    page.facts(stretch_figures(answer));
    return page.html();
  }
  page.section("Key figures");
  page.facts(certificate_figures(answer));
  add_worst_pairs(page, answer);
  add_distance_bands(page, answer);
  if (answer.mechanism.token.empty()) {
    page.section("Deniability");
    add_deniability(page, api::plotted_deniability(answer.mechanism, work));
    page.section("Outputs");
    add_output_ranks(page, answer.mechanism, work);
  }
  page.section("How to read this");
  page.paragraph(
      "Epsilon is a loss per unit of distance: whatever comes out, its probability under two words at "
      "distance d "
      "differs by a factor of at most exp(epsilon d + additive loss). The certificate is about this model "
      "and these "
      "parameters "
      "only. Figures in the tables are rounded; bounds are rounded upwards.");
  return page.html();
}

}  // namespace sotto::cli
