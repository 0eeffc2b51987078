#include "cli/attack/page.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/attack/text.h"
#include "html/page.h"
#include "html/text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

html::Notice attack_headline(const api::AttackAnswer& answer) {
  const api::AttackerAnswer& best = answer.best();
  html::Notice notice{.tone = html::Notice::Tone::neutral};
  if (!best.score.error) return notice;
  notice.title =
      fmt::format("The best attacker here recovers {} of the words", percent(1 - best.score.error->value));
  if (best.score.error_replaced) {
    notice.sentences.push_back(
        fmt::format("Of the words that the mechanism changed, this attacker ({}) recovers {}.",
                    best.attacker->name, percent(1 - best.score.error_replaced->value)));
  }
  for (const std::string& sentence : answer.meaning()) notice.sentences.push_back(sentence);
  return notice;
}

std::vector<html::Fact> attack_facts(const api::AttackAnswer& answer) {
  const Mechanism& mechanism = answer.built.mechanism;
  const Model& model = mechanism.space->model();
  return {{.name = "mechanism", .value = api::setting_text(mechanism)},
          {.name = "status", .value = std::string(status_name(mechanism.claim.status))},
          {.name = "text",
           .value =
               fmt::format("{}, {}", counted(answer.documents, "document"), counted(answer.tokens, "token"))},
          {.name = "language model", .value = fmt::format("order {}", answer.order)},
          {.name = "channel",
           .value = answer.channel_draws == 0
                        ? std::string("exact")
                        : fmt::format("estimated by {} draws", html::count(answer.channel_draws))},
          {.name = "model", .value = model.origin().name, .note = "identity " + model.identity()}};
}

// One bar for each attacker that gave this error.
void add_bars(html::Page& page, const api::AttackAnswer& answer, const std::string& title,
              const std::string& caption, std::optional<MeasuredError> AttackScore::*share) {
  html::Histogram histogram{.title = title, .caption = caption};
  histogram.x.label = "attacker";
  histogram.y = {.label = "share of wrong guesses", .from = 0, .to = 1};
  html::Bars bars;
  for (const api::AttackerAnswer& own : answer.attackers) {
    if (!(own.score.*share)) continue;
    histogram.bins.push_back({.name = std::string(own.attacker->name)});
    bars.heights.push_back((own.score.*share)->value);
  }
  if (histogram.bins.empty()) return;
  histogram.series = {std::move(bars)};
  page.plot(histogram);
}

void add_table(html::Page& page, const api::AttackAnswer& answer) {
  html::Table table{.caption = "Share of wrong guesses with 95% intervals over documents",
                    .headings = {"attacker", "all tokens", "content words", "replaced", "unknown words",
                                 "log loss", "equivalent epsilon", "assumes"}};
  const auto number = [](const std::optional<double>& value) {
    return value ? html::number(*value) : std::string("-");
  };
  for (const api::AttackerAnswer& own : answer.attackers) {
    table.rows.push_back({std::string(own.attacker->name), share_text(own.score.error),
                          share_text(own.score.error_content), share_text(own.score.error_replaced),
                          share_text(own.score.error_unknown), number(own.score.log_loss),
                          number(own.equivalent_epsilon), std::string(own.attacker->assumes)});
  }
  page.table(table);
}

void add_pair_bound(html::Page& page, const api::AttackAnswer& answer) {
  page.section("The pair bound");
  page.paragraph(
      "This number stands apart from the errors above and is no lower end for them. If everything else "
      "leaves "
      "exactly two words equally likely, at the given distance and changing together in k places, no "
      "attacker "
      "errs less often than this.");
  html::Table table{.headings = {"k", "distance", "error at least"}};
  for (const api::PairBound& bound : answer.pair_bounds) {
    table.rows.push_back({std::to_string(bound.k), html::number(bound.distance),
                          bound.error ? html::number(*bound.error) : std::string("no bound")});
  }
  page.table(table);
}

void add_labels(html::Page& page, const api::AttackAnswer& answer) {
  if (!answer.labels) return;
  page.section("Labels");
  page.paragraph(fmt::format(
      "Share of documents whose label was guessed wrongly, with 95% intervals. Always guessing the "
      "most frequent of the {} labels errs in {} of the documents.",
      answer.labels->classes, percent(answer.labels->majority_error)));
  html::Table table{.headings = {"label guesser", "private text", "clear text", "assumes"}};
  for (const api::LabelGuesser& own : answer.labels->guessers) {
    table.rows.push_back({std::string(own.name), share_text(own.error), share_text(own.error_clean),
                          std::string(own.assumes)});
  }
  page.table(table);
}

}  // namespace

std::string attack_page(const api::AttackAnswer& answer) {
  const Mechanism& mechanism = answer.built.mechanism;
  html::Page page({.title = fmt::format("Attacks on {}{}", mechanism.info->name,
                                        std::isfinite(mechanism.claim.epsilon) && mechanism.claim.epsilon > 0
                                            ? " at epsilon " + number_text(mechanism.claim.epsilon)
                                            : ""),
                   .lead =
                       "How often attackers who know the mechanism and a language model of public text guess "
                       "the original words of a privatised text wrongly.",
                   .version = SOTTO_VERSION,
                   .command = {}});
  page.notice(attack_headline(answer));
  page.facts(attack_facts(answer));
  page.section("Errors");
  add_bars(page, answer, "Errors among all tokens", "A low bar is a strong attacker.", &AttackScore::error);
  add_bars(page, answer, "Errors among replaced tokens",
           "Tokens that the mechanism changed. What stays wrong here is what the noise hides.",
           &AttackScore::error_replaced);
  add_table(page, answer);
  add_labels(page, answer);
  add_pair_bound(page, answer);
  return page.html();
}

}  // namespace sotto::cli
