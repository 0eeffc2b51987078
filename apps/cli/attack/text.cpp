// The errors of `sotto attack` for a person.
#include "cli/attack/text.h"

#include <fmt/format.h>

#include "core/bound_text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

constexpr std::size_t kLabelWidth = 14;

std::string row(std::string_view label, std::string_view text, std::size_t width) {
  return fmt::format("{:<{}}{}\n", label, kLabelWidth, wrapped(text, width, kLabelWidth));
}

std::string attacker_table(const api::AttackAnswer& answer) {
  std::string out = fmt::format("  {:<13}{:>22}{:>9}{:>10}{:>9}{:>10}{:>12}\n", "attacker", "error (95%)",
                                "content", "replaced", "unknown", "log loss", "equivalent");
  const auto value = [](const std::optional<MeasuredError>& share) {
    return share ? fmt::format("{:.3f}", share->value) : std::string("-");
  };
  const auto number = [](const std::optional<double>& given, const char* format) {
    return given ? fmt::format(fmt::runtime(format), *given) : std::string("-");
  };
  for (const api::AttackerAnswer& own : answer.attackers) {
    out += fmt::format("  {:<13}{:>22}{:>9}{:>10}{:>9}{:>10}{:>12}\n", own.attacker->name,
                       share_text(own.score.error), value(own.score.error_content),
                       value(own.score.error_replaced), value(own.score.error_unknown),
                       number(own.score.log_loss, "{:.2f}"), number(own.equivalent_epsilon, "{:.3g}"));
  }
  return out;
}

std::string labels_table(const api::LabelAttack& labels, std::size_t width) {
  std::string out =
      fmt::format("  {:<17}{:>24}{:>24}\n", "label guesser", "error, private text", "error, clear text");
  for (const api::LabelGuesser& own : labels.guessers) {
    out +=
        fmt::format("  {:<17}{:>24}{:>24}\n", own.name, share_text(own.error), share_text(own.error_clean));
  }
  out += fmt::format("  {} of {}; always guessing the most frequent label errs in {:.3f}\n",
                     counted(labels.documents, "document"), counted(labels.classes, "label"),
                     labels.majority_error);
  for (const api::LabelGuesser& own : labels.guessers) {
    out += fmt::format("{:<{}}{}\n", own.name, kLabelWidth + 3, wrapped(own.assumes, width, kLabelWidth + 3));
  }
  return out + "\n";
}

}  // namespace

std::string share_text(const std::optional<MeasuredError>& share) {
  return share ? fmt::format("{:.3f} ({:.3f} to {:.3f})", share->value, share->low, share->high) : "-";
}

std::string attack_text(const api::AttackAnswer& answer, std::size_t width) {
  std::string out = row("mechanism", api::setting_text(answer.built.mechanism), width);
  out += row("text",
             fmt::format("{}, {}, of which {} unknown words{}", counted(answer.documents, "document"),
                         counted(answer.tokens, "token"), grouped(answer.unknown_tokens),
                         answer.was_released ? "; attacked as it was released" : ""),
             width);
  out += row("channel",
             answer.channel_draws == 0 ? std::string("exact: the law of the mechanism is known")
                                       : fmt::format("estimated by {} draws", grouped(answer.channel_draws)),
             width);
  std::string time = fmt::format("{:.0f} s of processor time", answer.attack_seconds);
  if (!answer.attackers.empty() && answer.attackers.back().attacker->needs_weights) {
    time += fmt::format(", and {:.0f} s more to fit the weights of `combined`", answer.fit_seconds);
  }
  out += row("time", time, width);
  out += "\n" + attacker_table(answer) + "\n";
  out +=
      row("columns",
          "share of wrong guesses among all tokens, among content words (outside the 300 most frequent, "
          "guessed among content words), among tokens that the mechanism changed, among unknown words; mean "
          "-ln P(word); epsilon at which context-free errs as often",
          width);
  for (const api::AttackerAnswer& own : answer.attackers)
    out += row(own.attacker->name, own.attacker->assumes, width);
  out += '\n';
  if (answer.labels) out += labels_table(*answer.labels, width);
  for (const std::string& sentence : answer.meaning()) out += wrapped(sentence, width, 0) + "\n";
  for (const api::PairBound& bound : answer.pair_bounds) {
    const std::string error = bound.error ? rounded_down(*bound.error, 3) : "no bound";
    out += fmt::format("pair bound for two words at distance {:.3g} that change together in {}: {}\n",
                       bound.distance, counted(bound.k, "place"), error);
  }
  return out;
}

std::string sentences_text(const api::AttackAnswer& answer) {
  std::string out = "This file holds the attacked text in clear.\n";
  for (std::size_t d = 0; d < answer.sentences.size(); ++d) {
    const api::AttackedSentence& own = answer.sentences[d];
    out += fmt::format("\ndocument {}\noriginal: {}\nreleased: {}\nguessed:  {}\n", d + 1, own.original,
                       own.released, own.guessed);
  }
  return out;
}

}  // namespace sotto::cli
